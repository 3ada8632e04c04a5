/* What the live values of a probe mean: on, off, some, other, odd, unreadable. Pure. */
#ifndef PROBE_STATE_H
#define PROBE_STATE_H

#include "probe/holding.h"

/*
 * Judge one probe from the bytes and counts that a reader stored in its holding, and
 * store the result there. An odd answer is to be confirmed by a second reading.
 */
void state_judge(struct holding *h, size_t local);

/* Judge anew whether the probe is raised by us: what is ours has changed. */
void state_judge_mine(struct holding *h, size_t local);

#endif
