/*
 * A recording instead of processes. Its processes are sessions that the file describes; its events
 * are read from the file again for each question, in passes, slice by slice, so that no key waits
 * and little is kept. One pass reads a pipe, too. Nothing in the file is trusted.
 */
#pragma once

#include <stdio.h>

#include "probes.h"
#include "ui/recording/recording.h"

/* One reading of what follows the descriptions. All zero: none has begun. */
struct replay_pass {
	bool on;  /* there is more to read */
	off_t at; /* in the file */
	size_t lines;
	uint64_t events;           /* read so far, of all probes */
	uint64_t lost;             /* so far */
	int64_t first_ns, last_ns; /* of the events; 0: none yet */
	bool ended;                /* the recording has an end, and it was read: */
	struct recording_end end;  /* without `how`, */
	char how[100];             /* which is untrusted */
	char why[300];             /* why reading ended early, untrusted; "": it did not */
};

/* A process of the recording. */
struct replay_process {
	struct probes_member member;
	const char *comm;
	size_t first;     /* of its probes in replay.probes; by probe of its session: */
	uint64_t *events; /* read so far, by replay_count */
	uint32_t *kept;   /* sites whose hits are events */
	bool latency;     /* there are no events: latency was recorded */
};

struct replay {
	FILE *file;
	off_t size;
	struct recording recording; /* its descriptions */
	struct replay_process *processes;
	size_t *local; /* by probe of the recording: its index in the session of its process */
	struct probes_described *probes; /* of the sessions, one process after the other */
	uint64_t *events;                /* of these, each */
	uint32_t *kept;
	struct probes_object *objects; /* of one process */
	size_t probe_count;
	struct replay_pass begin;    /* a pass that has not read anything */
	struct replay_pass total;    /* which counts the events of each probe */
	off_t position;              /* of the file; -1: unknown */
	struct recording_item first; /* behind the descriptions: */
	size_t first_bytes;          /* it was read with them, and is the next one; 0: it is not */
	char line[RECORDING_LINE];
};

/* Open a file and read what it describes, up to the first event. Close it after an error, too. */
PROBES_CHECK int replay_open(const char *path, struct replay **replay, struct probes_error *e);
void replay_close(struct replay *r); /* NULL is allowed */

/*
 * Read a slice of a pass, for about 20 ms, and call `each` for what it says; sets pass.on. The
 * probes of an item are those of the recording.
 */
typedef void replay_fn(void *data, const struct recording_item *item);
void replay_read(struct replay *r, struct replay_pass *pass, replay_fn *each, void *data);

/* Go on counting the events of each probe. True: there was something to read. */
bool replay_count(struct replay *r);

/* How far a pass is, per cent of the file. */
int replay_percent(const struct replay *r, const struct replay_pass *pass);
