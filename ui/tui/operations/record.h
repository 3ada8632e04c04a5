/*
 * The record of a session: its operations with time and command lines, and the user's marks.
 */
#ifndef UI_TUI_OPERATIONS_RECORD_H
#define UI_TUI_OPERATIONS_RECORD_H

#include "ui/tui/operations/feed.h"
#include "ui/tui/operations/operation.h"

#include <stdio.h>
#include <time.h>

struct record_entry {
	time_t when;
	char *text;    /* description of the operation, or the mark; safe for the terminal */
	char *command; /* command lines; NULL: a mark */
};

struct record {
	struct record_entry *all;
	size_t count, capacity;
};

void record_done(struct record *r);
/* Add an operation, unless it wrote nothing. `prefix`: "", "undo: ", "redo: ". */
void record_operation(
	struct record *r, const struct model *m, const char *prefix, const struct operation *o);
/* Add that a pair is measured from now on. `stop`: its sites needed a stop. */
void record_latency(
	struct record *r, const struct model *m, uint32_t start, uint32_t end, bool stop);
/* Add that the events of rows are kept from now on. */
void record_events(struct record *r, const struct model *m, const uint32_t *ids, size_t count,
	const struct feed_ask *ask);
void record_mark(struct record *r, const char *text);
/* The last operation, or NULL. */
const struct record_entry *record_last(const struct record *r);
/* Write the record as a shell script that repeats the session. Returns the number of operations. */
size_t record_script(const struct record *r, const struct model *m, FILE *out);

#endif
