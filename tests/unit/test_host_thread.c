/*
 * Covers which threads process/host_thread and process/inject choose, and which they leave alone:
 * those would see their system call return too early, or their memory change.
 */
#include "process/host_thread.h"

#include "inject_world.h"
#include "process/filter.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- children that must be left alone; each returns false if it was not ---- */

static bool alone_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_create1(0), &event, 1, 30000) == 99;
}

static bool alone_inotify(void)
{
	char byte[64];

	return read(inotify_init(), byte, sizeof byte) == 99;
}

/* More than a pipe holds: it would see that only a part was written. */
static bool alone_write(void)
{
	static char much[1 << 20];

	return write(seen->pipe[1], much, sizeof much) == 99;
}

static bool alone_timed_receive(void)
{
	const struct timeval limit = {30, 0};
	char byte;

	setsockopt(seen->pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	return recv(seen->pair[0], &byte, 1, 0) == 99;
}

static bool alone_receive_all(void)
{
	char bytes[2];

	return recv(seen->pair[0], bytes, sizeof bytes, MSG_WAITALL) == 99;
}

static bool alone_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return false;
}

static bool alone_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	return pause() == 99;
}

static bool alone_strict(void)
{
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	while (!seen->end)
		seen->turns++;
	return true;
}

static bool alone_dispatch(void)
{
	static volatile char allow = 0;

	if (prctl(59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1, 0, 0, &allow) < 0)
		pause();
	while (!seen->end)
		seen->turns++;
	return true;
}

static void alone_pause(int number)
{
	(void)number;
	for (;;)
		pause();
}

/* A handler on a stack of its own, which `memory` holds: what is below belongs to others. */
static bool alone_on(void *memory, size_t size)
{
	const struct sigaction action = {.sa_handler = alone_pause, .sa_flags = SA_ONSTACK};
	const stack_t stack = {.ss_sp = memory, .ss_size = size};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR2, &action, NULL);
	return raise(SIGUSR2) == 99;
}

static bool alone_heap(void)
{
	return alone_on(malloc(65536), 65536);
}

/* The deeper frames, of the interrupted functions, are below. */
static bool alone_inside(void)
{
	char memory[65536], below[65536];

	memset(below, 7, sizeof below);
	return alone_on(memory, sizeof memory) || below[5] != 7;
}

static const struct alone {
	const char *name;
	bool (*work)(void);
	const char *why;
} alone[] = {
	{"epoll_wait, timed", alone_epoll, "epoll_wait"},
	{"inotify", alone_inotify, "read"},
	{"write", alone_write, "write"},
	{"recv, timed", alone_timed_receive, "recv"},
	{"recv, all", alone_receive_all, "recv"},
	{"vfork", alone_vfork, "vfork"},
	{"filter", alone_filter, "seccomp"},
	{"strict", alone_strict, "seccomp"},
	{"dispatch", alone_dispatch, "intercepts"},
	{"heap", alone_heap, "stack"},
	{"inside", alone_inside, "stack"},
};

START_TEST(host_thread_leaves_alone)
{
	const struct alone *a = &alone[_i];
	struct inject_target t;
	struct probes_error e;
	pid_t child;

	inject_set_up();
	child = inject_child(a->work);
	while (!seen->turns && inject_state(child) == 'R')
		;
	inject_open(&t, child);
	/* On its way it may wait for something else, such as a lock of the kernel. */
	while (inject_page(&t, &e) == 0)
		ck_assert_int_eq(waitpid(child, NULL, WNOHANG), 0);
	ck_assert_msg(e.status == PROBES_REFUSED, "%s: %s: %s", a->name, e.what, e.why);
	ck_assert_msg(strstr(e.why, a->why), "%s: %s", a->name, e.why);
	ck_assert_str_ne(e.hint, "");
	ck_assert_int_eq(waitpid(child, NULL, WNOHANG), 0);
	inject_close(&t);
	inject_end(child);
	inject_tear_down();
}
END_TEST

/* ---- threads ---- */

static size_t host_thread_stack_size;

static void *host_thread_second(void *data)
{
	seen->ready = true;
	syscall(SYS_futex, &seen->word, 0 /* FUTEX_WAIT */, 0, NULL, NULL, 0);
	return data;
}

/* The main thread must be left alone; the other one can be paused if it has a stack. */
static bool host_thread_two(void)
{
	pthread_attr_t attributes;
	pthread_t second;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, host_thread_stack_size);
	if (pthread_create(&second, &attributes, host_thread_second, NULL) != 0)
		return false;
	return alone_epoll();
}

static int host_thread_with_stack(size_t size, struct probes_error *e)
{
	struct inject_target t;
	pid_t child;
	int r;

	inject_set_up();
	host_thread_stack_size = size;
	child = inject_child(host_thread_two);
	while (!seen->ready || inject_state(child) == 'R')
		;
	inject_open(&t, child);
	for (int i = 0; i < 5; i++)
		r = inject_page(&t, e);
	ck_assert_int_eq(waitpid(child, NULL, WNOHANG), 0);
	inject_close(&t);
	inject_end(child);
	inject_tear_down();
	return r;
}

START_TEST(host_thread_chooses_another_thread)
{
	struct probes_error e;

	ck_assert_msg(host_thread_with_stack(1 << 20, &e) == 0, "%s: %s", e.what, e.why);
}
END_TEST

START_TEST(host_thread_needs_a_stack)
{
	struct probes_error e;

	ck_assert_int_lt(host_thread_with_stack(16384, &e), 0);
	ck_assert_int_eq(e.status, PROBES_REFUSED);
}
END_TEST

/* ---- filters ---- */

/* It kills for a mapping of code, and for one more call. */
static bool host_thread_filtered(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_reboot, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return false;
	return inject_loop();
}

START_TEST(host_thread_asks_the_filter)
{
	struct inject_call code = {SYS_mmap,
		{0, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1ul, 0}, 0};
	struct inject_target t;
	struct probes_error e;
	uint64_t ns;
	size_t done = 0;
	pid_t child;

	inject_set_up();
	child = inject_child(host_thread_filtered);
	inject_await_turn();
	inject_open(&t, child);
	if (inject_page(&t, &e) == 0) {
		inject_must(&t, "filtered");
		ck_assert_int_lt(inject_in_time(&t, &code, 1, NULL, 0, &done, &ns, &e), 0);
		ck_assert_msg(strstr(e.why, "forbids"), "%s: %s", e.what, e.why);
	}
	/* Without privilege: nobody can tell. */
	ck_assert_int_eq(e.status, e.code ? PROBES_REFUSED : 0);
	ck_assert_uint_eq(done, 0);
	inject_must_end_well(child);
	inject_close(&t);
	inject_tear_down();
}
END_TEST

#define FILTER_IS(code, action) \
	ck_assert_uint_eq(filter_run(code, sizeof(code) / sizeof *(code), &call), action)

START_TEST(host_thread_runs_filters)
{
	const struct seccomp_data call = {.nr = 9, .arch = 62, .args = {[2] = 0x500000007}};
	const struct sock_filter compute[] = {
		BPF_STMT(BPF_LD | BPF_IMM, 40),
		BPF_STMT(BPF_ST, 3),
		BPF_STMT(BPF_LDX | BPF_W | BPF_LEN, 0), /* 64 */
		BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
		BPF_STMT(BPF_LDX | BPF_MEM, 3),
		BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0), /* 104 / 40 */
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_IMM, 1),
		BPF_STMT(BPF_ALU | BPF_LSH | BPF_X, 0),
		BPF_STMT(BPF_ALU | BPF_NEG, 0),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};
	const struct sock_filter high[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2]) + 4),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 4, 0, 2),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 6, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_JMP | BPF_JA, 100),
	};
	const struct sock_filter outside[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, sizeof call),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	FILTER_IS(compute, (uint32_t)-4);
	FILTER_IS(high, SECCOMP_RET_ALLOW);
	FILTER_IS(outside, SECCOMP_RET_KILL_PROCESS);
	ck_assert_uint_eq(filter_run(high + 4, 1, &call), SECCOMP_RET_KILL_PROCESS);
}
END_TEST

/* ---- others who hold it ---- */

static bool host_thread_spin(void)
{
	while (!seen->end)
		seen->turns++;
	return true;
}

START_TEST(host_thread_stopped_by_job_control)
{
	pid_t child;
	struct inject_target t;
	struct probes_error e;

	inject_set_up();
	child = inject_child(host_thread_spin);
	kill(child, SIGSTOP);
	while (inject_state(child) != 'T')
		;
	inject_open(&t, child);
	ck_assert_int_lt(inject_page(&t, &e), 0);
	ck_assert_int_eq(e.status, PROBES_REFUSED);
	ck_assert_ptr_nonnull(strstr(e.why, "job control"));
	ck_assert_int_eq(inject_state(child), 'T');
	kill(child, SIGCONT);
	inject_await_turn();
	inject_must(&t, "continued");
	inject_close(&t);
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST

START_TEST(host_thread_traced)
{
	pid_t child;
	struct inject_target t;
	struct probes_error e;
	char who[32];

	inject_set_up();
	child = inject_child(host_thread_spin);
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
	inject_open(&t, child);
	ck_assert_int_lt(inject_page(&t, &e), 0);
	ck_assert_int_eq(e.status, PROBES_DENIED);
	snprintf(who, sizeof who, "process %d", getpid());
	ck_assert_msg(strstr(e.why, who), "%s", e.why);
	inject_close(&t);
	inject_must_end_well(child);
	inject_tear_down();
}
END_TEST

START_TEST(host_thread_gone)
{
	pid_t child;
	struct inject_target t;
	struct probes_error e;

	inject_set_up();
	child = inject_child(host_thread_spin);
	inject_open(&t, child);
	inject_must_end_well(child);
	ck_assert_int_lt(inject_page(&t, &e), 0);
	ck_assert_int_eq(e.status, PROBES_GONE);
	inject_close(&t);
	inject_tear_down();
}
END_TEST

Suite *host_thread_suite(void)
{
	Suite *s = suite_create("host_thread");
	TCase *t = tcase_create("host_thread");

	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, host_thread_leaves_alone, 0, (int)(sizeof alone / sizeof *alone));
	tcase_add_test(t, host_thread_chooses_another_thread);
	tcase_add_test(t, host_thread_needs_a_stack);
	tcase_add_test(t, host_thread_asks_the_filter);
	tcase_add_test(t, host_thread_runs_filters);
	tcase_add_test(t, host_thread_stopped_by_job_control);
	tcase_add_test(t, host_thread_traced);
	tcase_add_test(t, host_thread_gone);
	suite_add_tcase(s, t);
	return s;
}
