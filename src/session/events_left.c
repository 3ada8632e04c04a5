/*
 * Records that children by fork claimed and never filled, because they were killed meanwhile: all
 * writers would pass them by from then on. They are freed from outside, once no process is left
 * that has the number of the claim. Claims of a process that lives are left to its own hits
 * (count/events.h).
 *
 * While a mark is odd, nobody writes there but its own process, or this file.
 */
#include "session/events.h"

#include "process/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>

#define EVENTS_LEFT_NS 100000000 /* between two searches */

static bool events_left_by_child(uint64_t mark)
{
	uint16_t process = EVENTS_CLAIM_PROCESS(mark);

	return mark & 1 && process && process != EVENTS_CHILDREN - 1;
}

void events_left_note(struct events *ev, uint64_t mark)
{
	ev->left = ev->left || events_left_by_child(mark);
}

/* May a process have the window: was it forked, without exec since? *unknown: it may. */
static bool events_left_suspect(const char *pid, bool *unknown)
{
	struct procfs_stat stat;
	char path[300];
	int r;

	snprintf(path, sizeof path, "/proc/%s/stat", pid);
	r = procfs_stat(AT_FDCWD, path, &stat);
	if (r < 0) {
		*unknown = *unknown || (r != -ENOENT && r != -ESRCH);
		return false;
	}
	if (!(stat.flags & PROCFS_FORKED) || stat.flags & PROCFS_KERNEL_THREAD)
		return false;
	/* Its memory cannot be read by the number of a leader that has ended. */
	if (stat.state == 'Z')
		*unknown = *unknown || stat.threads > 1;
	return stat.state != 'Z';
}

/* Which numbers do live processes have at this address? False: not all of them can be known. */
static bool events_left_living(uint64_t cookie, bool *lives)
{
	DIR *proc = opendir("/proc");
	struct procfs_stat first;
	struct dirent *entry;
	/* Are those of other users hidden? */
	bool unknown = !proc || procfs_stat(AT_FDCWD, "/proc/1/stat", &first) < 0;

	while (!unknown && (entry = readdir(proc))) {
		uint64_t value;
		struct iovec to = {&value, sizeof value};
		struct iovec from = {(void *)(uintptr_t)cookie, sizeof value};

		if (!isdigit((unsigned char)entry->d_name[0]) ||
			!events_left_suspect(entry->d_name, &unknown))
			continue;
		if (process_vm_readv(atoi(entry->d_name), &to, 1, &from, 1, 0) ==
			(ssize_t)sizeof value)
			lives[value >> 48] = true;
		else
			unknown = unknown || (errno != EFAULT && errno != ESRCH);
	}
	if (proc)
		closedir(proc);
	return !unknown;
}

/* Two writes: in between the mark is still odd. */
static void events_left_clear(
	struct window *w, struct memory *m, size_t at, uint64_t mark, size_t record)
{
	const uint64_t freed = EVENTS_FREED(record);
	const unsigned char *bytes = (const unsigned char *)&freed;
	uint64_t now;

	if (window_get(w, m, at, &now, sizeof now) && now == mark &&
		window_put(w, m, at + 1, bytes + 1, sizeof freed - 1))
		(void)window_put(w, m, at, bytes, 1);
}

/* The marks come first: a number that nobody has afterwards is that of a process which has ended.
 */
static void events_left_free_ring(
	struct probes_session *s, struct events *ev, const struct events_window *ew, size_t ring)
{
	struct window *w = ARRAY_AT(&s->windows, struct window, ew->window);
	const struct events_shape *shape = &events_shapes[ring];
	size_t at = offsetof(struct recorder_state, events) + shape->at;
	bool *lives = calloc(EVENTS_CHILDREN, sizeof *lives);

	if (lives && window_get(w, &s->memory, at, ev->copy, shape->records * shape->size) &&
		events_left_living(window_cookie(w), lives))
		for (size_t i = 0; i < shape->records; i++) {
			uint64_t mark =
				((const struct events_record *)(ev->copy + i * shape->size))->mark;

			if (events_left_by_child(mark) && !lives[EVENTS_CLAIM_PROCESS(mark)])
				events_left_clear(w, &s->memory, at + i * shape->size, mark, i);
		}
	free(lives);
}

void events_left_free(struct probes_session *s, struct events *ev, int64_t now)
{
	if (!ev->left || now < ev->freed)
		return;
	for (size_t i = 0; i < ev->windows.count; i++) {
		const struct events_window *ew = ARRAY_AT(&ev->windows, struct events_window, i);

		for (size_t ring = 0; ring < EVENTS_RINGS; ring++)
			if (ew->rings >> ring & 1)
				events_left_free_ring(s, ev, ew, ring);
	}

	ev->left = false;
	ev->freed = now + EVENTS_LEFT_NS;
}
