/*
 * Covers events: their writing by execution of the recorder's copy behind a trampoline, and their
 * reading while threads write: values of all kinds of operands, memory that is not mapped, texts,
 * tests in the process, order, losses, threads that are interrupted, forked children, sessions that
 * follow each other; rings and tables with any content. Does not cover: how it gets into another
 * process (e2e/cli-events.sh).
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/inline.h"
#include "process/procfs.h"
#include "random.h"
#include "recorder_world.h"
#include "session/events.h"
#include "session_world.h"
#include "suites.h"

#define PAGE 4096
#define GENERATION 5
#define THREADS_MOST (1 << 22)
#define it recorder_world

static struct events_state *state;
static struct events_site *site;
static struct events_reader reader;

/* One site, number 3, whose role is that of both trampolines. Times without end for system calls.
 */
static void set_up(void)
{
	recorder_world_open((struct recorder_role){.key.value = EVENTS_ROLE(GENERATION, 3)});
	state = &it.state->events;
	site = &state->sites[3];
	*site = (struct events_site){.number = 33, .ring = EVENTS_LONG};
	for (int i = 0; i < 2; i++)
		it.roles[i]->what = RECORDER_EVENT;
	recorder_world_prove((uint32_t)getpid(), UINT64_MAX);
	reader = (struct events_reader){.ring = EVENTS_LONG, .generation = GENERATION};
}

static void add_operand(struct events_operand operand)
{
	site->operands[site->arguments++] = operand;
}

/* The next event of the reader; NULL: there is none. */
static const struct events_entry *take(enum events_found wanted)
{
	static union {
		struct events_entry record;
		unsigned char bytes[EVENTS_STACK_SIZE];
	} copy;
	const struct events_entry *from;

	ck_assert_uint_gt(events_range(&reader, state->rings[reader.ring].head), 0);
	from = (const struct events_entry *)((const char *)state + events_at(&reader, reader.next));
	memcpy(&copy, from, events_shapes[reader.ring].size);
	ck_assert_int_eq(events_take(&reader, &copy.record, from->mark, false), wanted);
	return &copy.record;
}

static const struct events_entry *hit(uint64_t rbx)
{
	recorder_world_hit(it.start, rbx);
	return take(EVENTS_WHOLE);
}

START_TEST(operands_of_all_kinds)
{
	static const struct {
		int8_t size;
		uint64_t rbx, value;
	} sizes[] = {{8, 0x1122334455667788, 0x1122334455667788}, {-8, UINT64_MAX, UINT64_MAX},
		{4, 0x11223344ffffffff, 0xffffffff}, {-4, 0x80000000, 0xffffffff80000000},
		{-4, 0x7fffffff, 0x7fffffff}, {2, 0x12345, 0x2345},
		{-2, 0x8000, 0xffffffffffff8000}, {1, 0x1ff, 0xff}, {-1, 0x80, 0xffffffffffffff80}};
	const struct events_entry *e;
	uint64_t before = arch_now();

	set_up();
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		site->arguments = 0;
		add_operand((struct events_operand){
			.what = EVENTS_REGISTER, .base = 3, .size = sizes[i].size});
		add_operand((struct events_operand){
			.what = EVENTS_CONSTANT, .size = sizes[i].size, .value = sizes[i].rbx});
		e = hit(sizes[i].rbx);
		ck_assert_uint_eq(e->values[0], sizes[i].value);
		ck_assert_uint_eq(e->values[1], sizes[i].value);
		ck_assert_uint_eq(e->known, 3);
		ck_assert_uint_eq(e->site, 33);
		ck_assert_uint_eq(e->arguments, 2);
		ck_assert_uint_eq(e->thread, (uint32_t)getpid());
		ck_assert_uint_eq(e->process, 0);
		ck_assert_uint_ge(e->ticks, before);
		ck_assert_uint_le(e->ticks, arch_now());
	}
}
END_TEST

START_TEST(operands_in_memory)
{
	char *pages = mmap(
		NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile int32_t local = -5;
	const struct events_entry *e;

	set_up();
	munmap(pages + PAGE, PAGE);
	*(int32_t *)(pages + 24) = -7;
	pages[PAGE - 1] = 1;
	add_operand((struct events_operand){.what = EVENTS_MEMORY,
		.base = 3,
		.index = EVENTS_NO_REGISTER,
		.size = -4,
		.value = 8});
	/* rbx twice: base and index. */
	add_operand((struct events_operand){.what = EVENTS_MEMORY,
		.base = EVENTS_NO_REGISTER,
		.index = 3,
		.scale = 2,
		.size = 4});
	add_operand((struct events_operand){.what = EVENTS_MEMORY,
		.base = EVENTS_NO_REGISTER,
		.index = EVENTS_NO_REGISTER,
		.size = -4,
		.value = (uint64_t)(pages + 24)});
	add_operand((struct events_operand){.what = EVENTS_UNREADABLE, .size = 4});
	e = hit((uint64_t)pages + 16);
	ck_assert_uint_eq(e->known, 1 | 4);
	ck_assert_int_eq((int64_t)e->values[0], -7);
	ck_assert_int_eq((int64_t)e->values[2], -7);
	e = hit((uint64_t)pages / 2 + 12);
	ck_assert_uint_eq(e->known & 2, 2);
	ck_assert_uint_eq((uint32_t)e->values[1], (uint32_t)-7);
	/* In memory of the object, without a call; but not where the program wrote the address. */
	site->operands[2].what = EVENTS_STATIC;
	recorder_world_map((struct arch_range){(uint64_t)pages + 8, PAGE - 8});
	recorder_world_prove((uint32_t)getpid(), 0);
	e = hit((uint64_t)pages);
	ck_assert_uint_eq(e->known, 4);
	ck_assert_int_eq((int64_t)e->values[2], -7);
	site->operands[2].value = (uint64_t)(pages + PAGE);
	ck_assert_uint_eq(hit((uint64_t)pages)->known, 0);
	site->operands[2].what = EVENTS_MEMORY;
	site->operands[2].base = site->operands[2].index = EVENTS_NO_REGISTER;
	site->operands[2].value = (uint64_t)(pages + 24);
	recorder_world_prove((uint32_t)getpid(), UINT64_MAX);
	/* What crosses into the page that is missing; what is nowhere. */
	ck_assert_uint_eq(hit((uint64_t)pages + PAGE - 8 - 1)->known, 4);
	ck_assert_uint_eq(hit((uint64_t)pages + PAGE)->known, 4);
	ck_assert_uint_eq(hit(0)->known, 4);
	ck_assert_uint_eq(hit((uint64_t)1 << 63)->known, 4);
	/* Without system calls only the page of the stack. */
	recorder_world_prove((uint32_t)getpid(), 0);
	ck_assert_uint_eq(hit((uint64_t)pages + 16)->known, 0);
	recorder_world_prove((uint32_t)getpid(), arch_now());
	ck_assert_uint_eq(hit((uint64_t)pages + 16)->known, 0);
	e = hit((uint64_t)&local - 8);
	if (e->known)
		ck_assert_int_eq((int64_t)e->values[0], -5);
	ck_assert_uint_eq(e->known & ~1u, 0);
	/* Nor where the proof is of a thread that had this thread pointer before, or of none. */
	recorder_world_prove(1, UINT64_MAX);
	e = hit((uint64_t)pages + 16);
	ck_assert_uint_eq(e->known, 0);
	ck_assert_uint_eq(e->thread, (uint32_t)getpid());
	ck_assert_uint_eq((e->flags & EVENTS_BY_POINTER), 0);
	memset(it.own->proven.threads, 0, sizeof it.own->proven.threads);
	e = hit((uint64_t)pages + 16);
	ck_assert_uint_eq(e->known, 0);
	ck_assert_uint_eq(e->thread, (uint32_t)(arch_thread() >> EVENTS_POINTER_SHIFT));
	ck_assert_uint_eq((e->flags & EVENTS_BY_POINTER), 1);
	/* Nor where threads share theirs. */
	recorder_world_prove((uint32_t)getpid(), UINT64_MAX);
	it.own->cookie = ARCH_COOKIE_SHARED;
	e = hit((uint64_t)pages + 16);
	ck_assert_uint_eq(e->known, 0);
	ck_assert_uint_eq(e->thread + (e->flags & EVENTS_BY_POINTER), 0);
}
END_TEST

/* The stack pointer of an operand is that at the site. */
START_TEST(operands_on_the_stack)
{
	const struct events_entry *e;
	uint64_t value = 0x5566;

	set_up();
	recorder_world_prove((uint32_t)getpid(), 0);
	add_operand((struct events_operand){.what = EVENTS_MEMORY,
		.base = ARCH_STACK_POINTER,
		.index = EVENTS_NO_REGISTER,
		.size = 8});
	/* At the site is what was pushed before the call. */
	__asm__ volatile("lea -128(%%rsp), %%rsp\n push %[value]\n call *%[code]\n"
			 "lea 136(%%rsp), %%rsp\n"
			 :
			 : [code] "a"(it.start), [value] "d"(value)
			 : "memory", "cc");
	e = take(EVENTS_WHOLE);
	if (e->known)
		ck_assert_uint_eq(e->values[0], value);
}
END_TEST

START_TEST(operands_in_vectors)
{
	set_up();
	for (uint8_t i = 0; i < 2; i++)
		add_operand((struct events_operand){
			.what = EVENTS_VECTOR, .base = i ? 15 : 0, .size = i ? 4 : 8});
	__asm__ volatile(
		"lea -128(%%rsp), %%rsp\n movq %[a], %%xmm0\n movq %[b], %%xmm15\n"
		"call *%[code]\n lea 128(%%rsp), %%rsp\n"
		:
		: [code] "S"(it.start), [a] "a"(0x4008000000000000), [b] "d"(0x1122334455667788)
		: "memory", "cc", "xmm0", "xmm15");
	ck_assert_uint_eq(take(EVENTS_WHOLE)->values[0], 0x4008000000000000);
	recorder_world_hit(it.start, 0);
}
END_TEST

static const char *text_of(const struct events_entry *e, size_t *length)
{
	return events_text(&reader, e, 1, length);
}

START_TEST(texts_of_pointers)
{
	char *pages = mmap(
		NULL, (size_t)3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *text;
	size_t length = 0;

	set_up();
	reader.ring = site->ring = EVENTS_WITH_TEXT;
	site->texts = 1;
	add_operand(
		(struct events_operand){.what = EVENTS_REGISTER, .base = 3, .size = 8, .text = 1});
	munmap(pages + 2 * PAGE, PAGE);
	memset(pages, 'p', (size_t)2 * PAGE);
	strcpy(pages, "hello");
	text = text_of(hit((uint64_t)pages), &length);
	ck_assert_uint_eq(length, PROBES_EVENT_TEXT);
	ck_assert_str_eq(text, "hello");
	/* Over the end of a page. */
	text = text_of(hit((uint64_t)pages + PAGE - 3), &length);
	ck_assert_uint_eq(length, PROBES_EVENT_TEXT);
	ck_assert_int_eq(text[PROBES_EVENT_TEXT - 1], 'p');
	/* Over the end of what is mapped. */
	text = text_of(hit((uint64_t)pages + 2 * PAGE - 3), &length);
	ck_assert_uint_eq(length, 3);
	ck_assert_mem_eq(text, "ppp", 3);
	ck_assert_ptr_null(text_of(hit((uint64_t)pages + 2 * PAGE), &length));
	ck_assert_ptr_null(text_of(hit(0), &length));
	ck_assert_ptr_null(text_of(hit(8), &length));
	ck_assert_ptr_null(text_of(hit(UINT64_MAX - 3), &length));
	recorder_world_prove((uint32_t)getpid(), 0);
	ck_assert_ptr_null(text_of(hit((uint64_t)pages), &length));
	/* A record of another ring has none. */
	reader = (struct events_reader){.ring = EVENTS_LONG, .generation = GENERATION};
	site->ring = EVENTS_LONG;
	recorder_world_prove((uint32_t)getpid(), UINT64_MAX);
	ck_assert_ptr_null(text_of(hit((uint64_t)pages), &length));
}
END_TEST

/* The end of the stack that leave_stack runs on; below it, what it left. */
static uint64_t stack_end;
static const struct events_stack *left_stack;

static void *leave_stack(void *unused)
{
	volatile uint64_t local = 0x1122334455667788;
	uint64_t stack;
	bool found = false;

	(void)unused;
	recorder_world_prove((uint32_t)gettid(), UINT64_MAX);
	left_stack = events_stack(&reader, hit(77));
	ck_assert_ptr_nonnull(left_stack);
	stack = left_stack->general[ARCH_STACK_POINTER];
	ck_assert_uint_eq(left_stack->general[3], 77);
	ck_assert_uint_gt((uint64_t)&local, stack);
	for (uint64_t i = 0; i + 8 <= left_stack->length; i += 8)
		found = found || !memcmp(left_stack->bytes + i, (const void *)&local, 8);
	ck_assert(found);
	ck_assert_uint_eq(left_stack->length,
		stack_end - stack < EVENTS_STACK_BYTES ? stack_end - stack : EVENTS_STACK_BYTES);
	return NULL;
}

/* More than a record holds. */
static void deep_stack(void)
{
	volatile char deep[2 * EVENTS_STACK_BYTES];

	deep[0] = deep[sizeof deep - 1] = 1;
	/* clang keeps the two bytes alone, unless somebody may see the rest. */
	__asm__ volatile("" : : "r"(deep) : "memory");
	leave_stack(NULL);
	ck_assert_int_eq(deep[0], 1);
}

/* It ends where the kernel can read no more. */
START_TEST(stacks)
{
	size_t size = (size_t)16 * PAGE;
	char *pages =
		mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile uint64_t mark = 0x1122334455667788;
	uint64_t head, stack, *left;
	pthread_attr_t how;
	pthread_t thread;

	set_up();
	reader.ring = site->ring = EVENTS_WITH_STACK;
	state->chance = UINT64_C(1) << 32;
	state->rings[EVENTS_WITH_STACK].left = 2;
	ck_assert_int_eq(mprotect(pages + size, PAGE, PROT_NONE), 0);
	stack_end = (uint64_t)pages + size;
	ck_assert_int_eq(pthread_attr_init(&how), 0);
	ck_assert_int_eq(pthread_attr_setstack(&how, pages, size), 0);
	ck_assert_int_eq(pthread_create(&thread, &how, leave_stack, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	stack_end = UINT64_MAX;
	deep_stack();
	/* As many as are permitted, */
	head = state->rings[EVENTS_WITH_STACK].head;
	left = &state->rings[EVENTS_WITH_STACK].left;
	*left = 2;
	for (int i = 0; i < 5; i++)
		recorder_world_hit(it.start, 5);
	ck_assert_uint_eq(state->rings[EVENTS_WITH_STACK].head, head + 2);
	/* of those that pass the tests, */
	add_operand((struct events_operand){.what = EVENTS_REGISTER, .base = 3, .size = 8});
	site->tests[0] = (struct events_test){.argument = 1, .compare = PROBES_EQUAL, .number = 5};
	*left = 1;
	state->rings[EVENTS_WITH_STACK].hits = 0;
	recorder_world_hit(it.start, 4);
	recorder_world_hit(it.start, 5);
	ck_assert_uint_eq(state->rings[EVENTS_WITH_STACK].hits, 1);
	ck_assert_uint_eq(state->rings[EVENTS_WITH_STACK].head, head + 3);
	reader.next = head + 2;
	ck_assert_uint_eq(take(EVENTS_WHOLE)->values[0], 5);
	/* drawn from all hits alike. */
	state->chance = UINT64_C(1) << 30;
	*left = 1000000;
	for (int i = 0; i < 4000; i++)
		recorder_world_hit(it.start, 5);
	*left = 1000000 - *left;
	ck_assert_uint_gt(*left, 700);
	ck_assert_uint_lt(*left, 1300);
	state->chance = UINT64_C(1) << 32;
	reader.next = state->rings[EVENTS_WITH_STACK].head;
	/* Without system calls, the page below the stack pointer. */
	*left = 1;
	recorder_world_prove((uint32_t)getpid(), 0);
	recorder_world_hit(it.start, 5);
	left_stack = events_stack(&reader, take(EVENTS_WHOLE));
	stack = left_stack->general[ARCH_STACK_POINTER];
	/* None of it, where the stack pointer is at the start of the next one. */
	ck_assert_uint_eq(left_stack->length, -stack % PAGE);
	if ((uint64_t)&mark - stack + 8 <= left_stack->length)
		ck_assert_mem_eq(
			left_stack->bytes + ((uint64_t)&mark - stack), (const void *)&mark, 8);
}
END_TEST

START_TEST(tests_in_the_process)
{
	static const struct {
		enum probes_compare compare;
		bool less, equal, greater;
	} all[] = {{PROBES_LESS, true, false, false}, {PROBES_EQUAL, false, true, false},
		{PROBES_LESS_EQUAL, true, true, false}, {PROBES_GREATER, false, false, true},
		{PROBES_UNEQUAL, true, false, true}, {PROBES_GREATER_EQUAL, false, true, true}};

	set_up();
	for (int is_signed = 0; is_signed < 2; is_signed++)
		for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
			uint64_t with = is_signed ? (uint64_t)-2 : UINT64_C(1) << 63;
			uint64_t before = state->rings[EVENTS_LONG].head;

			site->arguments = 0;
			add_operand((struct events_operand){
				.what = EVENTS_REGISTER, .base = 3, .size = is_signed ? -8 : 8});
			site->tests[0] = (struct events_test){
				.argument = 1, .compare = (uint8_t)all[i].compare, .number = with};
			for (uint64_t value = with - 1; value != with + 2; value++)
				recorder_world_hit(it.start, value);
			ck_assert_uint_eq(state->rings[EVENTS_LONG].head - before,
				all[i].less + all[i].equal + all[i].greater);
			for (uint64_t value = with - 1; value != with + 2; value++)
				if (value == with      ? all[i].equal
					: value < with ? all[i].less
						       : all[i].greater)
					ck_assert_uint_eq(take(EVENTS_WHOLE)->values[0], value);
		}
	/* All must be true; what is not known is not. */
	site->tests[1] = (struct events_test){
		.argument = 1, .compare = PROBES_LESS, .number = UINT64_C(1) << 63};
	recorder_world_hit(it.start, 0);
	site->tests[1].argument = 2;
	recorder_world_hit(it.start, 0);
	ck_assert_uint_eq(events_range(&reader, state->rings[EVENTS_LONG].head), 0);
}
END_TEST

static size_t written; /* threads that are done */

static void *write_many(void *count)
{
	for (uint64_t i = 1; i <= (size_t)count; i++)
		recorder_world_hit(it.start, i);
	__atomic_add_fetch(&written, 1, __ATOMIC_RELEASE);
	return NULL;
}

static uint64_t last[THREADS_MOST]; /* value of each thread */

/* Read what is there. check: no value is of another event, and each thread's are in order. */
static void read_some(bool check, bool give_up)
{
	size_t size = events_shapes[reader.ring].size;

	for (size_t n = events_range(&reader, state->rings[reader.ring].head); n; n--) {
		const struct events_entry *from =
			(const struct events_entry *)((const char *)state +
						      events_at(&reader, reader.next));
		union {
			struct events_entry record;
			unsigned char bytes[EVENTS_STACK_SIZE];
		} copy;
		enum events_found found;

		memcpy(copy.bytes, from, size);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		found = events_take(&reader, &copy.record,
			__atomic_load_n(&from->mark, __ATOMIC_ACQUIRE), give_up);
		if (found == EVENTS_WAITING)
			return;
		if (found != EVENTS_WHOLE || !check)
			continue;
		ck_assert_uint_eq(copy.record.values[1], 77);
		ck_assert_uint_eq(copy.record.values[0], copy.record.values[2]);
		ck_assert_uint_gt(copy.record.values[0], last[copy.record.thread % THREADS_MOST]);
		last[copy.record.thread % THREADS_MOST] = copy.record.values[0];
	}
}

static void set_up_three(enum events_ring ring)
{
	set_up();
	written = 0;
	memset(last, 0, sizeof last);
	reader.ring = site->ring = ring;
	add_operand((struct events_operand){.what = EVENTS_REGISTER, .base = 3, .size = 8});
	add_operand((struct events_operand){.what = EVENTS_CONSTANT, .value = 77, .size = 8});
	add_operand((struct events_operand){.what = EVENTS_REGISTER, .base = 3, .size = 8});
}

/* Whatever is lost is counted; what is there is whole. */
START_TEST(threads_write)
{
	static const size_t counts[] = {1, 2, 16};
	size_t count = counts[_i % 3], each = 200000 / count;
	pthread_t all[16];

	set_up_three(_i < 3 ? EVENTS_SHORT : EVENTS_WITH_TEXT);
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(pthread_create(&all[i], NULL, write_many, (void *)each), 0);
	while (__atomic_load_n(&written, __ATOMIC_ACQUIRE) < count)
		read_some(true, false);
	for (size_t i = 0; i < count; i++)
		pthread_join(all[i], NULL);
	/* One that found its record being filled has left it, and nobody fills it any more. */
	read_some(true, true);
	ck_assert_uint_eq(reader.got + reader.lost, count * each);
	ck_assert_uint_eq(state->rings[reader.ring].head, count * each);
}
END_TEST

static volatile uint64_t alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
	recorder_world_hit(it.end, 1);
}

START_TEST(handler_writes_inside)
{
	struct itimerval often = {{0, 50}, {0, 50}}, never = {0};

	set_up_three(EVENTS_SHORT);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	for (uint64_t i = 0; alarms < 2000 && i < 100000000; i += 1000) {
		write_many((void *)1000);
		read_some(false, false);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	read_some(false, false);
	ck_assert_uint_eq(reader.got, state->rings[EVENTS_SHORT].head);
	ck_assert_uint_ge(alarms, 100);
	ck_assert_uint_eq(reader.lost, 0);
}
END_TEST

START_TEST(what_is_overwritten_is_lost)
{
	set_up_three(EVENTS_LONG);
	write_many((void *)(size_t)(EVENTS_LONG_RECORDS + 10));
	ck_assert_uint_eq(
		events_range(&reader, state->rings[EVENTS_LONG].head), EVENTS_LONG_RECORDS);
	ck_assert_uint_eq(reader.lost, 10);
	ck_assert_uint_eq(take(EVENTS_WHOLE)->values[0], 11);
	/* One is overwritten after the head was read. */
	recorder_world_hit(it.start, 1);
	recorder_world_hit(it.start, 2);
	reader.lost = 0;
	reader.next--;
	{
		const struct events_entry *from =
			(const struct events_entry *)((const char *)state +
						      events_at(&reader, reader.next));

		ck_assert_int_eq(events_take(&reader, from, from->mark, false), EVENTS_LOST);
	}
	ck_assert_uint_eq(reader.lost, 1);
	ck_assert_uint_eq(reader.unfinished, 0);
	/* One is overwritten after it was copied. */
	ck_assert_int_eq(
		events_take(&reader,
			&(struct events_entry){
				.mark = 2 * reader.next + 2, .generation = GENERATION},
			EVENTS_CLAIM(0, PAGE, reader.next / EVENTS_LONG_RECORDS + 1), false),
		EVENTS_LOST);
	ck_assert_uint_eq(reader.unfinished, 0);
}
END_TEST

/* A thread that is interrupted in the middle, or dies there, costs its event, and no other. */
START_TEST(record_that_is_never_filled)
{
	struct events_entry *first;

	set_up_three(EVENTS_LONG);
	first = (struct events_entry *)state->long_ring;
	/* Number EVENTS_LONG_RECORDS is being filled. */
	first->mark = EVENTS_CLAIM(0, PAGE, 1);
	write_many((void *)3);
	(void)take(EVENTS_LOST); /* it was left to that one */
	ck_assert_uint_eq(take(EVENTS_WHOLE)->values[0], 2);
	ck_assert_uint_eq(take(EVENTS_WHOLE)->values[0], 3);
	ck_assert_uint_eq(first->mark, EVENTS_CLAIM(0, PAGE, 1));
	reader.next = EVENTS_LONG_RECORDS;
	state->rings[EVENTS_LONG].head = reader.next + 1;
	(void)take(EVENTS_WAITING);
	(void)take(EVENTS_WAITING);
	ck_assert_int_eq(events_take(&reader, first, first->mark, true), EVENTS_LOST);
	ck_assert_uint_eq(reader.unfinished, 1);
	/* Those of later rounds have left it to that one: there is nothing to wait for. */
	state->rings[EVENTS_LONG].head = 2 * EVENTS_LONG_RECORDS;
	reader.next = 2 * EVENTS_LONG_RECORDS;
	recorder_world_hit(it.start, 9);
	(void)take(EVENTS_LOST);
	ck_assert_uint_eq(reader.unfinished, 2);
	/* One that read its number long ago does not overwrite a later event. */
	state->rings[EVENTS_LONG].head = EVENTS_LONG_RECORDS + 1;
	recorder_world_hit(it.start, 10);
	state->rings[EVENTS_LONG].head = 1;
	recorder_world_hit(it.start, 11);
	state->rings[EVENTS_LONG].head = EVENTS_LONG_RECORDS + 2;
	reader.next = EVENTS_LONG_RECORDS + 1;
	ck_assert_uint_eq(take(EVENTS_WHOLE)->values[0], 10);
}
END_TEST

#define FIVE_VALUES (sizeof(struct events_entry) + 5 * sizeof(uint64_t))

static sigjmp_buf out;

static void leave(int number)
{
	siglongjmp(out, number);
}

static struct events_entry *long_record(uint64_t number)
{
	return (struct events_entry *)(state->long_ring +
				       (number & (EVENTS_LONG_RECORDS - 1)) * EVENTS_LONG_SIZE);
}

/* A number whose record lies in two pages: where values are stored, a hit can be made to fault. */
static uint64_t number_of_two_pages(void)
{
	uint64_t number = 0;

	while (number < EVENTS_LONG_RECORDS &&
		(uint64_t)long_record(number) % PAGE + FIVE_VALUES <= PAGE)
		number++;
	ck_assert_uint_lt(number, EVENTS_LONG_RECORDS);
	return number;
}

/* Hits from now on fault in the middle of this record; or no longer. */
static void forbid(uint64_t number, bool forbidden)
{
	uint64_t page = ((uint64_t)long_record(number) + FIVE_VALUES - 1) / PAGE * PAGE;

	ck_assert_int_eq(
		mprotect((void *)page, PAGE, forbidden ? PROT_NONE : PROT_READ | PROT_WRITE), 0);
}

/* The hit of this number and round, of five values. */
static void hit_of(uint64_t number, unsigned round, uint64_t rbx)
{
	state->rings[EVENTS_LONG].head = number + round * EVENTS_LONG_RECORDS;
	reader.next = state->rings[EVENTS_LONG].head;
	recorder_world_hit(it.start, rbx);
}

__attribute__((noinline)) static void hit_deeper(uint64_t number, unsigned round)
{
	uint64_t room[PAGE / sizeof(uint64_t)] = {1};

	/* No compiler may leave out what it is told that others read. */
	__asm__ volatile("" : : "r"(room) : "memory");
	hit_of(number, round, room[0]);
	__asm__ volatile("" : : "r"(room) : "memory");
}

static void set_up_five(void)
{
	set_up_three(EVENTS_LONG);
	add_operand((struct events_operand){.what = EVENTS_CONSTANT, .value = 4, .size = 8});
	add_operand((struct events_operand){.what = EVENTS_CONSTANT, .value = 5, .size = 8});
}

/*
 * Who left its record by longjmp gets it back at a hit whose frame lies there; a hit elsewhere on
 * the stack, as of a handler that interrupts the first one, does not, nor does another process.
 */
START_TEST(record_that_was_left)
{
	uint64_t number, claim;
	pid_t child;

	set_up_five();
	number = number_of_two_pages();
	signal(SIGSEGV, leave);
	forbid(number, true);
	if (!sigsetjmp(out, 1))
		hit_of(number, 0, 1);
	forbid(number, false);
	claim = long_record(number)->mark;
	ck_assert_uint_eq(claim & 1, 1);
	ck_assert_uint_eq(EVENTS_CLAIM_PROCESS(claim), 0);
	ck_assert_uint_eq(EVENTS_CLAIM_ROUND(claim), 0);
	(void)take(EVENTS_WAITING);
	hit_deeper(number, 1);
	ck_assert_uint_eq(long_record(number)->mark, claim);
	(void)take(EVENTS_LOST);
	child = fork();
	if (child == 0) {
		hit_of(number, 2, 1);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_uint_eq(long_record(number)->mark, claim);
	hit_of(number, 3, 33);
	ck_assert_uint_eq(take(EVENTS_WHOLE)->values[0], 33);
}
END_TEST

/*
 * Has a process forked since then whose memory we may not read, such as another user's? It could be
 * a child of ours.
 */
static bool doubtful(uint64_t since)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	ck_assert_ptr_nonnull(proc);
	while (!found && (entry = readdir(proc))) {
		struct procfs_stat stat;
		char file[300];
		int fd;

		if (!isdigit((unsigned char)*entry->d_name) ||
			procfs_stat(AT_FDCWD, &stat, "/proc/%s/stat", entry->d_name) < 0 ||
			!(stat.flags & PROCFS_FORKED) || stat.start_time < since)
			continue;
		snprintf(file, sizeof file, "/proc/%s/mem", entry->d_name);
		fd = open(file, O_RDONLY | O_CLOEXEC);
		found = fd < 0;
		if (fd >= 0)
			close(fd);
	}
	closedir(proc);
	return found;
}

/* A record that a child left when it was killed is freed once the child has gone. */
START_TEST(record_of_a_killed_child)
{
	struct events ev = {.copy = malloc((size_t)EVENTS_LONG_SIZE * EVENTS_LONG_RECORDS)};
	struct probes_session s = {.process = NULL};
	struct procfs_stat self;
	uint64_t number, claim;
	int ends[2], proc;
	pid_t child;

	set_up_five();
	number = number_of_two_pages();
	ck_assert_int_eq(pipe(ends), 0);
	forbid(number, true);
	child = fork();
	if (child == 0) {
		signal(SIGSEGV, leave);
		if (!sigsetjmp(out, 1))
			hit_of(number, 0, 1);
		ck_assert_int_eq(write(ends[1], "", 1), 1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ends[0], &(char){0}, 1), 1);
	forbid(number, false);
	claim = long_record(number)->mark;
	ck_assert_uint_eq(EVENTS_CLAIM_PROCESS(claim), 1);
	ck_assert_int_eq(procfs_stat(AT_FDCWD, &self, "/proc/self/stat"), 0);
	s.who.start_time = self.start_time;
	proc = open("/proc/self", O_PATH | O_CLOEXEC);
	memory_open(&s.memory, proc, getpid(), true);
	s.arenas = ARRAY_OF(struct arena);
	*(struct arena *)array_add(&s.arenas) =
		(struct arena){.data = (uint64_t)it.own + TACTICS_OWN_BYTES,
			.data_size = TACTICS_STATE_BYTES,
			.file_size = TACTICS_STATE_BYTES,
			.file = (unsigned char *)it.state};
	ev.arenas = ARRAY_OF(struct events_arena);
	*(struct events_arena *)array_add(&ev.arenas) =
		(struct events_arena){.rings = 1u << EVENTS_LONG};
	/* It lives. */
	events_left_note(&ev, claim);
	ck_assert(ev.left);
	events_left_free(&s, &ev, 1);
	ck_assert_uint_eq(long_record(number)->mark, claim);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	events_left_note(&ev, claim);
	events_left_free(&s, &ev, 2); /* too early */
	ck_assert_uint_eq(long_record(number)->mark, claim);
	for (int64_t i = 1; i < 1000 && long_record(number)->mark == claim; i++) {
		bool doubt = doubtful(self.start_time);

		events_left_note(&ev, claim);
		events_left_free(&s, &ev, 1000000000 * i);
		doubt = doubt || doubtful(self.start_time);
		ck_assert(doubt || long_record(number)->mark == EVENTS_FREED(number));
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	/* Otherwise somebody has left one beside us all the while: it stays claimed. */
	if (long_record(number)->mark == EVENTS_FREED(number)) {
		state->rings[EVENTS_LONG].head = number + 1;
		reader.next = number;
		(void)take(EVENTS_LOST);
		ck_assert_uint_eq(reader.unfinished, 1);
		hit_of(number, 1, 33);
		ck_assert_uint_eq(take(EVENTS_WHOLE)->values[0], 33);
	}
	memory_close(&s.memory);
	close(proc);
	array_done(&s.arenas);
	array_done(&ev.arenas);
	free(ev.copy);
}
END_TEST

static pid_t forked;

static void fork_inside(int number)
{
	(void)number;
	mprotect((void *)((uint64_t)site / PAGE * PAGE), PAGE, PROT_READ | PROT_WRITE);
	forked = fork();
}

/* A handler forks before the record is claimed: the copy writes nothing in its parent's name. */
START_TEST(copy_of_a_writer)
{
	size_t whole = 0, claimed = 0;

	set_up_three(EVENTS_LONG);
	signal(SIGSEGV, fork_inside);
	mprotect((void *)((uint64_t)site / PAGE * PAGE), PAGE, PROT_NONE);
	recorder_world_hit(it.start, 7);
	if (forked == 0)
		_exit(0);
	ck_assert_int_gt(forked, 0);
	ck_assert_int_eq(waitpid(forked, NULL, 0), forked);
	ck_assert_uint_eq(state->rings[EVENTS_LONG].head, 2);
	for (size_t i = 0; i < 2; i++) {
		uint64_t mark = long_record(i)->mark;

		whole += mark == 2 * i + 2;
		claimed += mark & 1 && !EVENTS_CLAIM_PROCESS(mark);
	}
	ck_assert_uint_eq(whole, 1);
	ck_assert_uint_eq(claimed, 1);
}
END_TEST

/* Who waits for a dead thread while others fill the ring loses what they keep. */
START_TEST(crowded_ring_waits_for_nobody)
{
	set_up_three(EVENTS_LONG);
	/* Number 0 is being filled. */
	((struct events_entry *)state->long_ring)->mark = EVENTS_CLAIM(0, PAGE, 0);
	state->rings[EVENTS_LONG].head = 1;
	write_many((void *)(uintptr_t)(EVENTS_LONG_RECORDS / 2 - 1));
	(void)take(EVENTS_WAITING);
	write_many((void *)1);
	(void)take(EVENTS_LOST);
	ck_assert_uint_eq(take(EVENTS_WHOLE)->values[0], 1);
	ck_assert_uint_eq(reader.lost, 1);
	ck_assert_uint_eq(reader.unfinished, 1);
}
END_TEST

/* What a thread writes that began in an earlier session is none of ours. */
START_TEST(event_of_an_earlier_session)
{
	set_up_three(EVENTS_SHORT);
	it.roles[1]->key.value = EVENTS_ROLE(GENERATION - 1, 3);
	recorder_world_hit(it.end, 1);
	recorder_world_hit(it.start, 2);
	(void)take(EVENTS_OTHER);
	ck_assert_uint_eq(take(EVENTS_WHOLE)->values[0], 2);
	ck_assert_uint_eq(reader.got, 1);
	ck_assert_uint_eq(reader.lost, 0);
}
END_TEST

/* A forked child makes no system call until something is proven of itself. */
START_TEST(events_of_children)
{
	static const uint64_t there = 5;
	int status;

	set_up();
	add_operand((struct events_operand){.what = EVENTS_MEMORY,
		.base = EVENTS_NO_REGISTER,
		.index = EVENTS_NO_REGISTER,
		.size = 8,
		.value = (uint64_t)&there});
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			recorder_world_hit(it.start, 0);
			if (i)
				recorder_world_prove((uint32_t)getpid(), UINT64_MAX);
			recorder_world_hit(it.start, 0);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
		for (int k = 0; k < 2; k++) {
			const struct events_entry *e = take(EVENTS_WHOLE);

			ck_assert_uint_eq(e->process, (uint16_t)(i + 1));
			ck_assert_uint_eq(e->thread, (uint32_t)pid);
			ck_assert_uint_eq(e->known, i && k);
		}
	}
	ck_assert_uint_eq(hit(0)->known, 1);
}
END_TEST

/* The C library does not know of such a fork: what it keeps for the thread is its parent's. */
START_TEST(events_of_a_child_by_clone)
{
	const struct events_entry *e;
	long pid;

	set_up();
	pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0) {
		recorder_world_hit(it.start, 0);
		syscall(SYS_exit, 0);
	}
	ck_assert_int_eq(waitpid((pid_t)pid, NULL, 0), pid);
	e = take(EVENTS_WHOLE);
	ck_assert_uint_eq(e->process, 1);
	ck_assert_uint_eq((e->flags & EVENTS_BY_POINTER), 1);
	ck_assert_uint_eq(e->thread, (uint32_t)(arch_thread() >> EVENTS_POINTER_SHIFT));
}
END_TEST

/* The stack ends at the stack pointer: the page behind is another one. */
START_TEST(end_of_a_stack)
{
	uint8_t *stack = mmap(
		NULL, (size_t)5 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	set_up();
	ck_assert_ptr_ne(stack, MAP_FAILED);
	munmap(stack + 4 * PAGE, PAGE);
	site->ring = EVENTS_WITH_STACK;
	add_operand((struct events_operand){.what = EVENTS_MEMORY,
		.base = ARCH_STACK_POINTER,
		.index = EVENTS_NO_REGISTER,
		.size = 8});
	for (int calls = 0; calls < 2; calls++) {
		const struct events_entry *e;

		state->chance = UINT64_C(1) << 32;
		state->rings[EVENTS_WITH_STACK].left = 1;
		reader.ring = EVENTS_WITH_STACK;
		recorder_world_prove((uint32_t)getpid(), calls ? UINT64_MAX : 0);
		__asm__ volatile("mov %%rsp, %%rbx\n mov %[end], %%rsp\n call *%[code]\n"
				 "mov %%rbx, %%rsp\n"
				 :
				 : [code] "r"(it.start), [end] "r"(stack + 4 * PAGE)
				 : "memory", "cc", "rbx");
		e = take(EVENTS_WHOLE);
		ck_assert_uint_eq(e->known, 0);
		ck_assert_uint_eq(events_stack(&reader, e)->length, 0);
	}
	munmap(stack, (size_t)4 * PAGE);
}
END_TEST

/* Numbers of children are not used again: those that have none of their own may make no calls. */
START_TEST(events_of_very_many_children)
{
	set_up();
	it.state->children = EVENTS_CHILDREN - 2;
	for (int i = 0; i < 3; i++) {
		if (fork() == 0) {
			recorder_world_hit(it.start, 0);
			_exit(0);
		}
		wait(NULL);
		ck_assert_uint_eq(take(EVENTS_WHOLE)->process, EVENTS_CHILDREN - 1);
	}
}
END_TEST

/* ---- any content ---- */

static uint64_t seed = RANDOM_SEED;

START_TEST(tables_with_any_content)
{
	set_up();
	for (int round = 0; round < 20000; round++) {
		unsigned char *bytes = (unsigned char *)site;

		for (size_t i = 0; i < sizeof *site; i++)
			bytes[i] = (unsigned char)(random_next(&seed) >> 24);
		if (round % 2) {
			site->ring %= EVENTS_RINGS;
			for (size_t i = 0; i < PROBES_EVENT_ARGUMENTS; i++)
				site->operands[i].what %= 6;
		}
		memset(site->tests, 0, sizeof site->tests);
		state->rings[round % EVENTS_RINGS].head = random_next(&seed);
		it.own->proven.threads[round % RECORDER_THREADS].tid = (uint32_t)random_next(&seed);
		recorder_world_hit(it.start, random_next(&seed));
	}
}
END_TEST

START_TEST(rings_with_any_content)
{
	static union {
		struct events_entry record;
		unsigned char bytes[EVENTS_STACK_SIZE];
	} copy;

	for (int round = 0; round < 20000; round++) {
		struct events_reader r = {.ring = (enum events_ring)(round % EVENTS_RINGS),
			.next = random_next(&seed) >> round % 64};
		uint64_t head = random_next(&seed) >> round % 64, before = r.next;
		size_t n = events_range(&r, head), length = 0;
		const char *text;

		ck_assert_uint_le(n, events_shapes[r.ring].records);
		ck_assert_uint_eq(r.next + n, head);
		ck_assert(r.lost <= head || head < before);
		for (size_t i = 0; i < sizeof copy.bytes; i++)
			copy.bytes[i] = (unsigned char)(random_next(&seed) >> 24);
		if (round % 4 == 0)
			copy.record.mark = 2 * r.next + 2;
		ck_assert_uint_lt(events_at(&r, r.next), sizeof *state);
		(void)events_take(&r, &copy.record, copy.record.mark, round % 2);
		for (unsigned i = 0; i < 9; i++) {
			text = events_text(&r, &copy.record, i, &length);
			ck_assert(!text ||
				  (length && length <= PROBES_EVENT_TEXT &&
					  text + length <= (char *)copy.bytes + sizeof copy));
		}
	}
}
END_TEST

/* ---- several processes ---- */

static bool count_event(void *data, const struct probes_event *event)
{
	(void)event;
	++*(int *)data;
	return true;
}

/* What is delivered of one process in a round; all of them, if it is the last one. */
static int delivered(struct session_world *x, bool all)
{
	struct probes_error e;
	int count = 0;

	ck_assert_int_eq(probes_events_read(&x->s, all, count_event, &count, &e), 0);
	return count;
}

static void happens(struct events *ev)
{
	struct events_entry record = {.arguments = 0};

	ck_assert_ptr_nonnull(array_add(&ev->pending));
	*ARRAY_AT(&ev->pending, struct events_pending, ev->pending.count - 1) =
		(struct events_pending){.ticks = probes_events_clock(), .ring = EVENTS_SHORT};
	ev->bytes.count = 0;
	ck_assert(array_reserve(&ev->bytes, EVENTS_SHORT_SIZE));
	ev->bytes.count = EVENTS_SHORT_SIZE;
	memcpy(ev->bytes.data, &record, sizeof record);
}

/*
 * Processes are read one after the other: an event of one that is read late in a round waits until
 * those that are read early have delivered what is older.
 */
START_TEST(rounds_of_several_processes)
{
	struct session_world x;
	struct events_arena *w;
	struct events *ev = calloc(1, sizeof *ev);

	session_begin(&x, "");
	ev->arenas = ARRAY_OF(struct events_arena);
	ev->pending = ARRAY_OF(struct events_pending);
	ev->bytes = ARRAY_OF(char);
	ev->threads = ARRAY_OF(struct events_thread);
	ev->children = ARRAY_OF(struct events_child);
	/* The thread of all: it was looked up, and is not again. */
	*(struct events_thread *)array_add(&ev->threads) =
		(struct events_thread){.looked = INT64_MAX};
	w = array_add(&ev->arenas);
	*w = (struct events_arena){0};
	w->sites = ARRAY_OF(struct events_where);
	*(struct events_where *)array_add(&w->sites) = (struct events_where){0};
	x.s.events = ev;
	/* One process alone: what is older than the last reading. */
	happens(ev);
	ck_assert_int_eq(delivered(&x, false), 0);
	ck_assert_int_eq(delivered(&x, false), 1);
	probes_events_round(&x.s, probes_events_clock());
	happens(ev);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(delivered(&x, false), 0);
	/* What this round delivers is older than the last one. */
	probes_events_round(&x.s, probes_events_clock());
	ck_assert_int_eq(delivered(&x, false), 0);
	probes_events_round(&x.s, probes_events_clock());
	ck_assert_int_eq(delivered(&x, false), 1);
	happens(ev);
	ck_assert_int_eq(delivered(&x, true), 1);
	x.s.events = NULL;
	events_free(ev);
	session_end(&x);
}
END_TEST

/* A permission that ran out before it was renewed: this is no fault of the thread. */
START_TEST(renewed_too_late)
{
	struct probes_session s = {.distinct = true};
	struct events ev = {.ns_per_tick = 1};
	uint64_t before = probes_events_clock();

	events_thread_permit(&s, &ev, 1);
	ck_assert_uint_gt(ev.calls_until, before);
	ck_assert(!events_thread_late(&ev, before));
	ev.calls_until = before;
	events_thread_permit(&s, &ev, 1000000000);
	ck_assert(!events_thread_late(&ev, before - 1));
	ck_assert(events_thread_late(&ev, before));
	ck_assert(!events_thread_late(&ev, probes_events_clock()));
}
END_TEST

Suite *events_suite(void)
{
	Suite *s = suite_create("events");
	TCase *c = tcase_create("events");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, operands_of_all_kinds);
	tcase_add_test(c, operands_in_memory);
	tcase_add_test(c, operands_on_the_stack);
	tcase_add_test(c, operands_in_vectors);
	tcase_add_test(c, texts_of_pointers);
	tcase_add_test(c, stacks);
	tcase_add_test(c, tests_in_the_process);
	tcase_add_loop_test(c, threads_write, 0, 6);
	tcase_add_test(c, handler_writes_inside);
	tcase_add_test(c, what_is_overwritten_is_lost);
	tcase_add_test(c, record_that_is_never_filled);
	tcase_add_test(c, record_that_was_left);
	tcase_add_test(c, renewed_too_late);
	tcase_add_test(c, record_of_a_killed_child);
	tcase_add_test(c, copy_of_a_writer);
	tcase_add_test(c, crowded_ring_waits_for_nobody);
	tcase_add_test(c, event_of_an_earlier_session);
	tcase_add_test(c, events_of_children);
	tcase_add_test(c, events_of_a_child_by_clone);
	tcase_add_test(c, end_of_a_stack);
	tcase_add_test(c, events_of_very_many_children);
	tcase_add_test(c, tables_with_any_content);
	tcase_add_test(c, rings_with_any_content);
	tcase_add_test(c, rounds_of_several_processes);
	suite_add_tcase(s, c);
	return s;
}
