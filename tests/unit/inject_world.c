/* See inject_world.h. */
#include "inject_world.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"
#include "process/procfs.h"

struct inject_seen *seen;

static void inject_count(int number)
{
	(void)number;
	seen->signals++;
}

void inject_set_up(void)
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
}

void inject_tear_down(void)
{
	semctl(seen->semaphores, 0, IPC_RMID);
	close(seen->pipe[0]);
	close(seen->pipe[1]);
	close(seen->pair[0]);
	close(seen->pair[1]);
	close(seen->event);
	munmap(seen, sizeof *seen);
}

char inject_state(pid_t pid)
{
	struct procfs_stat stat;

	return procfs_stat(AT_FDCWD, &stat, "/proc/%d/stat", pid) == 0 ? stat.state : '?';
}

void inject_open(struct inject_target *t, pid_t pid)
{
	struct probes_error e;

	ck_assert_int_eq(identity_open(&t->who, pid, &e), 0);
	memory_open(&t->m, t->who.task, t->who.tid, t->who.tid == pid);
}

void inject_close(struct inject_target *t)
{
	memory_close(&t->m);
	identity_close(&t->who);
}

/* Map a page, and unmap it. */
int inject_in_time(struct inject_target *t, struct inject_call *calls, size_t count,
	const struct inject_text *texts, size_t text_count, size_t *done, uint64_t *ns,
	struct probes_error *e)
{
	uint64_t began;
	bool late;
	int r;

	do {
		began = now_ns();
		r = inject_run(&(struct inject_process){.who = &t->who, .memory = &t->m}, calls,
			count, texts, text_count, done, ns, e);
		late = r == -ETIMEDOUT || (r == -ECHILD && strstr(e->why, "within 2 seconds"));
		if (!late)
			continue;
		ck_assert_msg(now_ns() - began >= (r == -ETIMEDOUT ? 3000ull : 2000ull) * MS,
			"too early: %s", e->why);
		seen->late = *e;
	} while (late);
	return r;
}

int inject_page(struct inject_target *t, struct probes_error *e)
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
	r = inject_in_time(t, calls, 2, NULL, 0, &done, &ns, e);
	if (r == 0) {
		ck_assert_uint_eq(done, 2);
		ck_assert_uint_gt(ns, 0);
		ck_assert_uint_eq((uint64_t)calls[0].result % PAGE, 0);
	}
	return r;
}

void inject_must(struct inject_target *t, const char *what)
{
	struct probes_error e;
	int r = inject_page(t, &e);

	ck_assert_msg(r == 0, "%s: %d: %s: %s", what, r, e.what, e.why);
}

void inject_end(pid_t child)
{
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

pid_t inject_child(bool (*work)(void))
{
	pid_t child;

	seen->end = false;
	seen->turns = 0;
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGTERM, SIG_DFL); /* the runner's handler ends all its children */
		_exit(work() ? 0 : 1);
	}
	return child;
}

void inject_await_turn(void)
{
	unsigned long turns = seen->turns;

	while (seen->turns == turns)
		sched_yield();
}

void inject_must_end_well(pid_t child)
{
	int status;

	seen->end = true;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

bool inject_loop(void)
{
	while (!seen->end) {
		poll(NULL, 0, 1);
		seen->turns++;
	}
	return true;
}

bool inject_is_mapped(pid_t pid, const char *what)
{
	char path[64], line[512];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof line, maps))
		found |= strstr(line, what) != NULL;
	fclose(maps);
	return found;
}
