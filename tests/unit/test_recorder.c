/*
 * Covers the recorder by execution of a copy of its code behind trampolines: durations compared
 * with ticks read around them; threads, forked children, nested starts, frames that are left, keys,
 * full tables, a signal handler that hits the same pair; that the copy refers to nothing outside,
 * and that registers, flags and the red zone are kept.
 * Does not cover: how it gets into another process (e2e/cli-latency.sh).
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#endif

#include "arch/inline.h"
#include "count/recorder.h"
#include "random.h"
#include "recorder_world.h"
#include "suites.h"

#define PAIRS 100000

#define it recorder_world

static void set_up_by(struct recorder_role by)
{
	recorder_world_open(by);
}

static void set_up(void)
{
	set_up_by((struct recorder_role){0});
}

static struct recorder_sum read_sum(void)
{
	struct recorder_sum sum;

	recorder_read(it.state, it.roles[0]->key.what != EVENTS_UNREADABLE, &sum);
	return sum;
}

static size_t bucket_of(uint64_t value)
{
	size_t i = 0;

	while (i + 1 < RECORDER_BUCKETS && recorder_from(i + 1) <= value)
		i++;
	return i;
}

START_TEST(buckets)
{
	ck_assert_uint_eq(recorder_from(0), 0);
	for (size_t i = 0; i + 1 < RECORDER_BUCKETS; i++) {
		uint64_t width = recorder_from(i + 1) - recorder_from(i);

		ck_assert_uint_gt(width, 0);
		ck_assert(i < 8 || width * 8 <= recorder_from(i));
	}
	ck_assert_uint_eq(recorder_from(8 * 7), 8 << 6);
}
END_TEST

/* Every duration lies between the ticks inside the pair and those around it. */
START_TEST(durations)
{
	uint64_t least = UINT64_MAX, most = 0, inner = 0, outer = 0;
	struct recorder_sum before, after;

	set_up();
	before = read_sum();
	ck_assert_uint_eq(before.least, UINT64_MAX);
	for (int i = 0; i < 2000; i++) {
		uint64_t t0 = arch_now(), t1, t2, t3;
		size_t bucket = 0;

		it.start();
		t1 = arch_now();
		for (volatile int spin = (1 << i % 12); spin > 0; spin--)
			;
		t2 = arch_now();
		it.end();
		t3 = arch_now();
		after = read_sum();
		ck_assert_uint_eq(after.matched, before.matched + 1);
		ck_assert_uint_ge(after.sum - before.sum, t2 - t1);
		ck_assert_uint_le(after.sum - before.sum, t3 - t0);
		while (after.buckets[bucket] == before.buckets[bucket])
			bucket++;
		ck_assert_uint_eq(bucket, bucket_of(after.sum - before.sum));
		if (after.sum - before.sum < least)
			least = after.sum - before.sum;
		if (after.sum - before.sum > most)
			most = after.sum - before.sum;
		inner += t2 - t1;
		outer += t3 - t0;
		before = after;
	}
	ck_assert_uint_ge(after.sum, inner);
	ck_assert_uint_le(after.sum, outer);
	ck_assert_uint_eq(after.least, least);
	ck_assert_uint_eq(after.most, most);
	ck_assert_uint_eq(
		after.open + after.nested + after.restarted + after.unstarted + after.lost, 0);
	it.state->epoch++;
	ck_assert_uint_eq(read_sum().least, UINT64_MAX);
	it.start();
	it.end();
	ck_assert_uint_lt(read_sum().most, read_sum().sum);
}
END_TEST

/* The multiplier makes ns of ticks; hours go to the last bucket. */
START_TEST(scale)
{
	static const struct {
		uint64_t multiplier, ns; /* of 2^20 ticks ago */
	} cases[] = {{UINT64_C(1) << 31, 1 << 19}, {UINT64_C(1) << 30, 1 << 18},
		{UINT64_C(1) << 62, UINT64_C(1) << 50}};

	set_up();
	it.state->multiplier = cases[_i].multiplier;
	it.start();
	for (size_t i = 0; i < RECORDER_SLOTS; i++)
		if (it.state->slots[i].owner) {
			it.state->slots[i].begun.ticks = arch_now() - (1 << 20);
			break;
		}
	it.end();
	for (size_t i = 0; i < RECORDER_BUCKETS; i++)
		if (read_sum().buckets[i]) {
			ck_assert_uint_ge(i, bucket_of(cases[_i].ns));
			ck_assert_uint_le(i, bucket_of(cases[_i].ns + (cases[_i].ns >> 3)));
		}
	ck_assert_uint_eq(read_sum().matched, 1);
}
END_TEST

static void *run_pairs(void *pairs)
{
	for (size_t i = 0; i < (size_t)pairs; i++) {
		it.start();
		it.end();
	}
	return NULL;
}

START_TEST(threads)
{
	static const size_t counts[] = {1, 4, 64};
	size_t count = counts[_i];
	pthread_t all[64];

	set_up();
	/* Twice: threads of the second round have thread pointers of the first. */
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < count; i++)
			ck_assert_int_eq(
				pthread_create(&all[i], NULL, run_pairs, (void *)(PAIRS / count)),
				0);
		for (size_t i = 0; i < count; i++)
			pthread_join(all[i], NULL);
	}
	ck_assert_uint_eq(read_sum().matched, PAIRS / count * count * 2);
	ck_assert_uint_eq(read_sum().open + read_sum().unstarted + read_sum().lost, 0);
}
END_TEST

/* Children have the thread pointer of their parent, and an open start of its. */
START_TEST(children_by_fork)
{
	pid_t pids[8];
	int status;

	set_up();
	it.start();
	for (int i = 0; i < 8; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			it.end(); /* its parent's */
			run_pairs((void *)PAIRS);
			if (i % 2 && fork() == 0)
				run_pairs((void *)1000);
			else if (i % 2)
				wait(NULL);
			_exit(0);
		}
	}
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
	ck_assert_uint_eq(read_sum().open, 1);
	it.end();
	ck_assert_uint_eq(read_sum().matched, 8 * PAIRS + 4 * 1000 + 1);
	ck_assert_uint_eq(read_sum().unstarted, 8);
	ck_assert_uint_eq(read_sum().open + read_sum().restarted + read_sum().nested, 0);
}
END_TEST

__attribute__((noinline)) static void deeper(void (*run)(void))
{
	volatile char room[256] = {0};

	run();
	(void)room[1];
}

/* In the frame of its caller: a start below an open one is nested. */
static inline __attribute__((always_inline)) void pair(void)
{
	it.start();
	it.end();
}

START_TEST(nested)
{
	set_up();
	it.start();
	deeper(pair);
	deeper(pair);
	ck_assert_uint_eq(read_sum().matched, 0);
	it.end();
	ck_assert_uint_eq(read_sum().matched, 1);
	ck_assert_uint_eq(read_sum().nested, 2);
	it.end();
	ck_assert_uint_eq(read_sum().unstarted, 1);
	ck_assert_uint_eq(read_sum().open + read_sum().restarted, 0);
}
END_TEST

static jmp_buf back;

static void leave(void)
{
	it.start();
	longjmp(back, 1);
}

/* A frame with an open start is left: the next start says so, and is measured. */
START_TEST(frame_is_left)
{
	set_up();
	for (volatile int i = 0; i < 10; i++)
		if (!setjmp(back))
			deeper(leave);
	ck_assert_uint_eq(read_sum().restarted, 9);
	ck_assert_uint_eq(read_sum().open, 1);
	/* The same inside a measured one: its own pair is lost, and no other. */
	it.start();
	ck_assert_uint_eq(read_sum().restarted, 10);
	if (!setjmp(back))
		deeper(leave);
	it.end();
	ck_assert_uint_eq(read_sum().matched, 0);
	ck_assert_uint_eq(read_sum().nested, 1);
	for (int i = 0; i < 10; i++)
		pair();
	ck_assert_uint_eq(read_sum().restarted, 11);
	ck_assert_uint_eq(read_sum().matched, 10);
}
END_TEST

static void *die_open(void *unused)
{
	recorder_world_prove((uint32_t)gettid(), 0);
	it.start();
	return unused;
}

START_TEST(threads_that_die)
{
	pthread_t thread;

	set_up();
	for (int i = 0; i < 100; i++) {
		ck_assert_int_eq(pthread_create(&thread, NULL, die_open, NULL), 0);
		pthread_join(thread, NULL);
	}
	/* One takes the stack of the other, and its thread pointer. */
	ck_assert_uint_eq(read_sum().open + read_sum().restarted, 100);
	ck_assert_uint_eq(read_sum().nested + read_sum().matched, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, run_pairs, (void *)10), 0);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(read_sum().matched, 10);
}
END_TEST

/* Threads without a slot share one, and keep their starts in the table; as threads with a slot. */
START_TEST(slots_are_full)
{
	pthread_t all[64];
	size_t before;

	set_up();
	for (size_t i = 0; i < RECORDER_SLOTS; i++)
		it.state->slots[i].owner = 1;
	pair();
	it.start();
	deeper(pair);
	it.start();
	it.end();
	it.end();
	ck_assert_uint_eq(read_sum().matched, 2);
	ck_assert_uint_eq(read_sum().nested, 1);
	ck_assert_uint_eq(read_sum().restarted, 1);
	ck_assert_uint_eq(read_sum().unstarted, 1);
	ck_assert_uint_eq(read_sum().lost + read_sum().open, 0);
	before = read_sum().matched;
	for (size_t i = 0; i < 64; i++)
		ck_assert_int_eq(pthread_create(&all[i], NULL, run_pairs, (void *)(PAIRS / 64)), 0);
	for (size_t i = 0; i < 64; i++)
		pthread_join(all[i], NULL);
	ck_assert_uint_eq(read_sum().matched - before, PAIRS / 64 * 64);
	ck_assert_uint_eq(read_sum().unstarted, 1);
	ck_assert_uint_eq(read_sum().lost + read_sum().open, 0);
	/* So is the table. */
	for (size_t i = 0; i < RECORDER_OPENS; i++)
		it.state->opens[i].key = 1;
	it.start();
	ck_assert_uint_eq(read_sum().lost, 1);
}
END_TEST

/* Each child has a number, of which the hash of its slot must know. */
START_TEST(very_many_children)
{
#ifdef __SANITIZE_ADDRESS__
	enum { CHILDREN = 200 }; /* the process is large, since all suites share it */
#else
	enum { CHILDREN = 1000 };
#endif
	int status;

	set_up();
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		if (!pid) {
			pair();
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	}
	ck_assert_uint_eq(read_sum().matched, CHILDREN);
	ck_assert_uint_eq(read_sum().lost + read_sum().unstarted + read_sum().open, 0);
	/* Those that have no number of their own cannot be told apart. */
	it.state->children = EVENTS_CHILDREN;
	if (!fork()) {
		pair();
		_exit(0);
	}
	wait(NULL);
	ck_assert_uint_eq(read_sum().lost, 2);
	ck_assert_uint_eq(read_sum().matched, CHILDREN);
}
END_TEST

static void *run_nested(void *unused)
{
	it.start();
	deeper(pair);
	it.end();
	return unused;
}

/* Nothing is read at a thread pointer that nobody has proven, and none at 0. */
START_TEST(thread_pointers_of_any_kind)
{
	static const uint64_t pointers[] = {0, 8, 0xdead000, UINT64_C(0x7ffffffff000)};
	static uint64_t other[128] __attribute__((aligned(64)));
	pthread_t thread;

	set_up();
	for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
		recorder_world_hit_by(it.start, pointers[i]);
		recorder_world_hit_by(it.end, pointers[i]);
	}
	ck_assert_uint_eq(read_sum().lost, 2);
	ck_assert_uint_eq(read_sum().matched, 3);
	/* Where all threads were proven, a new one is known by what the C library keeps. */
	it.own->proven.tids = 1;
	ck_assert_int_eq(pthread_create(&thread, NULL, run_nested, NULL), 0);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(read_sum().nested, 1);
	ck_assert_uint_eq(read_sum().matched, 4);
	/* Nothing is there, or its own is not there: it is above the stack. */
	for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
		recorder_world_hit_by(it.start, pointers[i]);
		recorder_world_hit_by(it.end, pointers[i]);
	}
	ck_assert_uint_eq(read_sum().lost, 4);
	ck_assert_uint_eq(read_sum().matched, 7);
	/* Memory that does not look like the C library's: the open start may be a dead thread's. */
	memset(other, 0, sizeof other);
	recorder_world_hit_by(it.start, (uint64_t)other);
	recorder_world_hit_by(it.start, (uint64_t)other);
	recorder_world_hit_by(it.end, (uint64_t)other);
	recorder_world_hit_by(it.start, (uint64_t)other + 8);
	recorder_world_hit_by(it.end, (uint64_t)other + 8);
	ck_assert_uint_eq(read_sum().nested, 1);
	ck_assert_uint_eq(read_sum().restarted, 1);
	ck_assert_uint_eq(read_sum().matched, 9);
	/* Threads that share theirs. */
	it.own->cookie = ARCH_COOKIE_SHARED;
	pair();
	ck_assert_uint_eq(read_sum().lost, 6);
	ck_assert_uint_eq(read_sum().matched, 9);
}
END_TEST

/* The site of the end is in a newer arena, and uses the state and the cookie of the older one. */
START_TEST(two_arenas)
{
	struct recorder_state *older;
	struct recorder_own *own;
	struct recorder_sum sum;
	recorder_trampoline *start;
	pid_t child;

	set_up();
	older = it.state;
	own = it.own;
	start = it.start;
	set_up();
	recorder_world_know((struct recorder_place){(uint64_t)older, (uint64_t)own});
	it.roles[1]->older = (struct recorder_place){(uint64_t)older, (uint64_t)own};
	it.own->cookie = 2; /* not used */
	start();
	it.end();
	child = fork();
	if (!child) {
		start();
		it.end();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	recorder_read(older, false, &sum);
	ck_assert_uint_eq(sum.matched, 2);
	ck_assert_uint_eq(sum.open + sum.unstarted, 0);
	ck_assert_uint_eq(older->children, 1);
	ck_assert_uint_eq(read_sum().matched + read_sum().unstarted + it.state->children, 0);
}
END_TEST

/* A place that the code does not name, as a forked child may write it, is not followed. */
START_TEST(unknown_arena)
{
	uint64_t place[2] = {0};

	set_up();
	for (int known = 0; known < 2; known++) {
		if (known)
			recorder_world_know(
				(struct recorder_place){(uint64_t)it.state, (uint64_t)it.own});
		it.roles[0]->older = (struct recorder_place){(uint64_t)place, (uint64_t)it.own};
		pair();
		it.roles[0]->older = (struct recorder_place){(uint64_t)it.state, (uint64_t)place};
		pair();
	}
	ck_assert_uint_eq(place[0] + place[1], 0);
	ck_assert_uint_eq(read_sum().matched, 0);
	it.roles[0]->older = (struct recorder_place){(uint64_t)it.state, (uint64_t)it.own};
	pair();
	ck_assert_uint_eq(read_sum().matched, 1);
}
END_TEST

/* Where nothing was measured, a role that somebody else has written does not read the time. */
START_TEST(role_of_no_session)
{
	set_up();
	it.own->proven.may = 0;
	ck_assert_int_eq(prctl(PR_SET_TSC, PR_TSC_SIGSEGV), 0);
	it.start();
	it.end();
	ck_assert_int_eq(prctl(PR_SET_TSC, PR_TSC_ENABLE), 0);
	ck_assert_uint_eq(read_sum().open + read_sum().unstarted, 0);
	it.own->proven.may = 1;
	pair();
	ck_assert_uint_eq(read_sum().matched, 1);
}
END_TEST

/* No number that is found in the data makes a child its parent. */
START_TEST(number_that_is_the_parents)
{
	int status;
	pid_t pid;

	set_up();
	it.state->children = UINT64_MAX;
	pid = fork();
	if (!pid) {
		it.start();
		_exit(it.own->cookie >> 48 == EVENTS_CHILDREN - 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), 1);
}
END_TEST

/* What the program writes to a role is not followed. */
START_TEST(roles_with_any_content)
{
	uint64_t seed = RANDOM_SEED, *words;
	struct recorder_place known;

	set_up();
	known = (struct recorder_place){(uint64_t)it.state, (uint64_t)it.own};
	recorder_world_know(known);
	words = (uint64_t *)it.roles[0];
	for (int round = 0; round < 20000; round++) {
		struct recorder_role *role = it.roles[0];

		*role = (struct recorder_role){0};
		if (round % 2)
			role->older = known;
		for (size_t i = 0; i < sizeof *role / sizeof *words; i++)
			if (round % 2)
				words[i] ^= i >= 3 ? UINT64_C(1) << (random_next(&seed) & 63) : 0;
			else
				words[i] = random_next(&seed);
		role->what = (uint8_t)(1 + round % 3);
		it.start();
	}
	ck_assert_uint_eq(read_sum().matched, 0);
}
END_TEST

static void on_alarm(int sig)
{
	(void)sig;
	pair();
}

/* Nothing is counted twice, and nothing is lost, wherever the handler comes. */
START_TEST(handler_inside)
{
	struct itimerval often = {{0, 50}, {0, 50}}, never = {0};
	struct recorder_sum sum;
	uint64_t ends = 0, starts = 0, hits = 0;

	set_up();
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	while (hits < 3 * PAIRS * 10) {
		pair();
		hits++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	sum = read_sum();
	starts = sum.matched + sum.nested + sum.restarted + sum.open;
	ends = sum.matched + sum.nested + sum.unstarted;
	ck_assert_uint_eq(sum.open, 0);
	ck_assert_uint_eq(starts, ends);
	ck_assert_uint_ge(starts, hits);
	ck_assert_uint_eq(sum.restarted, 0);
}
END_TEST

/* ---- by key ---- */

static void set_up_rbx(int8_t size)
{
	set_up_by(
		(struct recorder_role){.key = {.what = EVENTS_REGISTER, .base = 3, .size = size}});
}

static void *end_keys(void *count)
{
	for (size_t i = 0; i < (size_t)count; i++)
		recorder_world_hit(it.end, i);
	return NULL;
}

START_TEST(keys_across_threads)
{
	enum { KEYS = 500 };
	pthread_t thread;

	set_up_rbx(8);
	for (size_t i = 0; i < KEYS; i++)
		recorder_world_hit(it.start, i);
	ck_assert_uint_eq(read_sum().open, KEYS);
	recorder_world_hit(it.start, 7);
	ck_assert_uint_eq(read_sum().restarted, 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, end_keys, (void *)KEYS), 0);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(read_sum().matched, KEYS);
	ck_assert_uint_eq(read_sum().open, 0);
	recorder_world_hit(it.end, 7);
	ck_assert_uint_eq(read_sum().unstarted, 1);
	/* A key of a child is not its parent's. */
	recorder_world_hit(it.start, 9);
	if (fork() == 0) {
		recorder_world_hit(it.end, 9);
		_exit(0);
	}
	wait(NULL);
	ck_assert_uint_eq(read_sum().unstarted, 2);
	ck_assert_uint_eq(read_sum().open, 1);
	ck_assert_uint_eq(read_sum().lost, 0);
	recorder_world_hit(it.start, UINT64_MAX);
	ck_assert_uint_eq(read_sum().lost, 1);
	for (size_t i = 1000; i < 1000 + 4 * RECORDER_OPENS; i++)
		recorder_world_hit(it.start, i);
	ck_assert_uint_gt(read_sum().open, RECORDER_OPENS / 2);
	ck_assert_uint_eq(read_sum().open + read_sum().lost, 4 * RECORDER_OPENS + 2);
}
END_TEST

START_TEST(keys_of_sizes)
{
	static const int8_t sizes[] = {4, -4, 2, -1};

	set_up_rbx(sizes[_i]);
	recorder_world_hit(it.start, 0x1122334455667780);
	recorder_world_hit(it.end, 0x1122334455667781);
	ck_assert_uint_eq(read_sum().unstarted, 1);
	recorder_world_hit(it.end,
		0x2233445500000000 | (0x55667780 & (UINT64_MAX >> (64 - 8 * abs(sizes[_i])))));
	ck_assert_uint_eq(read_sum().matched, 1);
}
END_TEST

/* What is not in the page of the stack pointer is not read. */
START_TEST(keys_in_memory)
{
	set_up_by((struct recorder_role){
		.key = {.what = EVENTS_MEMORY, .base = 3, .index = EVENTS_NO_REGISTER, .size = 8}});
	{
		volatile uint64_t key = 42;

		recorder_world_hit(it.start, (uint64_t)&key);
		key = 43;
		recorder_world_hit(it.end, (uint64_t)&key);
		key = 42;
		if (read_sum().lost)
			return; /* they lie in two pages */
		ck_assert_uint_eq(read_sum().unstarted, 1);
		recorder_world_hit(it.end, (uint64_t)&key);
		ck_assert_uint_eq(read_sum().matched, 1);
	}
	recorder_world_hit(it.start, 8);
	recorder_world_hit(it.start, (uint64_t)1 << 63);
	ck_assert_uint_eq(read_sum().lost, 2);
}
END_TEST

/* ---- the copy ---- */

#ifdef HAVE_ZYDIS
START_TEST(refers_nowhere)
{
	const uint8_t *code;
	size_t entry, size = recorder_code(&code, &entry), returns = 0;
	size_t calls = 0;
	ZydisDecoder decoder;

	ck_assert_uint_lt(entry, size);
	ck_assert(ZYAN_SUCCESS(
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
	for (size_t at = 0; at < size;) {
		ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
		ZydisDecodedInstruction in;

		ck_assert(ZYAN_SUCCESS(
			ZydisDecoderDecodeFull(&decoder, code + at, size - at, &in, operands)));
		ck_assert_int_ne(in.meta.category, ZYDIS_CATEGORY_CALL);
		calls += in.meta.category == ZYDIS_CATEGORY_SYSCALL;
		returns += in.mnemonic == ZYDIS_MNEMONIC_RET;
		/* It runs on a stack that may be small. */
		if (in.mnemonic == ZYDIS_MNEMONIC_SUB &&
			operands[0].reg.value == ZYDIS_REGISTER_RSP)
			ck_assert_uint_le(operands[1].imm.value.u, 0x100);
		for (size_t i = 0; i < in.operand_count; i++) {
			const ZydisDecodedOperand *o = &operands[i];
			ZyanU64 to = 0;

			/* Arguments in vector registers are read. */
			if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
				ck_assert(ZydisRegisterGetClass(o->reg.value) <=
						  ZYDIS_REGCLASS_GPR64 ||
					  ZydisRegisterGetClass(o->reg.value) >=
						  ZYDIS_REGCLASS_FLAGS ||
					  (in.mnemonic == ZYDIS_MNEMONIC_MOVQ && i == 1));
			/* Only to where it begins itself, for the head that lies before it. */
			if (o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
				o->mem.base == ZYDIS_REGISTER_RIP) {
				ck_assert_int_eq(in.mnemonic, ZYDIS_MNEMONIC_LEA);
				ZydisCalcAbsoluteAddress(&in, o, at, &to);
				ck_assert_uint_eq(to, 0);
			}
			if (o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && o->imm.is_relative) {
				ZydisCalcAbsoluteAddress(&in, o, at, &to);
				ck_assert_uint_lt(to, size);
			}
		}
		at += in.length;
	}
	ck_assert_uint_gt(returns, 0);
	/* That of arch_read_process, in the places where it is inlined. */
	ck_assert_uint_ge(calls, 1);
	ck_assert_uint_le(calls, 3);
}
END_TEST
#endif

/* Registers but the stack pointer, flags (as lahf and seto), and the red zone behind a call. */
struct kept {
	uint64_t general[15], flags, red[15];
};

__attribute__((noinline)) static void call_with(
	const struct kept *before, struct kept *after, recorder_trampoline *code)
{
	const void *frame[3] = {before, after, (void *)code};

	__asm__ volatile("lea -128(%%rsp), %%rsp\n"
			 "push %%rbp\n push %%rbx\n push %%rdi\n lea -256(%%rsp), %%rsp\n"
			 "mov 16(%%rdi), %%rax\n mov %%rax, 136(%%rsp)\n"
			 "mov (%%rdi), %%rsi\n"
			 /* The red zone below the return address. */
			 "xor %%ecx, %%ecx\n"
			 "1: mov 128(%%rsi,%%rcx,8), %%rax\n mov %%rax, -128(%%rsp,%%rcx,8)\n"
			 "inc %%ecx\n cmp $15, %%ecx\n jne 1b\n"
			 "mov 120(%%rsi), %%rax\n add $127, %%al\n sahf\n"
			 "mov (%%rsi), %%rax\n mov 8(%%rsi), %%rbx\n mov 16(%%rsi), %%rcx\n"
			 "mov 24(%%rsi), %%rdx\n mov 40(%%rsi), %%rdi\n mov 48(%%rsi), %%rbp\n"
			 "mov 56(%%rsi), %%r8\n mov 64(%%rsi), %%r9\n mov 72(%%rsi), %%r10\n"
			 "mov 80(%%rsi), %%r11\n mov 88(%%rsi), %%r12\n mov 96(%%rsi), %%r13\n"
			 "mov 104(%%rsi), %%r14\n mov 112(%%rsi), %%r15\n mov 32(%%rsi), %%rsi\n"
			 "call *136(%%rsp)\n"
			 "mov %%rsi, 144(%%rsp)\n mov 256(%%rsp), %%rsi\n mov 8(%%rsi), %%rsi\n"
			 "mov %%rax, (%%rsi)\n mov %%rbx, 8(%%rsi)\n mov %%rcx, 16(%%rsi)\n"
			 "mov %%rdx, 24(%%rsi)\n mov %%rdi, 40(%%rsi)\n mov %%rbp, 48(%%rsi)\n"
			 "mov %%r8, 56(%%rsi)\n mov %%r9, 64(%%rsi)\n mov %%r10, 72(%%rsi)\n"
			 "mov %%r11, 80(%%rsi)\n mov %%r12, 88(%%rsi)\n mov %%r13, 96(%%rsi)\n"
			 "mov %%r14, 104(%%rsi)\n mov %%r15, 112(%%rsi)\n"
			 "mov $0, %%eax\n lahf\n seto %%al\n mov %%rax, 120(%%rsi)\n"
			 "mov 144(%%rsp), %%rax\n mov %%rax, 32(%%rsi)\n"
			 "xor %%ecx, %%ecx\n"
			 "2: mov -128(%%rsp,%%rcx,8), %%rax\n mov %%rax, 128(%%rsi,%%rcx,8)\n"
			 "inc %%ecx\n cmp $15, %%ecx\n jne 2b\n"
			 "lea 256(%%rsp), %%rsp\n pop %%rdi\n pop %%rbx\n pop %%rbp\n"
			 "lea 128(%%rsp), %%rsp\n"
			 :
			 : "D"(frame)
			 : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13",
			 "r14", "r15", "memory", "cc");
}

START_TEST(keeps_registers)
{
	struct kept before, after;

	set_up();
	srand(1);
	for (int round = 0; round < 2000; round++) {
		for (size_t i = 0; i < sizeof before / 8; i++)
			((uint64_t *)&before)[i] =
				(uint64_t)rand() << 40 ^ (uint64_t)rand() << 20 ^ (uint64_t)rand();
		before.flags = (before.flags & 0xd500) | 0x200 | (before.flags & 1);
		call_with(&before, &after, round % 2 ? it.end : it.start);
		ck_assert_mem_eq(before.general, after.general, sizeof before.general);
		ck_assert_uint_eq(before.flags, after.flags);
		ck_assert_mem_eq(before.red, after.red, sizeof before.red);
	}
	ck_assert_uint_eq(read_sum().matched, 1000);
}
END_TEST

/* Without a role it is only counted. */
START_TEST(no_role)
{
	set_up();
	it.roles[0]->what = it.roles[1]->what = RECORDER_NONE;
	pair();
	ck_assert_uint_eq(*(uint64_t *)((uint8_t *)it.roles[0] - 16), 1);
	ck_assert_uint_eq(it.state->slots[0].owner | read_sum().unstarted | read_sum().open, 0);
	it.roles[1]->what = RECORDER_END;
	pair();
	ck_assert_uint_eq(*(uint64_t *)((uint8_t *)it.roles[1] - 16), 2);
	ck_assert_uint_eq(read_sum().unstarted, 1);
}
END_TEST

START_TEST(reach)
{
	uint8_t *out = calloc(1, recorder_head_size());

	ck_assert(recorder_write_head(out, 0x7f0000000000, 0x400000, 0x7f0000002000));
	ck_assert_uint_eq(*(uint64_t *)out, 0x400000);
	free(out);
}
END_TEST

Suite *recorder_suite(void)
{
	Suite *s = suite_create("recorder");
	TCase *c = tcase_create("recorder");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, buckets);
	tcase_add_test(c, durations);
	tcase_add_loop_test(c, scale, 0, 3);
	tcase_add_loop_test(c, threads, 0, 3);
	tcase_add_test(c, children_by_fork);
	tcase_add_test(c, nested);
	tcase_add_test(c, frame_is_left);
	tcase_add_test(c, threads_that_die);
	tcase_add_test(c, slots_are_full);
	tcase_add_test(c, very_many_children);
	tcase_add_test(c, thread_pointers_of_any_kind);
	tcase_add_test(c, two_arenas);
	tcase_add_test(c, unknown_arena);
	tcase_add_test(c, role_of_no_session);
	tcase_add_test(c, number_that_is_the_parents);
	tcase_add_test(c, roles_with_any_content);
	tcase_add_test(c, handler_inside);
	tcase_add_test(c, keys_across_threads);
	tcase_add_loop_test(c, keys_of_sizes, 0, 4);
	tcase_add_test(c, keys_in_memory);
#ifdef HAVE_ZYDIS
	tcase_add_test(c, refers_nowhere);
#endif
	tcase_add_test(c, keeps_registers);
	tcase_add_test(c, no_role);
	tcase_add_test(c, reach);
	suite_add_tcase(s, c);
	return s;
}
