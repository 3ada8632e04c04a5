/*
 * How long a pair takes, in all processes of the screen that have both its probes. That these are
 * counted is an operation (operation.h) of its own. Of a recording it is computed from the events,
 * or is what latency recorded. Knows rows, sessions and recordings, not the screen.
 */
#pragma once

#include "probes.h"
#include "ui/figures/pairing.h"
#include "ui/recording/replay.h"
#include "ui/tui/rows/model.h"

/* The pair in one process. */
struct timing_part {
	uint32_t process; /* of the model */
	struct probes_session *session;
	size_t probes[2]; /* start and end, in the session */
	bool on;          /* it is measured now */
	bool measured;    /* since the last reset it was, if only for a while */
	struct probes_latency now;
	char why[160];          /* why it is not, safe for the terminal */
	struct pairing pairing; /* of a recording: its events */
};

struct timing {
	bool used;           /* there is something to show */
	uint32_t start, end; /* rows */
	struct timing_part *parts;
	size_t count;
	struct probes_latency sum;
	struct trend trend; /* of the pairs that were matched */
	int64_t from_ms;    /* the last reset */
	int64_t covered_ns; /* from that to the last reading: what the sum covers */
	double rate; /* what costs something, a second: matched and nested ones; of an interval, */
	uint64_t rated;   /* and how many there were at its end, */
	int64_t rated_ms; /* which was then */

	struct replay *replay;        /* the recording that holds it; NULL: it is measured */
	struct replay_pass pass;      /* of it */
	struct timing_part **part_of; /* of it, by process of the model; NULL: none */
	unsigned by;                  /* matched by this argument; 0: by thread */
	bool recorded;                /* latency recorded it */
	bool over;                    /* it was measured no longer: -max-overhead */
};

void timing_done(struct timing *t);

/*
 * Measure a pair, by thread, in each process that counts both its probes; an earlier pair ends. 0,
 * if some process is measured; else the negative errno of the first that is not, with its error.
 */
PROBES_CHECK int timing_begin(struct timing *t, const struct model *m, uint32_t start, uint32_t end,
	int64_t ms, struct probes_error *e);

/* Start again from 0. 0, or the negative errno of the first process that failed. */
PROBES_CHECK int timing_reset(
	struct timing *t, const struct model *m, int64_t ms, struct probes_error *e);

/*
 * Read what was measured, at a time of a clock that never goes back. Where a probe of the pair is
 * no longer counted, or the process is gone, measuring ends.
 */
void timing_read(struct timing *t, const struct model *m, int64_t ms);

/* Stop measuring; what was measured until then, `ms`, stays. */
void timing_end(struct timing *t, const struct model *m, int64_t ms);

/* Read a slice of the recording, if there is one that was not read to its end. True: there was. */
bool timing_replay(struct timing *t);

/* Is the pair measured in some process? */
bool timing_on(const struct timing *t);
