/*
 * Covers process/inject on living children. A child waits in one of many system calls
 * (inject_waits.c) while system calls are run in it, and notices nothing; what these calls do;
 * restartable sequences. Not covered: kernels without PTRACE_GET_RSEQ_CONFIGURATION.
 */
#include "process/inject.h"

#include "base/now.h"
#include "inject_world.h"
#include "process/procfs.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that waits, once its main thread sleeps. */
static pid_t inject_waiting(const struct inject_wait *w)
{
	pid_t child;

	seen->signals = 0;
	seen->ready = seen->waited = false;
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		uint64_t begin = now_ns();

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		seen->ready = true;
		if (!w->wait()) {
			fprintf(stderr, "%s: %s\n", w->name, strerror(errno));
			_exit(1);
		}
		seen->waited = true;
		_exit(now_ns() - begin >= w->ms * MS ? 0 : 2); /* not too early */
	}
	while (!seen->ready || inject_state(child) == 'R')
		;
	return child;
}

static bool inject_has_ended(pid_t child)
{
	siginfo_t end = {0};

	return waitid(P_PID, (id_t)child, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid;
}

START_TEST(inject_is_not_noticed)
{
	const struct inject_wait *w = &inject_waits[_i];
	struct inject_target t;
	struct probes_error e;
	int status;
	pid_t child;

	inject_set_up();
	/* On a busy machine a wait with a limit may be over before it is opened: then another one.
	 */
	while (child = inject_waiting(w), identity_open(&t.who, child, &e) < 0) {
		ck_assert_msg(!w->wake && seen->waited, "%s: %s: %s", w->name, e.what, e.why);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
	}
	memory_open(&t.m, t.who.task, t.who.tid, true);
	if (w->wake) {
		for (int i = 0; i < 10; i++)
			inject_must(&t, w->name);
		ck_assert_int_eq(waitpid(child, &status, WNOHANG), 0);
		w->wake(child);
	} else {
		/* Again and again: if its time began anew each time, it would never end. */
		for (int i = 0; (!w->longer || i < 10) && !inject_has_ended(child); i++)
			if (inject_page(&t, &e) < 0)
				/* While it exits, no thread can be paused, and it is no zombie yet.
				 */
				ck_assert_msg(e.status == PROBES_GONE || seen->waited, "%s: %s: %s",
					w->name, e.what, e.why);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(status == 0, "%s: %x", w->name, status);
	inject_close(&t);
	inject_tear_down();
}
END_TEST

/* ---- restartable sequences ---- */

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>

/*
 * A sequence that is interrupted must begin anew: the kernel aborts it, unless the ip is elsewhere
 * when it looks; then it only forgets that there was one, and the sequence goes on unprotected.
 */
static bool inject_sequence(void)
{
	struct rseq *rseq = (void *)((char *)__builtin_thread_pointer() + __rseq_offset);
	uint64_t broken = 0;

	if (!__rseq_size)
		return true;
	while (!seen->end && !broken) {
		__asm__ volatile(".pushsection .data\n\t"
				 ".balign 32\n"
				 "5: .long 0, 0\n\t"
				 ".quad 1f, 2f - 1f, 4f\n\t"
				 ".popsection\n\t"
				 "lea 5b(%%rip), %%rax\n\t"
				 "mov %%rax, %[cs]\n"
				 "1:\n\t"
				 "mov $200000, %%ecx\n"
				 "6: dec %%ecx\n\t"
				 "jnz 6b\n\t"
				 "cmp %%rax, %[cs]\n\t" /* still protected? */
				 "setne %%cl\n"
				 "2:\n\t"
				 "movzbl %%cl, %%ecx\n\t"
				 "mov %%rcx, %[broken]\n\t"
				 "jmp 3f\n\t"
				 ".long 0x53053053\n" /* RSEQ_SIG */
				 "4:\n"
				 "3:\n\t"
				 "movq $0, %[cs]"
				 : [cs] "+m"(rseq->rseq_cs), [broken] "+m"(broken)
				 :
				 : "rax", "rcx", "memory", "cc");
		for (volatile int i = 0; i < 20000; i++)
			;
		seen->turns++;
	}
	return !broken;
}

START_TEST(inject_interrupts_no_sequence)
{
	struct inject_target t;
	struct probes_error e;
	unsigned done = 0;
	pid_t child;

	inject_set_up();
	child = inject_child(inject_sequence);
	inject_await_turn();
	inject_open(&t, child);
	for (int i = 0; i < 100; i++)
		if (inject_page(&t, &e) == 0)
			done++;
		else
			ck_assert_msg(strstr(e.why, "rseq"), "%s: %s", e.what, e.why);
	ck_assert_uint_gt(done, 0);
	inject_close(&t);
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST
#endif

/* ---- stacks ---- */

enum { PIECE = 2048, PIECES = 32 };

/* On the last piece; on the others somebody else has data, right up to where this one begins. */
static bool inject_on_piece(void)
{
	const size_t size = (PIECES - 1) * PIECE;
	uint8_t pieces[PIECES * PIECE];

	memset(pieces, 0xa5, size);
	poll(NULL, 0, 0); /* the linker needs more stack when it finds a function */
	/* By hand: AddressSanitizer warns of swapcontext. */
	__asm__ volatile(
		"mov %%rsp, %%rbx\n\t"
		"mov %[top], %%rsp\n\t"
		"call *%[loop]\n\t"
		"mov %%rbx, %%rsp"
		:
		: [top] "r"(((uintptr_t)pieces + sizeof pieces) & -16ul), [loop] "r"((void (*)(
										  void))inject_loop)
		: "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory",
		"cc");
	for (size_t i = 0; i < size; i++)
		if (pieces[i] != 0xa5)
			return false;
	return true;
}

/* A program runs coroutines on pieces of a stack: below the stack pointer begins that of another.
 */
START_TEST(inject_beside_other_stacks)
{
	struct inject_target t;
	pid_t child;

	inject_set_up();
	child = inject_child(inject_on_piece);
	inject_await_turn();
	inject_open(&t, child);
	for (int i = 0; i < 3; i++)
		inject_must(&t, "a piece of the stack");
	inject_close(&t);
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST

static void *inject_first_thread(void *unused)
{
	char go;

	return read(seen->pipe[0], &go, 1) == 1 ? unused : NULL;
}

static void *inject_last_thread(void *unused)
{
	(void)unused;
	_exit(inject_loop() ? 0 : 1); /* a copy of a test frees nothing */
}

/* The leader ends at once, the next thread when told to. */
static bool inject_leaderless(void)
{
	pthread_t first, last;

	if (pthread_create(&first, NULL, inject_first_thread, NULL) == 0 &&
		pthread_create(&last, NULL, inject_last_thread, NULL) == 0)
		syscall(SYS_exit, 0);
	return false;
}

/* The thread that the process was opened by has ended. */
START_TEST(inject_without_its_thread)
{
	struct inject_target t;
	pid_t child;

	inject_set_up();
	child = inject_child(inject_leaderless);
	while (inject_state(child) != 'Z')
		sched_yield();
	inject_await_turn();
	inject_open(&t, child);
	ck_assert_int_ne(t.who.tid, child);
	ck_assert_int_eq(write(seen->pipe[1], "", 1), 1);
	while (identity_thread_lives(&t.who))
		sched_yield();
	inject_must(&t, "its thread has ended");
	inject_close(&t);
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST

static void inject_use(void)
{
	volatile uint8_t bytes[512 * PAGE];

	memset((void *)bytes, 0xa5, sizeof bytes);
}

static bool inject_deep_before(void)
{
	inject_use();
	return inject_loop();
}

/* Then the main stack grows. */
START_TEST(inject_where_all_was_used)
{
	struct inject_target t;
	pid_t child;

	inject_set_up();
	child = inject_child(inject_deep_before);
	inject_await_turn();
	inject_open(&t, child);
	for (int i = 0; i < 3; i++)
		inject_must(&t, "a stack that was used");
	inject_close(&t);
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST

/* ---- what it does ---- */

/* A file without a name, filled from outside while the process has it open. */
START_TEST(inject_maps_a_file)
{
	struct inject_call create[] = {
		{SYS_memfd_create, {0, MFD_CLOEXEC}, 0},
		{SYS_ftruncate, {INJECT_RESULT(0), 2 * PAGE}, 0},
	};
	struct inject_call map[] = {
		{SYS_mmap, {0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, 0, 0}, 0},
		{SYS_mmap, {0, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, 0, PAGE}, 0},
		{SYS_close, {0}, 0},
	};
	const struct inject_text name = {0, 0, "probes-unit"};
	struct probes_error e = {0};
	struct inject_target t;
	char path[64], byte = 0;
	uint64_t ns;
	size_t done;
	pid_t child;
	int fd;

	inject_set_up();
	child = inject_child(inject_loop);
	inject_open(&t, child);
	ck_assert_msg(inject_in_time(&t, create, 2, &name, 1, &done, &ns, &e) == 0, "%s: %s",
		e.what, e.why);
	snprintf(path, sizeof path, "/proc/%d/fd/%d", child, (int)create[0].result);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, "abc", 3, 0), 3);
	close(fd);
	map[0].arguments[4] = map[1].arguments[4] = map[2].arguments[0] =
		(uint64_t)create[0].result;
	ck_assert_msg(
		inject_in_time(&t, map, 3, NULL, 0, &done, &ns, &e) == 0, "%s: %s", e.what, e.why);
	ck_assert_uint_eq(done, 3);
	ck_assert(inject_is_mapped(child, "/memfd:probes-unit"));
	ck_assert(memory_read(&t.m, (uint64_t)map[0].result + 1, &byte, 1));
	ck_assert_int_eq(byte, 'b');
	ck_assert_int_lt(access(path, F_OK), 0);
	inject_close(&t);
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST

/* Nothing is run behind the first that fails; the result of those before is there. */
START_TEST(inject_ends_with_the_first_failure)
{
	struct inject_call calls[] = {
		{SYS_mmap, {0, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1ul, 0}, 0},
		{SYS_munmap, {1, PAGE}, 0},
		{SYS_exit_group, {3}, 0},
	};
	struct probes_error e = {0};
	struct inject_target t;
	uint64_t ns;
	size_t done;
	pid_t child;

	inject_set_up();
	child = inject_child(inject_loop);
	inject_open(&t, child);
	ck_assert_int_eq(inject_in_time(&t, calls, 3, NULL, 0, &done, &ns, &e), -EINVAL);
	ck_assert_int_eq(e.status, PROBES_FAILED);
	ck_assert_uint_eq(done, 2);
	ck_assert_int_gt(calls[0].result, 0);
	ck_assert_int_eq(calls[1].result, -EINVAL);
	inject_await_turn();
	inject_close(&t);
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST

Suite *inject_suite(void)
{
	Suite *s = suite_create("inject");
	TCase *t = tcase_create("inject");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, inject_is_not_noticed, 0, inject_wait_count);
#if __has_include(<sys/rseq.h>)
	tcase_add_test(t, inject_interrupts_no_sequence);
#endif
	tcase_add_test(t, inject_beside_other_stacks);
	tcase_add_test(t, inject_without_its_thread);
	tcase_add_test(t, inject_where_all_was_used);
	tcase_add_test(t, inject_maps_a_file);
	tcase_add_test(t, inject_ends_with_the_first_failure);
	suite_add_tcase(s, t);
	return s;
}
