/*
 * Events in the Trace Event Format, which Perfetto and chrome://tracing open: an array of objects,
 * of which the one that begins something and the one that ends it are a slice of their thread.
 * Pure.
 *
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 */
#ifndef UI_CHROME_H
#define UI_CHROME_H

#include "probes.h"
#include "ui/pair.h"

/* The threads that were named. All zero is empty. */
struct chrome {
	struct chrome_thread {
		pid_t pid, tid;
		char name[16];
	} * threads;
	size_t count, capacity;
};

/*
 * Which half of a slice each probe is: if its partner is among these probes, too, and every hit of
 * both is an event now. The caller frees the array, which has one byte for each probe of the
 * session (enum pair_role). NULL: not enough memory.
 */
unsigned char *chrome_roles(
	const struct probes_session *session, const size_t *probes, size_t count);

/*
 * One event, in one line without an end; or the name of its thread, if that is new or has changed:
 * then call it again. The caller frees the text. NULL: not enough memory.
 */
char *chrome_event(struct chrome *c, const struct probes_probe *probe, enum pair_role role,
	const struct probes_event *event, bool *again);

void chrome_done(struct chrome *c);

#endif
