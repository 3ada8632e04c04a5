/*
 * Covers process/inject on living children that have known values in all
 * registers, or sleep, or read: system calls are run in them while signals arrive, and while the
 * helper is killed, or they are stopped by job control, at each of the helper's own system calls.
 * Not covered: AMX, shadow stacks.
 */
#include "process/inject.h"

#include "base/now.h"
#include "inject_world.h"
#include "process/procfs.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- a child that computes ---- */

#define COMPUTE_VECTORS 32
#define COMPUTE_BYTES 64

#define COMPUTE(LOAD, STORE, LAST)                                                              \
	__asm__ volatile(                                                                       \
		"sub $512, %%rsp\n\t"                                                           \
		".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15" LAST "\n\t" LOAD ".endr\n\t"     \
		"fldpi\n\t"                                                                     \
		".irp i,8,9,10,11,12,13,14,15\n\t"                                              \
		"movabs $0x1234567812345678 + \\i, %%r\\i\n\t"                                  \
		"mov %%r\\i, -(\\i - 7) * 16(%%rsp)\n\t"                                        \
		".endr\n\t"                                                                     \
		"std\n"                                                                         \
		"1:\n\t"                                                                        \
		"incq %[turns]\n\t"                                                             \
		"cmpb $0, %[end]\n\t"                                                           \
		"je 1b\n\t"                                                                     \
		"xor %%eax, %%eax\n\t"                                                          \
		".irp i,8,9,10,11,12,13,14,15\n\t"                                              \
		"movabs $0x1234567812345678 + \\i, %%rdx\n\t"                                   \
		"xor %%rdx, %%r\\i\n\t"                                                         \
		"or %%r\\i, %%rax\n\t"                                                          \
		"xor -(\\i - 7) * 16(%%rsp), %%rdx\n\t"                                         \
		"or %%rdx, %%rax\n\t"                                                           \
		".endr\n\t"                                                                     \
		"pushf\n\t"                                                                     \
		"pop %%rdx\n\t"                                                                 \
		"cld\n\t"                                                                       \
		"and $0x400, %%edx\n\t"                                                         \
		"xor $0x400, %%edx\n\t"                                                         \
		"or %%rdx, %%rax\n\t"                                                           \
		"fldpi\n\t"                                                                     \
		"fcompp\n\t"                                                                    \
		"push %%rax\n\t"                                                                \
		"fnstsw %%ax\n\t"                                                               \
		"and $0x4500, %%eax\n\t"                                                        \
		"xor $0x4000, %%eax\n\t"                                                        \
		"pop %%rdx\n\t"                                                                 \
		"or %%rdx, %%rax\n\t"                                                           \
		".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15" LAST "\n\t" STORE ".endr\n\t"    \
		"add $512, %%rsp"                                                               \
		: "=&a"(changed), [turns] "+m"(seen->turns)                                     \
		: [end] "m"(seen->end), [in] "b"(in), [out] "c"(out)                            \
		: "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc",  \
		"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
		"xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "st")

/*
 * Spin with known values in all registers, in the red zone and in the direction flag, and with an
 * alternate signal stack, until told to end; false if one of them has changed.
 */
static bool inject_compute(void)
{
	unsigned char in[COMPUTE_VECTORS][COMPUTE_BYTES], out[COMPUTE_VECTORS][COMPUTE_BYTES];
	static char memory[65536];
	const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
	unsigned long changed;
	stack_t after;

	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < sizeof in; i++)
		((unsigned char *)in)[i] = (unsigned char)(i * 7 + i / 64);
	memcpy(out, in, sizeof out);
	if (__builtin_cpu_supports("avx512f"))
		COMPUTE("vmovdqu64 \\i*64(%[in]), %%zmm\\i\n\t",
			"vmovdqu64 %%zmm\\i, \\i*64(%[out])\n\t",
			",16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31");
	else if (__builtin_cpu_supports("avx"))
		COMPUTE("vmovdqu \\i*64(%[in]), %%ymm\\i\n\t",
			"vmovdqu %%ymm\\i, \\i*64(%[out])\n\t", "");
	else
		COMPUTE("movdqu \\i*64(%[in]), %%xmm\\i\n\t", "movdqu %%xmm\\i, \\i*64(%[out])\n\t",
			"");
	return !changed && !memcmp(in, out, sizeof in) && sigaltstack(NULL, &after) == 0 &&
	       after.ss_sp == memory && after.ss_size == sizeof memory && after.ss_flags == 0;
}

static bool inject_sleep(void)
{
	const struct timespec t = {0, 20 * MS};
	uint64_t begin;

	while (!seen->end) {
		begin = now_ns();
		if (syscall(SYS_nanosleep, &t, NULL) < 0 || now_ns() - begin < 20 * MS)
			return false;
		seen->turns++;
	}
	return true;
}

static bool inject_echo(void)
{
	char byte;

	while (read(seen->pair[0], &byte, 1) == 1) {
		seen->turns++;
		if (byte == 'q')
			return true;
		if (write(seen->pair[0], &byte, 1) != 1)
			return false;
	}
	return false;
}

START_TEST(inject_keeps_all_registers)
{
	struct inject_target t;
	pid_t child;

	inject_set_up();
	child = inject_child(inject_compute);
	inject_await_turn();
	inject_open(&t, child);
	for (int i = 0; i < 100; i++)
		inject_must(&t, "computing");
	inject_await_turn();
	inject_must_end_well(child);
	inject_close(&t);
	inject_tear_down();
}
END_TEST

/* ---- something happens at each step of the helper ---- */

static bool inject_is_seized(pid_t pid)
{
	char name[64];

	return procfs_tracer(AT_FDCWD, name, sizeof name, "/proc/%d/status", pid) != 0;
}

/*
 * Run a call in `target` from a process whose helper is traced. When that stops for the n-th time
 * at the entry to or the exit from one of its system calls, send it SIGKILL, or `signal` to the
 * target. False: it had fewer stops. n = 0: keep it there once it has seized the target, or
 * (signal 0) once it has set its second timer, for what it does with a thread that has stopped.
 */
static bool inject_at(pid_t target, unsigned n, int signal)
{
	const long options = PTRACE_O_TRACEFORK | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
	pid_t caller = fork(), helper = 0, pid;
	bool sent = false;
	unsigned stops = 0, timers = 0; /* at the entry to and the exit from timer_settime */
	int status;

	ck_assert_int_ge(caller, 0);
	if (caller == 0) {
		struct inject_target t;
		struct probes_error e;

		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		inject_open(&t, target);
		inject_page(&t, &e);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(caller, &status, 0), caller);
	ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, caller, NULL, (void *)options), 0);
	ptrace(PTRACE_CONT, caller, NULL, NULL);
	while ((pid = waitpid(-1, &status, __WALL)) > 0 && pid != target) {
		int passed = status >> 8 == SIGSTOP ? 0 : WSTOPSIG(status);

		if (!WIFSTOPPED(status)) {
			if (pid == caller) {
				ck_assert_int_eq(status, 0);
				return sent;
			}
		} else if (pid == caller) {
			if (status >> 16)
				passed = 0;
			ptrace(PTRACE_CONT, pid, NULL, (void *)(uintptr_t)passed);
		} else {
			helper = pid; /* or a second one, if the thread could not be used */
			if (status >> 8 == (SIGTRAP | 0x80))
				passed = 0;
			timers += ptrace(PTRACE_PEEKUSER, pid,
					  offsetof(struct user_regs_struct, orig_rax),
					  NULL) == SYS_timer_settime;
			if (!n && !sent && (signal ? inject_is_seized(target) : timers == 4)) {
				sent = true;
				continue;
			}
			if (++stops == n) {
				kill(signal == SIGKILL ? helper : target, signal);
				sent = true;
			}
			if (stops != n || signal != SIGKILL)
				ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(uintptr_t)passed);
		}
	}
	ck_abort_msg("the target ended: %x", status);
	return false;
}

static const struct inject_victim {
	const char *name;
	bool (*work)(void);
	void (*turn)(void); /* make it show that it goes on */
} inject_victims[] = {
	{"computing", inject_compute, inject_await_turn},
	{"sleeping", inject_sleep, inject_await_turn},
	{"reading", inject_echo, NULL},
};

static void inject_must_echo(char byte)
{
	char back = 0;

	ck_assert_int_eq(write(seen->pair[1], &byte, 1), 1);
	ck_assert_int_eq(read(seen->pair[1], &back, 1), 1);
	ck_assert_int_eq(back, byte);
}

START_TEST(inject_survives_our_death)
{
	const struct inject_victim *v = &inject_victims[_i];
	unsigned n = 1;
	char byte = 'q';
	pid_t child;

	inject_set_up();
	child = inject_child(v->work);
	do {
		if (v->turn)
			v->turn();
		else
			inject_must_echo('x');
	} while (inject_at(child, n++, SIGKILL));
	fprintf(stderr, "%s: killed at %u stops\n", v->name, n - 2);
	ck_assert_uint_gt(n, 60);
	if (!v->turn)
		ck_assert_int_eq(write(seen->pair[1], &byte, 1), 1);
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST

START_TEST(inject_blames_no_thread_for_us)
{
	pid_t child;

	inject_set_up();
	child = inject_child(inject_loop);
	inject_await_turn();
	ck_assert(inject_at(child, 0, SIGSTOP));
	ck_assert_msg(strstr(seen->late.why, "helper"), "%s", seen->late.why);
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST

/* It gets no CPU time while it uses the thread: nobody else has killed it. */
START_TEST(inject_says_that_it_was_too_slow)
{
	pid_t child;

	inject_set_up();
	child = inject_child(inject_loop);
	inject_await_turn();
	ck_assert(inject_at(child, 0, 0));
	ck_assert_msg(strstr(seen->late.why, "within 2 seconds"), "%s", seen->late.why);
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST

/* ---- signals ---- */

static void inject_sum(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	seen->signals++;
	seen->sum += (unsigned long)info->si_value.sival_int;
}

/* Send numbered signals until told to end; few at a time, since all processes of a user share a
 * queue. */
static pid_t inject_sender(pid_t to)
{
	pid_t child = fork();
	int i = 1;

	ck_assert_int_ge(child, 0);
	if (child > 0)
		return child;
	while (!seen->quiet)
		if (i - seen->signals > 100)
			sched_yield();
		else if (sigqueue(to, SIGRTMIN, (union sigval){.sival_int = i}) == 0)
			seen->sent = i++;
		else if (errno != EAGAIN)
			_exit(1);
	_exit(0);
}

START_TEST(inject_loses_no_signal)
{
	const struct sigaction action = {.sa_sigaction = inject_sum, .sa_flags = SA_SIGINFO};
	struct inject_target t;
	unsigned rounds = 0, n = 1;
	pid_t child, sender;
	int status;

	inject_set_up();
	sigaction(SIGRTMIN, &action, NULL);
	child = inject_child(_i & 1 ? inject_loop : inject_compute);
	inject_await_turn();
	inject_open(&t, child);
	sender = inject_sender(child);
	do {
		/* With the helper killed, too. */
		if (_i & 2)
			n = inject_at(child, n, SIGKILL) ? n + 1 : 1;
		else
			inject_must(&t, "signals");
	} while (++rounds < 110);
	seen->quiet = true;
	ck_assert_int_eq(waitpid(sender, &status, 0), sender);
	ck_assert_int_eq(status, 0);
	ck_assert_int_gt(seen->sent, 0);
	while (seen->signals < seen->sent && inject_state(child) != 't')
		sched_yield();
	ck_assert_int_eq(seen->signals, seen->sent);
	ck_assert_uint_eq(
		seen->sum, (unsigned long)seen->sent * ((unsigned long)seen->sent + 1) / 2);
	inject_close(&t);
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST

/* It is stopped at any moment, and stays so until it is continued. */
START_TEST(inject_leaves_job_control_alone)
{
	unsigned n = 1;
	pid_t child;

	inject_set_up();
	child = inject_child(inject_compute);
	inject_await_turn();
	while (inject_at(child, n++, SIGSTOP)) {
		while (inject_state(child) != 'T')
			ck_assert_int_ne(inject_state(child), 't');
		kill(child, SIGCONT);
		inject_await_turn();
	}
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST

Suite *inject_death_suite(void)
{
	Suite *s = suite_create("inject_death");
	TCase *t = tcase_create("inject_death");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, inject_blames_no_thread_for_us);
	tcase_add_test(t, inject_says_that_it_was_too_slow);
	tcase_add_test(t, inject_keeps_all_registers);
	tcase_add_loop_test(t, inject_survives_our_death, 0, 3);
	tcase_add_loop_test(t, inject_loses_no_signal, 0, 4);
	tcase_add_test(t, inject_leaves_job_control_alone);
	suite_add_tcase(s, t);
	return s;
}
