/* System calls that a process may wait in; each with what it must return, and what wakes it. */
#include "inject_world.h"

#include <check.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 150 /* a wait with a limit */

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
	return syscall(SYS_futex, &seen->word, FUTEX_WAIT, 0, NULL, NULL, 0) == 0 ||
	       errno == EAGAIN;
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
	seen->word = 1;
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

const struct inject_wait inject_waits[] = {
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
const int inject_wait_count = (int)(sizeof inject_waits / sizeof *inject_waits);
