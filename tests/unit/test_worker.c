/*
 * Covers process/threads: a worker of io_uring is no thread of the program for whoever proves,
 * stops or chooses threads, and its I/O goes on.
 */
#include "process/threads.h"

#include "inject_world.h"
#include "process/stop.h"
#include "process/threads.h"
#include "suites.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct io_uring_params worker_ring;
static int worker_fd;
static char worker_fifo[64];

static void *worker_map(size_t size, off_t at)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, worker_fd, at);
}

/* A worker of the kernel waits in open until somebody writes to the fifo; false: no io_uring here.
 */
static bool worker_begin(void)
{
	char *queue;
	struct io_uring_sqe *entry;

	worker_fd = (int)syscall(SYS_io_uring_setup, 8, &worker_ring);
	if (worker_fd < 0)
		return false;
	queue = worker_map(worker_ring.sq_off.array + 8 * sizeof(int), IORING_OFF_SQ_RING);
	entry = worker_map(8 * sizeof *entry, IORING_OFF_SQES);
	*entry = (struct io_uring_sqe){.opcode = IORING_OP_OPENAT,
		.flags = IOSQE_ASYNC,
		.fd = AT_FDCWD,
		.addr = (uintptr_t)worker_fifo};
	*(unsigned *)(queue + worker_ring.sq_off.tail) = 1;
	return syscall(SYS_io_uring_enter, worker_fd, 1, 0, 0, NULL, 0) == 1;
}

/* The worker must open the fifo, whether the process was stopped or not. */
static bool worker_opens(void)
{
	struct io_uring_cqe *results;
	char *queue;

	if (!worker_begin()) {
		seen->quiet = true;
		seen->ready = true;
		return true;
	}
	queue = worker_map(worker_ring.cq_off.cqes + worker_ring.cq_entries * sizeof *results,
		IORING_OFF_CQ_RING);
	results = (void *)(queue + worker_ring.cq_off.cqes);
	seen->ready = true;
	while (!atomic_load((_Atomic unsigned *)(queue + worker_ring.cq_off.tail)))
		usleep(1000);
	return results->res >= 0;
}

/* A thread that must be left alone, and a worker. */
static bool worker_beside(void)
{
	struct epoll_event event;

	seen->quiet = !worker_begin();
	seen->ready = true;
	return epoll_wait(epoll_create1(0), &event, 1, 30000) == 99;
}

static void worker_set_up(void)
{
	inject_set_up();
	snprintf(worker_fifo, sizeof worker_fifo, "/tmp/unit-worker.%d", (int)getpid());
	ck_assert_int_eq(mkfifo(worker_fifo, 0600), 0);
}

static void worker_tear_down(void)
{
	unlink(worker_fifo);
	inject_tear_down();
}

/* The worker among the tasks of a child; 0: none, for want of io_uring. */
static pid_t worker_find(pid_t child)
{
	struct dirent *entry;
	pid_t found = 0;
	char path[32];
	DIR *tasks;

	while (!seen->ready)
		usleep(1000);
	if (seen->quiet) {
		puts("SKIP: no io_uring here");
		return 0;
	}
	snprintf(path, sizeof path, "/proc/%d/task", (int)child);
	while (!found) {
		tasks = opendir(path);
		while ((entry = readdir(tasks)))
			if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != child)
				found = atoi(entry->d_name);
		closedir(tasks);
	}
	return found;
}

START_TEST(worker_is_no_thread)
{
	struct threads threads = {0};
	struct inject_target t;
	struct probes_error e;
	pid_t child, worker;

	worker_set_up();
	child = inject_child(worker_beside);
	worker = worker_find(child);
	inject_open(&t, child);
	if (worker) {
		ck_assert_int_eq(threads_is_worker(t.who.proc, worker), 1);
		ck_assert_int_eq(threads_is_worker(t.who.proc, child), 0);
		ck_assert_int_eq(threads_look(t.who.proc, &t.m, true, &threads), 0);
		ck_assert_uint_eq(threads.all.count, 1);
		ck_assert_int_eq(ARRAY_AT(&threads.all, struct thread, 0)->tid, child);
		ck_assert(threads.distinct);
		threads_done(&threads);
		while (inject_state(child) != 'S')
			;
		ck_assert_int_lt(inject_page(&t, &e), 0);
		ck_assert_msg(strstr(e.why, "epoll_wait"), "%s: %s", e.what, e.why);
	}
	inject_close(&t);
	inject_end(child);
	worker_tear_down();
}
END_TEST

/* Names are chosen by the program, and so are signals that are blocked. */
static bool worker_pretends(void)
{
	uint64_t all = UINT64_MAX;

	syscall(SYS_set_robust_list, NULL, 24);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
	syscall(SYS_prctl, 15 /* PR_SET_NAME */, "iou-wrk-1");
	seen->ready = true;
	return pause() == 99;
}

START_TEST(worker_is_known_by_its_flags)
{
	struct inject_target t;
	pid_t child;

	inject_set_up();
	child = inject_child(worker_pretends);
	while (!seen->ready)
		usleep(1000);
	inject_open(&t, child);
	ck_assert_int_eq(threads_is_worker(t.who.proc, child), 0);
	inject_close(&t);
	inject_end(child);
	inject_tear_down();
}
END_TEST

static int worker_nothing(void *data, struct probes_error *e)
{
	(void)data;
	(void)e;
	return 0;
}

START_TEST(worker_is_not_stopped)
{
	struct inject_target t;
	struct probes_error e;
	pid_t child;
	uint64_t ns;
	int status, fd = -1;

	worker_set_up();
	child = inject_child(worker_opens);
	worker_find(child);
	inject_open(&t, child);
	if (!seen->quiet && stop_run(&t.who, 10000, worker_nothing, NULL, &ns, &e) < 0)
		ck_abort_msg("%s: %s", e.what, e.why);
	while (!seen->quiet && (fd = open(worker_fifo, O_WRONLY | O_NONBLOCK)) < 0 &&
		waitpid(child, &status, WNOHANG) == 0)
		usleep(1000);
	ck_assert_msg(seen->quiet || fd >= 0, "what the worker did has failed");
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	inject_close(&t);
	worker_tear_down();
}
END_TEST

Suite *worker_suite(void)
{
	Suite *s = suite_create("worker");
	TCase *t = tcase_create("worker");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, worker_is_no_thread);
	tcase_add_test(t, worker_is_known_by_its_flags);
	tcase_add_test(t, worker_is_not_stopped);
	suite_add_tcase(s, t);
	return s;
}
