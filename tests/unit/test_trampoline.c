/*
 * Covers trampolines that count, by execution: exact counts with 1, 4 and 64 threads, threads that
 * come and go, a slot for each thread, forked children at the same time; every register, the flags
 * and the red zone are kept. Does not cover: how trampolines get into another process.
 */
#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "arch/inline.h"

Suite *trampoline_suite(void);

#define SLOTS 32
#define HITS 200000

static struct {
	uint8_t *code;    /* the trampoline, and a ret */
	uint64_t *shared; /* MAP_SHARED: a child counts in the same place */
	struct arch_slot *slots;
	uint64_t *cookie;
} it;

static void set_up_with(uint32_t slots)
{
	uint8_t *base =
		mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct arch_counter counter = {0};
	size_t size;

	ck_assert_ptr_ne(base, MAP_FAILED);
	ck_assert_ptr_eq(mmap(base + 4096, 2 * 4096, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		base + 4096);
	it.code = base;
	it.shared = (uint64_t *)(base + 4096);
	it.slots = (struct arch_slot *)(base + 2 * 4096);
	it.cookie = (uint64_t *)(base + 3 * 4096);
	*it.cookie = 1;
	ck_assert_int_eq(madvise(it.cookie, 4096, MADV_WIPEONFORK), 0);
	counter = (struct arch_counter){.shared = (uint64_t)it.shared,
		.slots = slots ? (uint64_t)it.slots : 0,
		.slot_count = slots,
		.cookie = (uint64_t)it.cookie,
		.role = (uint64_t)(it.shared + 2),
		.recorder = (uint64_t)it.code + 1024};
	size = arch_trampoline_count((uint64_t)it.code, &counter, it.code);
	ck_assert_uint_gt(size, 0);
	ck_assert_uint_le(size, ARCH_TRAMPOLINE_BYTES);
	it.code[size] = 0xc3;
	ck_assert_int_eq(mprotect(it.code, 4096, PROT_READ | PROT_EXEC), 0);
}

static uint64_t hits(void)
{
	uint64_t sum = *it.shared;

	for (int i = 0; i < SLOTS; i++)
		sum += it.slots[i].hits;
	return sum;
}

static void *hit(void *times)
{
	for (size_t i = 0; i < (size_t)times; i++)
		((void (*)(void))it.code)();
	return NULL;
}

static int hit_alone(void *unused)
{
	(void)unused;
	for (size_t i = 0; i < HITS; i++)
		((void (*)(void))it.code)();
	return 0;
}

START_TEST(exact_with_threads)
{
	static const size_t counts[] = {1, 4, 64}, slots[] = {0, 1, 8, SLOTS};
	size_t threads = counts[_i % 3];
	uint64_t wanted = 0;
	pthread_t all[64];

	set_up_with((uint32_t)slots[_i / 3]);
	/* Twice: threads of the second round have thread pointers of the first. */
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < threads; i++)
			ck_assert_int_eq(pthread_create(&all[i], NULL, hit,
						 (void *)(size_t)(HITS / threads)),
				0);
		for (size_t i = 0; i < threads; i++)
			pthread_join(all[i], NULL);
		wanted += HITS / threads * threads;
		ck_assert_uint_eq(hits(), wanted);
	}
	/* A thread has a slot of its own, where there are enough. */
	if (slots[_i / 3] == SLOTS && threads <= 4)
		ck_assert_uint_eq(*it.shared, 0);
}
END_TEST

/* Thread pointers that differ in few bits, as in a JVM: each thread has a slot of its own. */
START_TEST(spread)
{
	enum { THREADS = 8, APART = 1 << 20 };
	pthread_t all[THREADS];
	uint8_t *stacks = mmap(NULL, THREADS * APART, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_attr_t attr;

	ck_assert_ptr_ne(stacks, MAP_FAILED);
	set_up_with(SLOTS);
	for (size_t i = 0; i < THREADS; i++) {
		pthread_attr_init(&attr);
		pthread_attr_setstack(&attr, stacks + i * APART, APART);
		ck_assert_int_eq(pthread_create(&all[i], &attr, hit, (void *)HITS), 0);
		pthread_attr_destroy(&attr);
	}
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
	ck_assert_uint_eq(hits(), (uint64_t)THREADS * HITS);
	ck_assert_uint_eq(*it.shared, 0);
}
END_TEST

/* Threads that were made without a thread pointer of their own, and whose session knows it. */
START_TEST(exact_with_one_thread_pointer)
{
	enum { THREADS = 4, STACK = 1 << 16 };
	uint8_t *stacks = mmap(NULL, THREADS * STACK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t pointer;
	pid_t all[THREADS];

	ck_assert_ptr_ne(stacks, MAP_FAILED);
	set_up_with(SLOTS);
	*it.cookie = ARCH_COOKIE_SHARED;
	for (size_t i = 0; i < THREADS; i++) {
		all[i] = clone(hit_alone, stacks + (i + 1) * STACK, CLONE_VM | SIGCHLD, NULL);
		ck_assert_int_gt(all[i], 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		ck_assert_int_eq(waitpid(all[i], NULL, 0), all[i]);
	ck_assert_uint_eq(*it.shared, THREADS * HITS);
	ck_assert_uint_eq(hits(), THREADS * HITS);
	/* And one that has none at all, of which nobody knows. */
	*it.cookie = ARCH_COOKIE_DISTINCT;
	pointer = arch_thread();
	for (int i = 0; i < 3; i++)
		__asm__ volatile(
			"lea -128(%%rsp), %%rsp\n wrfsbase %[none]\n call *%[code]\n"
			"wrfsbase %[pointer]\n lea 128(%%rsp), %%rsp\n"
			:
			: [code] "r"(it.code), [none] "r"(UINT64_C(0)), [pointer] "r"(pointer)
			: "memory", "cc");
	ck_assert_uint_eq(*it.shared, THREADS * HITS + 3);
}
END_TEST

START_TEST(exact_with_children)
{
	pid_t children[4];
	int status;

	set_up_with(SLOTS);
	hit((void *)1);
	for (int i = 0; i < 4; i++) {
		children[i] = fork();
		if (!children[i]) {
			hit((void *)HITS);
			_exit(*it.cookie != 0);
		}
	}
	hit((void *)HITS);
	for (int i = 0; i < 4; i++) {
		waitpid(children[i], &status, 0);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_uint_eq(hits(), 5 * HITS + 1);
}
END_TEST

/* Everything that is not the trampoline's: registers and flags before and after, the red zone. */
struct kept {
	uint64_t registers[15], flags, red[16];
};

static void call_with(const struct kept *before, struct kept *after)
{
	const void *from = before, *to = after, *code = it.code;

	__asm__ volatile("lea -128(%%rsp), %%rsp\n"
			 "push %%rbp\n push %%rbx\n"
			 "push %[code]\n push %[after]\n"
			 "lea -512(%%rsp), %%rsp\n"
			 "mov %[before], %%rsi\n"
			 /* the red zone of the code that jumps to the trampoline */
			 "mov $0, %%ecx\n"
			 "1: mov 128(%%rsi,%%rcx,8), %%rax\n mov %%rax, -128(%%rsp,%%rcx,8)\n inc "
			 "%%ecx\n cmp $16, "
			 "%%ecx\n jne 1b\n"
			 "lea 3f(%%rip), %%rax\n mov %%rax, 8(%%rsp)\n"
			 "mov 512+8(%%rsp), %%rax\n mov %%rax, 16(%%rsp)\n"
			 /* flags, without a push: into the red zone nothing may go */
			 "mov 120(%%rsi), %%rax\n add $127, %%al\n sahf\n"
			 "mov 0(%%rsi), %%rax\n mov 8(%%rsi), %%rbx\n mov 16(%%rsi), %%rcx\n mov "
			 "24(%%rsi), %%rdx\n"
			 "mov 40(%%rsi), %%rdi\n mov 48(%%rsi), %%rbp\n mov 56(%%rsi), %%r8\n mov "
			 "64(%%rsi), %%r9\n"
			 "mov 72(%%rsi), %%r10\n mov 80(%%rsi), %%r11\n mov 88(%%rsi), %%r12\n mov "
			 "96(%%rsi), %%r13\n"
			 "mov 104(%%rsi), %%r14\n mov 112(%%rsi), %%r15\n mov 32(%%rsi), %%rsi\n"
			 "jmp *16(%%rsp)\n"
			 "3:\n"
			 "xchg %%rsi, 512(%%rsp)\n" /* after */
			 "mov %%rax, 0(%%rsi)\n mov %%rbx, 8(%%rsi)\n mov %%rcx, 16(%%rsi)\n mov "
			 "%%rdx, 24(%%rsi)\n"
			 "mov %%rdi, 40(%%rsi)\n mov %%rbp, 48(%%rsi)\n mov %%r8, 56(%%rsi)\n mov "
			 "%%r9, 64(%%rsi)\n"
			 "mov %%r10, 72(%%rsi)\n mov %%r11, 80(%%rsi)\n mov %%r12, 88(%%rsi)\n mov "
			 "%%r13, 96(%%rsi)\n"
			 "mov %%r14, 104(%%rsi)\n mov %%r15, 112(%%rsi)\n"
			 "mov $0, %%eax\n lahf\n seto %%al\n mov %%rax, 120(%%rsi)\n"
			 "mov 512(%%rsp), %%rax\n mov %%rax, 32(%%rsi)\n"
			 "mov $0, %%ecx\n"
			 "4: mov -128(%%rsp,%%rcx,8), %%rax\n mov %%rax, 128(%%rsi,%%rcx,8)\n inc "
			 "%%ecx\n cmp $16, "
			 "%%ecx\n jne 4b\n"
			 "lea 512(%%rsp), %%rsp\n"
			 "pop %%rax\n pop %%rax\n pop %%rbx\n pop %%rbp\n"
			 "lea 128(%%rsp), %%rsp\n"
			 : [before] "+D"(from), [after] "+a"(to), [code] "+d"(code)
			 :
			 : "rcx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
			 "memory", "cc");
}

START_TEST(keeps_everything)
{
	static const uint32_t slots[] = {0, SLOTS};
	struct kept before, after;

	set_up_with(slots[_i]);
	/* The trampoline ends in a jump back instead of a ret: to what 8(%rsp) holds. */
	ck_assert_int_eq(mprotect(it.code, 4096, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	for (size_t at = ARCH_TRAMPOLINE_BYTES; at--;) {
		if (it.code[at] == 0xc3) {
			memcpy(it.code + at, (uint8_t[]){0xff, 0x64, 0x24, 0x08}, 4);
			break;
		}
	}
	srand(1);
	for (int round = 0; round < 2000; round++) {
		for (size_t i = 0; i < sizeof before / 8; i++)
			((uint64_t *)&before)[i] =
				(uint64_t)rand() << 40 ^ (uint64_t)rand() << 20 ^ (uint64_t)rand();
		/* ah: SF ZF AF PF CF; al: OF */
		before.flags = (before.flags & 0xd500) | 0x200 | (before.flags & 1);
		memset(&after, 0, sizeof after);
		if (round % 100 == 50) /* the slow path */
			it.slots[rand() % SLOTS].owner = 0;
		call_with(&before, &after);
		ck_assert_mem_eq(before.registers, after.registers, sizeof before.registers);
		ck_assert_uint_eq(before.flags, after.flags);
		ck_assert_mem_eq(before.red, after.red, sizeof before.red);
	}
	ck_assert_uint_eq(hits(), 2000);
}
END_TEST

START_TEST(reach)
{
	struct arch_counter far = {.shared = 0x400000}, near = {.shared = 0x7f0000001000};
	uint8_t out[ARCH_TRAMPOLINE_BYTES];

	ck_assert_uint_eq(arch_trampoline_count(0x7f0000000000, &far, out), 0);
	ck_assert_uint_gt(arch_trampoline_count(0x7f0000000000, &near, out), 0);
	ck_assert(arch_jump(0x1000, 0x80001004ull, out));
	ck_assert(!arch_jump(0x1000, 0x80001005ull, out));
}
END_TEST

Suite *trampoline_suite(void)
{
	Suite *s = suite_create("trampoline");
	TCase *c = tcase_create("trampoline");

	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, exact_with_threads, 0, 12);
	tcase_add_test(c, spread);
	tcase_add_test(c, exact_with_one_thread_pointer);
	tcase_add_test(c, exact_with_children);
	tcase_add_loop_test(c, keeps_everything, 0, 2);
	tcase_add_test(c, reach);
	suite_add_tcase(s, c);
	return s;
}
