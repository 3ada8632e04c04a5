/*
 * Counting by the kernel: a uprobe at a site, for one process, and the BPF program that counts its
 * hits. It needs nothing in the process but the breakpoint that the kernel writes. When its
 * descriptors are closed, also because we were killed, the kernel puts the byte back.
 *
 *     site   90 -> cc   the kernel passes over the nop itself: no single step
 *     event  perf_event_open(2), for one thread: the breakpoint is written into the memory of that
 *            thread's process only, and the program runs for every thread that hits it there,
 *            including threads created later. The event's own count covers only that one thread;
 *            it is not used
 *     map    counters of 8 bytes, mapped here: reading them costs no system call
 *
 * A forked child inherits the breakpoint, but not the uprobe: at the child's first hit, which is
 * not counted, the kernel puts the byte back (uprobe_perf_func, handler_chain in
 * kernel/events/uprobes.c).
 */
#pragma once

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define UPROBE_COUNTERS 512 /* of one map: a page */

/* A counter, and the uprobe that adds to it. */
struct uprobe {
	int event;         /* -1: it does not count */
	int map;           /* that holds its counter */
	uint32_t at;       /* offset of the counter there, bytes */
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

/* The process has ended: close what counted there. The last hits stay. */
void uprobes_end(struct uprobes *u);

/* NULL if the kernel lets us place uprobes, or why not, in one line. A refusal is not remembered.
 */
const char *uprobes_why_not(struct uprobes *u);

/* Make a counter that no uprobe adds to yet; 0 or a negative errno. `u` owns it. */
int uprobes_add(struct uprobes *u, struct uprobe **one);

/*
 * Place the uprobe at an offset of the file that the descriptor `file` holds open, for the process
 * of the thread `tid`, and count from 0. 0 or a negative errno; -EINVAL also if another tool's
 * uprobe at that place uses another semaphore.
 */
int uprobe_attach(
	const struct uprobes *u, struct uprobe *one, pid_t tid, int file, uint64_t offset);

/* Remove it. The counter keeps its value. No effect if it is not attached. */
void uprobe_detach(struct uprobe *one);

static inline bool uprobe_attached(const struct uprobe *one)
{
	return one && one->event >= 0;
}

uint64_t uprobe_hits(const struct uprobe *one);
