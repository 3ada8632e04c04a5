/*
 * Counters of the kernel: a uprobe at a site, for one process, and the BPF program that counts its
 * hits. It needs nothing in the process but the breakpoint that the kernel writes, and nothing of
 * it outlives its descriptors: when they are closed, or we are killed, the kernel puts the byte
 * back.
 *
 *     site   90 -> cc   the kernel passes over the nop itself: no single step
 *     event  perf_event_open(2), for one thread: the breakpoint is written into the memory of that
 *            thread's process alone, and the program runs for every thread that hits it there, also
 *            for threads born later. The event's own count is of that thread alone; nobody reads it
 *     map    counters of 8 bytes, mapped here: reading them costs no system call
 *
 * A child by fork inherits the byte and not the uprobe: the kernel restores the byte at the child's
 * first hit, which is not counted (uprobe_perf_func, handler_chain in kernel/events/uprobes.c).
 */
#ifndef COUNT_UPROBE_H
#define COUNT_UPROBE_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define UPROBE_COUNTERS 512 /* of one map: a page */

/* A counter, and the uprobe that adds to it. */
struct uprobe {
	int event;         /* -1: it does not count */
	int map;           /* which its program adds to */
	uint32_t at;       /* of its counter there, bytes */
	uint64_t *counter; /* the same, mapped here */
};

/* Those of a session. */
struct uprobes {
	struct array all;  /* struct uprobe *: none is removed */
	struct array maps; /* struct uprobes_map */
	bool ready;
	int type; /* of perf_event_attr */
};

void uprobes_init(struct uprobes *u);
void uprobes_done(struct uprobes *u);

/* Does the kernel let us place uprobes? Tried until it does. NULL, or why not, in one line. */
const char *uprobes_why_not(struct uprobes *u);

/* A counter that nobody adds to yet; 0 or a negative errno. The session owns it. */
int uprobes_add(struct uprobes *u, struct uprobe **one);

/*
 * Count from 0 on: place the uprobe at an offset of the file that is open at `file`, for the
 * process that the thread `tid` belongs to. 0 or a negative errno; -EINVAL also where another
 * tool's uprobe at that place uses another semaphore.
 */
int uprobe_attach(
	const struct uprobes *u, struct uprobe *one, pid_t tid, int file, uint64_t offset);

/* Remove it, wherever it is. The counter holds the last hit. */
void uprobe_detach(struct uprobe *one);

static inline bool uprobe_attached(const struct uprobe *one)
{
	return one && one->event >= 0;
}

uint64_t uprobe_hits(const struct uprobe *one);

#endif
