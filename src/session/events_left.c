/*
 * Records that forked children claimed and never filled, because they were killed meanwhile: all
 * writers would pass them by from then on. They are freed from outside, once no process is left
 * that has the number of the claim. Claims of a process that lives are left to its own hits
 * (count/events.h).
 *
 * While a mark is odd, nobody writes there but its own process, or this file.
 */
#include "session/events.h"

#include "count/space.h"
#include "process/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

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

/*
 * The number that a process has for this arena; -1: it does not map it. Memory that cannot be read
 * may be swapped out: only the list of what it maps can be relied on.
 */
static int events_left_number(int proc, const struct arena *w, uint64_t began, bool *unknown)
{
	struct procfs_stat stat;
	struct memory memory;
	uint64_t cookie;
	int number = -1, r = procfs_stat(proc, &stat, "stat");

	if (r < 0)
		*unknown = *unknown || (r != -ENOENT && r != -ESRCH);
	/* A copy of that of the arena was forked after that began, and has not called exec since.
	 */
	if (r < 0 || !(stat.flags & PROCFS_FORKED) || stat.flags & PROCFS_KERNEL_THREAD ||
		stat.start_time < began)
		return -1;
	/* Its memory cannot be read by the number of a leader that has ended. */
	if (stat.state == 'Z') {
		*unknown = *unknown || stat.threads > 1;
		return -1;
	}
	/* By the descriptor: a number may be that of another pid namespace, whose /proc this is. */
	memory_open(&memory, proc, 0, false);
	if (memory_read(&memory, arena_cookie(w), &cookie, sizeof cookie)) {
		number = (int)(cookie >> 48);
	} else {
		r = space_has_arena(proc, w->inode, 0);
		*unknown = *unknown || (r != 0 && r != -ENOENT && r != -ESRCH);
	}
	memory_close(&memory);
	return number;
}

/*
 * Which numbers do live processes have? False: not all of them can be known. Those of the process
 * itself are below it in the tree of pid namespaces: who sees it, sees them.
 */
static bool events_left_living(struct probes_session *s, const struct arena *w, bool *lives)
{
	struct procfs_stat first;
	struct dirent *entry;
	uint64_t own = 0;
	bool unknown =
		!memory_read(&s->memory, arena_cookie(w), &own, sizeof own) || !own || own >> 48;
	DIR *proc = unknown ? NULL : opendir("/proc");

	/* Are those of other users hidden? */
	unknown = !proc || procfs_stat(AT_FDCWD, &first, "/proc/1/stat") < 0;
	while (!unknown && (entry = readdir(proc))) {
		int one, number = -1;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		one = openat(dirfd(proc), entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (one >= 0) {
			number = events_left_number(one, w, s->who.start_time, &unknown);
			close(one);
		} else {
			unknown = errno != ENOENT;
		}
		if (number >= 0)
			lives[number] = true;
	}
	if (proc)
		closedir(proc);
	return !unknown;
}

/* The marks come first: a number that nobody has afterwards is that of a process which has ended.
 */
static void events_left_free_ring(
	struct probes_session *s, struct events *ev, const struct events_arena *ew, size_t ring)
{
	struct arena *w = ARRAY_AT(&s->arenas, struct arena, ew->arena);
	const struct events_shape *shape = &events_shapes[ring];
	size_t at = offsetof(struct recorder_state, events) + shape->at;
	bool *lives = calloc(EVENTS_CHILDREN, sizeof *lives);
	struct memory *m = &s->memory;

	if (lives && arena_get(w, m, at, ev->copy, shape->records * shape->size) &&
		events_left_living(s, w, lives))
		for (size_t i = 0; i < shape->records; i++, at += shape->size) {
			uint64_t mark =
				((const struct events_entry *)(ev->copy + i * shape->size))->mark;
			const uint64_t freed = EVENTS_FREED(i);
			const unsigned char *bytes = (const unsigned char *)&freed;
			uint64_t now;

			/* Two writes: in between the mark is still odd. */
			if (events_left_by_child(mark) && !lives[EVENTS_CLAIM_PROCESS(mark)] &&
				arena_get(w, m, at, &now, sizeof now) && now == mark &&
				arena_put(w, m, at + 1, bytes + 1, sizeof freed - 1))
				(void)arena_put(w, m, at, bytes, 1);
		}
	free(lives);
}

void events_left_free(struct probes_session *s, struct events *ev, int64_t now)
{
	if (!ev->left || now < ev->freed)
		return;
	ARRAY_EACH(const struct events_arena, ew, &ev->arenas)
		for (size_t ring = 0; ring < EVENTS_RINGS; ring++)
			if (ew->rings >> ring & 1)
				events_left_free_ring(s, ev, ew, ring);

	ev->left = false;
	ev->freed = now + EVENTS_LEFT_NS;
}
