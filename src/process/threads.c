#include "process/threads.h"

#include "base/error.h"
#include "base/order.h"
#include "process/identity.h"
#include "process/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS_STRICT 1 /* SECCOMP_MODE_STRICT, linux/seccomp.h */

/* PF_IO_WORKER and PF_USER_WORKER, include/linux/sched.h. Older kernels gave these bits to others:
 * virtual CPUs (before 5.10), and whoever loads a module. */
#define THREADS_WORKER_FLAGS 0x4010ul

/* All signals but SIGKILL and SIGSTOP, which nobody can block (kernel/fork.c, copy_process). */
#define THREADS_WORKER_BLOCKED ~(UINT64_C(1) << (SIGKILL - 1) | UINT64_C(1) << (SIGSTOP - 1))

int threads_is_worker(int proc, pid_t tid)
{
	struct procfs_stat stat;
	char *status;
	uint64_t blocked, list = 0;
	size_t size;
	int r;

	/* Only code of the process registers such a list. To ask for it costs far less than a file.
	 */
	if (syscall(SYS_get_robust_list, tid, &list, &size) == 0 && list)
		return 0;
	r = procfs_stat(proc, &stat, "task/%d/stat", (int)tid);
	if (r < 0 || !(stat.flags & THREADS_WORKER_FLAGS))
		return error_is_shortage(r) ? r : 0;
	r = procfs_read(proc, &status, &size, "task/%d/status", (int)tid);
	if (r < 0)
		return error_is_shortage(r) ? r : 0;
	blocked = procfs_status_set(status, "SigBlk");
	free(status);
	return (blocked & THREADS_WORKER_BLOCKED) == THREADS_WORKER_BLOCKED;
}

/* Is this the thread pointer of a thread with this tid, by what lies behind it? */
static bool threads_verify(struct memory *m, uint64_t pointer, uint32_t inside)
{
	uint64_t head[3];
	uint32_t tid;

	return pointer && inside && memory_read(m, pointer, head, sizeof head) &&
	       head[0] == pointer && head[THREADS_SELF_AT / 8] == pointer &&
	       memory_read(m, pointer + THREADS_TID_AT, &tid, sizeof tid) && tid == inside;
}

/* 0: not proven. -EPERM: it may no longer be asked for. */
static int threads_pointer(struct memory *m, struct thread *one, const struct threads *t)
{
	uint64_t list = 0;
	size_t size;
	int r = syscall(SYS_get_robust_list, one->tid, &list, &size) < 0 ? -errno : 0;

	if (r == 0 && list > THREADS_LIST_AT &&
		threads_verify(m, list - THREADS_LIST_AT, one->inside))
		one->pointer = list - THREADS_LIST_AT;
	else if (threads_verify(m, t->hint, one->inside))
		one->pointer = t->hint;
	return r == -EPERM && !one->pointer ? r : 0;
}

/* What its status says of system calls in this thread. */
static void threads_status(const char *status, struct threads *t)
{
	long seccomp = procfs_status(status, "Seccomp", 1);

	t->strict |= seccomp == THREADS_STRICT;
	if (seccomp)
		t->no_calls = "a thread has a seccomp filter, which may forbid it";
	else if (!t->no_calls && procfs_status(status, "NoNewPrivs", 0))
		t->no_calls = "a thread has set no_new_privs, and may install a seccomp filter at "
			      "any moment";
}

/* Does it run no code of the process: a zombie, one that has ended, a worker of the kernel?
 * Negative: a shortage keeps us from knowing. */
static int threads_idle(int proc, pid_t tid)
{
	struct procfs_stat stat;
	int r;

	r = procfs_stat(proc, &stat, "task/%d/stat", (int)tid);
	if (error_is_shortage(r))
		return r;
	return r < 0 || strchr("ZXx", stat.state) ? 1 : threads_is_worker(proc, tid);
}

/* Read one thread; it may have ended meanwhile. 0 or a negative errno. */
static int threads_read(int proc, pid_t tid, struct memory *m, bool calls, struct threads *t)
{
	struct thread one = {.tid = tid, .inside = (uint32_t)tid}, *added;
	char *status = NULL;
	int r;

	if (calls || !t->near) {
		r = procfs_read(proc, &status, NULL, "task/%d/status", (int)tid);
		if (r < 0)
			return error_is_shortage(r) ? r : 0;
		one.inside = (uint32_t)procfs_status_last(status, "NSpid", tid);
	}
	r = threads_pointer(m, &one, t);
	if (r == 0 && !one.pointer)
		r = threads_idle(proc, tid);
	added = r ? NULL : array_add(&t->all);
	if (added) {
		if (status)
			threads_status(status, t);
		t->foreign = t->foreign && !one.pointer;
		*added = one;
	}
	free(status);
	return r == 0 && !added ? -ENOMEM : r < 0 ? r : 0;
}

/* Does the process hold a userfaultfd? One of its threads may have to serve the fault of another.
 * Negative: its descriptors cannot be read. */
static int threads_serves_faults(int proc)
{
	static const char name[] = "anon_inode:[userfaultfd]";
	/* A thread that has ended, as the leader may have, shows no descriptors. */
	DIR *list = procfs_list(procfs_open(proc, O_RDONLY | O_DIRECTORY, "task/%d/fd",
		(int)identity_find_thread(proc, false)));
	char text[sizeof name];
	struct dirent *entry;
	int found = list ? 0 : -1;

	while (!found && (entry = readdir(list)))
		found = readlinkat(dirfd(list), entry->d_name, text, sizeof text) ==
				(ssize_t)sizeof name - 1 &&
			!memcmp(text, name, sizeof name - 1);
	if (list)
		closedir(list);
	return found;
}

/* Has every pointer that is proven one owner? */
static bool threads_distinct(const struct threads *t)
{
	uint64_t *pointers = calloc(t->all.count + 1, sizeof *pointers);
	bool distinct = pointers;

	for (size_t i = 0; distinct && i < t->all.count; i++)
		pointers[i] = ARRAY_AT(&t->all, struct thread, i)->pointer;
	distinct = distinct && order_by_number(pointers, t->all.count, sizeof *pointers, 0);
	for (size_t i = 1; distinct && i < t->all.count; i++)
		distinct = !pointers[i] || pointers[i - 1] != pointers[i];
	free(pointers);
	return distinct;
}

int threads_look(int proc, struct memory *m, bool calls, struct threads *t)
{
	DIR *list = procfs_list(procfs_open(proc, O_RDONLY | O_DIRECTORY, "task"));
	struct dirent *entry;
	uint64_t numbers[2];
	char *status;
	int r = list ? 0 : -errno, serves;

	*t = (struct threads){.hint = t->hint, .near = true, .foreign = true};
	t->all = ARRAY_OF(struct thread);
	/* One number: it is in our pid namespace. */
	if (procfs_read(proc, &status, NULL, "status") == 0)
		t->near = procfs_status_numbers(status, "NSpid", 10, numbers, 2) < 2;
	free(status);
	while (r == 0 && (entry = readdir(list)))
		if (entry->d_name[0] != '.')
			r = threads_read(proc, atoi(entry->d_name), m, calls, t);
	if (list)
		closedir(list);
	t->distinct = r == 0 && threads_distinct(t);
	serves = calls && !t->no_calls && r == 0 ? threads_serves_faults(proc) : 0;
	if (serves)
		t->no_calls =
			serves < 0
				? "it may hold a userfaultfd, since its descriptors cannot be read"
				: "the process holds a userfaultfd, and may have to serve the "
				  "fault that the call would cause";
	if (r < 0)
		t->no_calls = "its threads cannot be read";
	return r;
}

void threads_done(struct threads *t)
{
	array_done(&t->all);
}
