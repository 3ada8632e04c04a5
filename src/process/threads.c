#include "process/threads.h"

#include "base/error.h"
#include "base/order.h"
#include "process/identity.h"
#include "process/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS_STRICT 1 /* SECCOMP_MODE_STRICT, linux/seccomp.h */

/* Is this the thread pointer of a thread with this tid, by what lies behind it? */
static bool threads_verify(struct memory *m, uint64_t pointer, uint32_t inside)
{
	uint64_t head[3];
	uint32_t tid;

	return pointer && inside && memory_read(m, pointer, head, sizeof head) &&
	       head[0] == pointer && head[THREADS_SELF_AT / 8] == pointer &&
	       memory_read(m, pointer + THREADS_TID_AT, &tid, sizeof tid) && tid == inside;
}

static uint64_t threads_pointer(
	struct memory *m, pid_t tid, uint32_t inside, const struct threads *t)
{
	uint64_t list = 0;
	size_t size;

	if (syscall(SYS_get_robust_list, tid, &list, &size) == 0 && list > THREADS_LIST_AT &&
		threads_verify(m, list - THREADS_LIST_AT, inside))
		return list - THREADS_LIST_AT;
	return threads_verify(m, t->hint, inside) ? t->hint : 0;
}

/* What its status says of system calls in this thread; and its tid as its process sees it. */
static void threads_status(const char *status, struct thread *one, struct threads *t)
{
	long seccomp = procfs_status(status, "Seccomp", 1);

	one->inside = (uint32_t)procfs_status_last(status, "NSpid", one->tid);
	t->strict |= seccomp == THREADS_STRICT;
	if (seccomp)
		t->no_calls = "a thread has a seccomp filter, which may forbid it";
	else if (!t->no_calls && procfs_status(status, "NoNewPrivs", 0))
		t->no_calls = "a thread has set no_new_privs, and may install a seccomp filter at "
			      "any moment";
}

/* Is the thread a zombie, or has it ended? */
static bool threads_dead(int tasks, const char *name)
{
	struct procfs_stat stat;
	char file[300];

	snprintf(file, sizeof file, "%s/stat", name);
	return procfs_stat(tasks, file, &stat) < 0 || strchr("ZXx", stat.state);
}

/* Read one thread; it may have ended meanwhile. 0 or a negative errno. */
static int threads_read(
	int tasks, const char *name, struct memory *m, bool calls, struct threads *t)
{
	struct thread one = {.tid = atoi(name)}, *added;
	char file[300], *status = NULL;
	size_t size;
	int r = 0;

	one.inside = (uint32_t)one.tid;
	if (calls || !t->near) {
		snprintf(file, sizeof file, "%s/status", name);
		r = procfs_read(tasks, file, &status, &size);
		if (r == 0)
			threads_status(status, &one, t);
		free(status);
		if (r < 0)
			return error_is_shortage(r) ? r : 0;
	}
	one.pointer = threads_pointer(m, one.tid, one.inside, t);
	if (!one.pointer && threads_dead(tasks, name))
		return 0;
	added = array_add(&t->all);
	if (!added)
		return -ENOMEM;
	t->foreign = t->foreign && !one.pointer;
	*added = one;
	return 0;
}

/* Does the process hold a userfaultfd? One of its threads may have to serve the fault of another.
 */
static bool threads_serves_faults(int proc)
{
	static const char name[] = "anon_inode:[userfaultfd]";
	char text[sizeof name], path[32];
	struct dirent *entry;
	bool found;
	DIR *list;
	int fd;

	/* A thread that has ended, as the leader may have, shows no descriptors. */
	snprintf(path, sizeof path, "task/%d/fd", (int)identity_living_thread(proc));
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	list = fd < 0 ? NULL : fdopendir(fd);
	found = !list; /* or nobody knows */
	while (!found && (entry = readdir(list)))
		found = readlinkat(fd, entry->d_name, text, sizeof text) ==
				(ssize_t)sizeof name - 1 &&
			!memcmp(text, name, sizeof name - 1);
	if (list)
		closedir(list);
	else if (fd >= 0)
		close(fd);
	return found;
}

/* Is the process in our pid namespace? */
static bool threads_near(int proc)
{
	uint64_t numbers[2];
	char *status = NULL;
	size_t size, count;

	if (procfs_read(proc, "status", &status, &size) < 0)
		return true;
	count = procfs_status_numbers(status, "NSpid", 10, numbers, 2);
	free(status);
	return count < 2;
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
	int tasks = openat(proc, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = tasks < 0 ? NULL : fdopendir(tasks);
	struct dirent *entry;
	int r = list ? 0 : -errno;

	*t = (struct threads){.hint = t->hint, .near = threads_near(proc), .foreign = true};
	array_init(&t->all, sizeof(struct thread));
	while (r == 0 && (entry = readdir(list)))
		if (entry->d_name[0] != '.')
			r = threads_read(tasks, entry->d_name, m, calls, t);
	if (list)
		closedir(list);
	else if (tasks >= 0)
		close(tasks);
	t->distinct = r == 0 && threads_distinct(t);
	if (calls && !t->no_calls && r == 0 && threads_serves_faults(proc))
		t->no_calls = "the process holds a userfaultfd, and may have to serve the fault "
			      "that the call would cause";
	if (r < 0)
		t->no_calls = "its threads cannot be read";
	return r;
}

void threads_done(struct threads *t)
{
	array_done(&t->all);
}
