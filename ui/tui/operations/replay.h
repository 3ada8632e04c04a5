/*
 * A recording that the screen shows instead of processes. Its processes are sessions that the file
 * describes; its events are read from the file again for each question, in passes, slice by slice,
 * so that no key waits and little is kept. Knows no screen. Nothing in the file is trusted.
 */
#ifndef UI_TUI_OPERATIONS_REPLAY_H
#define UI_TUI_OPERATIONS_REPLAY_H

#include "probes.h"
#include "ui/recording/recording.h"
#include "ui/tui/rows/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
	char how[100];             /* which is safe for the terminal */
	char why[300]; /* why reading ended early, safe for the terminal; "": it did not */
};

/* A process of the recording: the same index in the model. */
struct replay_process {
	struct probes_session *session;
	struct model_recorded of; /* by probe of the session; it owns the arrays */
};

struct replay {
	char *path; /* of the file */
	FILE *file;
	off_t size;
	struct recording recording; /* its descriptions */
	struct replay_process *processes;
	size_t *local; /* by probe of the recording: its index in the session of its process */
	struct probes_described *probes; /* of the sessions, one process after the other */
	size_t probe_count;
	struct replay_pass begin; /* a pass that has not read anything */
	struct replay_pass total; /* which counts the events of each probe */
	off_t position;           /* of the file; -1: unknown */
	char line[RECORDING_LINE];
};

/* Open a file and read what it describes, up to the first event. */
PROBES_CHECK int replay_open(const char *path, struct replay **replay, struct probes_error *e);
void replay_close(struct replay *r); /* NULL is allowed */

/* Add its processes to an empty model, which must not outlive it. */
void replay_add(struct replay *r, struct model *m);

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

/* "42 % is read"; "it ended: interrupted"; "line 7 of the recording cannot be read: ...". Returns
 * out. */
const char *replay_state(
	const struct replay *r, const struct replay_pass *pass, char *out, size_t size);

#endif
