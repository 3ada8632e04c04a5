/*
 * The times from the events of one probe, the start, to those of another one, the end: what latency
 * measures in a process, computed afterwards. Pure.
 */
#pragma once

#include "probes.h"

struct pairing {
	unsigned by; /* 0: by thread; else by this argument */
	struct probes_latency sum;
	void *open; /* the threads or keys, a tree (tsearch(3)) */
};

/* A pairing that is all zero but for `by` is empty. */
void pairing_done(struct pairing *p);

/*
 * Add an event of the start or the end, in the order of time. As in the process: by thread the
 * outermost start counts; by an argument the last one. An event whose thread or argument is not
 * known is lost.
 */
void pairing_add(struct pairing *p, bool end, const struct probes_event *event);
