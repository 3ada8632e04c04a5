/*
 * Events in the Trace Event Format, which Perfetto and chrome://tracing open: an array of objects,
 * of which the one that begins something and the one that ends it are a slice of their thread.
 * Pure.
 *
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 */
#pragma once

#include "probes.h"
#include "ui/words/pair.h"

/* The threads that had events. All zero is empty. */
struct chrome {
	struct chrome_thread {
		pid_t pid, tid;
		char name[16]; /* "": not known yet */
		unsigned open; /* slices that have begun and not ended */
	} * threads;
	size_t count, capacity;
};

/* A probe of a process, and which half of a slice it is. */
struct chrome_probe {
	const char *provider, *name;
	bool whole; /* every hit of it is an event: half of a slice would be a lie */
	enum pair_role role;
};

/* Fill the roles of the probes of one process: slices have both halves here, and whole. */
void chrome_roles(struct chrome_probe *probes, size_t count);

/* The name of a process, in one line without an end. The caller frees the text; NULL: no memory. */
char *chrome_process(pid_t pid, const char *name);

/*
 * How often a probe is hit from a time on, until the next such line of it; in one line without an
 * end. The caller frees the text. NULL: not enough memory.
 */
char *chrome_rate(const struct probes_probe *probe, pid_t pid, int64_t time_ns, double rate);

/*
 * One event, in one line without an end; or the name of its thread, if that is new or has changed:
 * then call it again. The caller frees the text. NULL: not enough memory.
 */
char *chrome_event(struct chrome *c, const struct probes_probe *probe, enum pair_role role,
	const struct probes_event *event, bool *again);

void chrome_done(struct chrome *c);
