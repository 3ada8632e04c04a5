/* What the live values of a probe mean: on, off, partial, foreign, inconsistent, unreadable. Pure.
 */
#ifndef PROBE_STATE_H
#define PROBE_STATE_H

#include "probe/object_probes.h"

/*
 * Judge one probe from the bytes and counts that a reader stored in its object_probes, and
 * store the result there. An inconsistent one is to be confirmed by a second reading.
 */
void state_judge(struct object_probes *h, size_t local);

/* Judge anew whether the probe is raised by us: what is ours has changed. */
void state_judge_mine(struct object_probes *h, size_t local);

#endif
