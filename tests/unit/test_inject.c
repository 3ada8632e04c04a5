/*
 * Covers process/inject, process/pausable and process/sigframe on living children. A child waits in
 * one of many system calls, or computes, while system calls are run in it: it notices nothing, also
 * if the helper is killed at any of its own system calls; no signal is lost; and who must not be
 * touched is refused. Not covered: shadow stacks, AMX, kernels without
 * PTRACE_GET_RSEQ_CONFIGURATION.
 */
#include "process/inject.h"

#include "base/now.h"
#include "process/memory.h"
#include "process/procfs.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096UL
#define MS 1000000u
#define WAIT_MS 400 /* a wait with a limit */

/* What children and the test share. */
struct inject_seen {
	int pipe[2], pair[2], event;
	int semaphores;
	sem_t sem;
	_Atomic unsigned word; /* a futex */
	_Atomic int signals;
	_Atomic bool ready, go, right;
	char report[128];
};

static struct inject_seen *seen;

static void inject_count(int number)
{
	(void)number;
	seen->signals++;
}

static void inject_set_up(void)
{
	const struct sigaction action = {.sa_handler = inject_count};

	seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(seen, MAP_FAILED);
	ck_assert_int_eq(pipe(seen->pipe), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, seen->pair), 0);
	seen->event = eventfd(0, 0);
	seen->semaphores = semget(IPC_PRIVATE, 1, 0600);
	sem_init(&seen->sem, 1, 0);
	sigaction(SIGUSR1, &action, NULL);
	signal(SIGTERM, SIG_DFL);
}

static void inject_tear_down(void)
{
	semctl(seen->semaphores, 0, IPC_RMID);
	close(seen->pipe[0]);
	close(seen->pipe[1]);
	close(seen->pair[0]);
	close(seen->pair[1]);
	close(seen->event);
	munmap(seen, sizeof *seen);
}

/* ---- waiting in a system call: true if it returned as it must ---- */

static struct timespec inject_in(unsigned ms)
{
	return (struct timespec){ms / 1000, ms % 1000 * MS};
}

static struct timespec inject_at(clockid_t clock, unsigned ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ms * MS;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static bool wait_read(void)
{
	char byte;

	return read(seen->pipe[0], &byte, 1) == 1;
}

static bool wait_poll(void)
{
	struct pollfd p = {seen->pipe[0], POLLIN, 0};

	return poll(&p, 1, -1) == 1;
}

static bool wait_poll_time(void)
{
	return poll(NULL, 0, WAIT_MS) == 0;
}

static bool wait_ppoll_time(void)
{
	struct timespec t = inject_in(WAIT_MS);
	sigset_t none;

	sigemptyset(&none);
	return ppoll(NULL, 0, &t, &none) == 0;
}

static bool wait_select(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(seen->pipe[0], &set);
	return select(seen->pipe[0] + 1, &set, NULL, NULL, NULL) == 1;
}

static bool wait_select_time(void)
{
	struct timeval t = {0, WAIT_MS * 1000};

	return syscall(SYS_select, 0, NULL, NULL, NULL, &t) == 0;
}

static bool wait_pselect_time(void)
{
	struct timespec t = inject_in(WAIT_MS);
	sigset_t none;

	sigemptyset(&none);
	return pselect(0, NULL, NULL, NULL, &t, &none) == 0;
}

static bool wait_nanosleep(void)
{
	struct timespec t = inject_in(WAIT_MS);

	return syscall(SYS_nanosleep, &t, NULL) == 0;
}

static bool wait_sleep_until(void)
{
	struct timespec t = inject_at(CLOCK_MONOTONIC, WAIT_MS);

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == 0;
}

static bool wait_futex(void)
{
	return syscall(SYS_futex, &seen->word, FUTEX_WAIT, 0, NULL, NULL, 0) == 0;
}

static bool wait_futex_time(void)
{
	struct timespec t = inject_in(WAIT_MS);

	return syscall(SYS_futex, &seen->word, FUTEX_WAIT, 0, &t, NULL, 0) < 0 &&
	       errno == ETIMEDOUT;
}

static bool wait_futex_until(void)
{
	struct timespec t = inject_at(CLOCK_MONOTONIC, WAIT_MS);

	return syscall(SYS_futex, &seen->word, FUTEX_WAIT_BITSET, 0, &t, NULL,
		       FUTEX_BITSET_MATCH_ANY) < 0 &&
	       errno == ETIMEDOUT;
}

static bool wait_sem(void)
{
	return sem_wait(&seen->sem) == 0;
}

static bool wait_condition(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	struct timespec t = inject_at(CLOCK_REALTIME, WAIT_MS);

	pthread_mutex_lock(&mutex);
	return pthread_cond_timedwait(&condition, &mutex, &t) == ETIMEDOUT;
}

static bool wait_pause(void)
{
	return pause() < 0 && errno == EINTR && seen->signals == 1;
}

static bool wait_sigsuspend(void)
{
	sigset_t usr1, none, now;

	sigemptyset(&none);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	if (sigsuspend(&none) == 0 || errno != EINTR || seen->signals != 1)
		return false;
	sigprocmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGUSR2) == 0;
}

static bool wait_child(bool info)
{
	siginfo_t end;
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(wait_read() ? 7 : 1);
	if (info)
		return waitid(P_PID, (id_t)child, &end, WEXITED) == 0 && end.si_status == 7;
	return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7;
}

static bool wait_wait4(void)
{
	return wait_child(false);
}

static bool wait_waitid(void)
{
	return wait_child(true);
}

static bool wait_epoll_for(int ms, int expected)
{
	struct epoll_event event = {.events = EPOLLIN};
	int fd = epoll_create1(0);

	epoll_ctl(fd, EPOLL_CTL_ADD, seen->pipe[0], &event);
	return epoll_wait(fd, &event, 1, ms) == expected;
}

static bool wait_epoll(void)
{
	return wait_epoll_for(-1, 1);
}

static bool wait_epoll_time(void)
{
	return wait_epoll_for(100, 0);
}

/* A handler must end it: the kernel's EINTR is not for us to swallow. */
static bool wait_epoll_signal(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_create1(0), &event, 1, -1) < 0 && errno == EINTR &&
	       seen->signals == 1;
}

static bool wait_epoll_mask(void)
{
	struct epoll_event event;
	sigset_t usr1, none;

	sigemptyset(&none);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	return epoll_pwait(epoll_create1(0), &event, 1, -1, &none) < 0 && errno == EINTR &&
	       seen->signals == 1;
}

static bool wait_sigwait(void)
{
	siginfo_t info;
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	return sigwaitinfo(&usr1, &info) == SIGUSR1 && seen->signals == 0;
}

static bool wait_semop(void)
{
	struct sembuf down = {0, -1, 0};

	return semop(seen->semaphores, &down, 1) == 0;
}

static bool wait_receive(void)
{
	char byte;

	return recv(seen->pair[0], &byte, 1, 0) == 1;
}

static bool wait_event(void)
{
	uint64_t value;

	return read(seen->event, &value, sizeof value) == sizeof value;
}

static bool wait_timer(void)
{
	const struct itimerspec in = {.it_value = inject_in(WAIT_MS)};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t value;

	timerfd_settime(fd, 0, &in, NULL);
	return read(fd, &value, sizeof value) == sizeof value && value == 1;
}

/* ---- and how it is woken ---- */

static void wake_pipe(pid_t child)
{
	(void)child;
	ck_assert_int_eq(write(seen->pipe[1], "x", 1), 1);
}

static void wake_pair(pid_t child)
{
	(void)child;
	ck_assert_int_eq(write(seen->pair[1], "x", 1), 1);
}

static void wake_event(pid_t child)
{
	uint64_t one = 1;

	(void)child;
	ck_assert_int_eq(write(seen->event, &one, sizeof one), sizeof one);
}

static void wake_futex(pid_t child)
{
	(void)child;
	syscall(SYS_futex, &seen->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void wake_sem(pid_t child)
{
	(void)child;
	sem_post(&seen->sem);
}

static void wake_semop(pid_t child)
{
	struct sembuf up = {0, 1, 0};

	(void)child;
	ck_assert_int_eq(semop(seen->semaphores, &up, 1), 0);
}

static void wake_signal(pid_t child)
{
	kill(child, SIGUSR1);
}

static const struct inject_wait {
	const char *name;
	bool (*wait)(void);
	void (*wake)(pid_t child); /* NULL: it ends after `ms` */
	unsigned ms;
	bool longer; /* by its limit, for each round */
} inject_waits[] = {
	{"read", wait_read, wake_pipe, 0, false},
	{"poll", wait_poll, wake_pipe, 0, false},
	{"poll, timed", wait_poll_time, NULL, WAIT_MS, false},
	{"ppoll, timed", wait_ppoll_time, NULL, WAIT_MS, false},
	{"select", wait_select, wake_pipe, 0, false},
	{"select, timed", wait_select_time, NULL, WAIT_MS, false},
	{"pselect, timed", wait_pselect_time, NULL, WAIT_MS, false},
	{"nanosleep", wait_nanosleep, NULL, WAIT_MS, false},
	{"clock_nanosleep", wait_sleep_until, NULL, WAIT_MS, false},
	{"futex", wait_futex, wake_futex, 0, false},
	{"futex, timed", wait_futex_time, NULL, WAIT_MS, false},
	{"futex, until", wait_futex_until, NULL, WAIT_MS, false},
	{"sem_wait", wait_sem, wake_sem, 0, false},
	{"pthread_cond_timedwait", wait_condition, NULL, WAIT_MS, false},
	{"pause", wait_pause, wake_signal, 0, false},
	{"sigsuspend", wait_sigsuspend, wake_signal, 0, false},
	{"wait4", wait_wait4, wake_pipe, 0, false},
	{"waitid", wait_waitid, wake_pipe, 0, false},
	{"epoll_wait", wait_epoll, wake_pipe, 0, false},
	{"epoll_wait, timed", wait_epoll_time, NULL, 100, true},
	{"epoll_wait, signal", wait_epoll_signal, wake_signal, 0, false},
	{"epoll_pwait, signal", wait_epoll_mask, wake_signal, 0, false},
	{"sigwaitinfo", wait_sigwait, wake_signal, 0, false},
	{"semop", wait_semop, wake_semop, 0, false},
	{"recv", wait_receive, wake_pair, 0, false},
	{"read, eventfd", wait_event, wake_event, 0, false},
	{"read, timerfd", wait_timer, NULL, WAIT_MS, false},
};
#define WAITS ((int)(sizeof inject_waits / sizeof *inject_waits))

/* ---- a process and calls in it ---- */

struct inject_target {
	struct identity who;
	struct memory m;
};

static char inject_state(pid_t pid)
{
	struct procfs_stat stat;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	return procfs_stat(AT_FDCWD, path, &stat) == 0 ? stat.state : '?';
}

static void inject_open(struct inject_target *t, pid_t pid)
{
	struct probes_error e;

	ck_assert_int_eq(identity_open(&t->who, pid, &e), 0);
	memory_open(&t->m, t->who.task, t->who.tid, t->who.tid == pid);
}

static void inject_close(struct inject_target *t)
{
	memory_close(&t->m);
	identity_close(&t->who);
}

/* Map a page, and unmap it. */
static int inject_page(struct inject_target *t, struct probes_error *e)
{
	struct inject_call calls[] = {
		{SYS_mmap, {0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1ul, 0},
			0},
		{SYS_munmap, {INJECT_RESULT(0), PAGE}, 0},
	};
	uint64_t ns;
	size_t done;
	int r;

	*e = (struct probes_error){0};
	r = inject_run(&t->who, &t->m, calls, 2, NULL, 0, &done, &ns, e);
	if (r == 0) {
		ck_assert_uint_eq(done, 2);
		ck_assert_uint_gt(ns, 0);
		ck_assert_uint_eq((uint64_t)calls[0].result % PAGE, 0);
	}
	return r;
}

static void inject_must(struct inject_target *t, const char *what)
{
	struct probes_error e;
	int r = inject_page(t, &e);

	ck_assert_msg(r == 0, "%s: %d: %s: %s", what, r, e.what, e.why);
}

__attribute__((unused)) static void inject_end(pid_t child)
{
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

/* A child that waits, once its main thread sleeps. */
static pid_t inject_waiting(const struct inject_wait *w)
{
	pid_t child;

	seen->signals = 0;
	seen->ready = false;
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		uint64_t begin = now_ns(), took;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		seen->ready = true;
		if (!w->wait()) {
			fprintf(stderr, "%s: %s\n", w->name, strerror(errno));
			_exit(1);
		}
		took = (now_ns() - begin) / MS;
		if (took < w->ms || (w->ms && !w->longer && took > w->ms + 350)) {
			fprintf(stderr, "%s: %lu ms\n", w->name, (unsigned long)took);
			_exit(2);
		}
		_exit(0);
	}
	while (!seen->ready || inject_state(child) == 'R')
		;
	return child;
}

START_TEST(inject_is_not_noticed)
{
	const struct inject_wait *w = &inject_waits[_i];
	struct inject_target t;
	int status;
	pid_t child;

	inject_set_up();
	child = inject_waiting(w);
	inject_open(&t, child);
	for (int i = 0; i < 10; i++)
		inject_must(&t, w->name);
	if (w->wake) {
		ck_assert_int_eq(waitpid(child, &status, WNOHANG), 0);
		w->wake(child);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(status == 0, "%s: %x", w->name, status);
	inject_close(&t);
	inject_tear_down();
}
END_TEST

Suite *inject_suite(void)
{
	Suite *s = suite_create("inject");
	TCase *t = tcase_create("inject");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, inject_is_not_noticed, 0, WAITS);
	suite_add_tcase(s, t);
	return s;
}
