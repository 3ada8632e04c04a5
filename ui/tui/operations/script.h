/* The record of a session: its operations with time and command lines, and the user's marks. */
#pragma once

#include "ui/tui/operations/feed.h"
#include "ui/tui/operations/operation.h"

#include <stdio.h>
#include <time.h>

struct script_entry {
	time_t when;
	char *text;    /* description of the operation, or the mark; safe for the terminal */
	char *command; /* command lines; NULL: a mark */
};

struct script {
	struct script_entry *all;
	size_t count, capacity;
};

void script_done(struct script *r);
/* Add an operation, unless it wrote nothing. `prefix`: "", "undo: ", "redo: ". */
void script_operation(
	struct script *r, const struct model *m, const char *prefix, const struct operation *o);
/* Add that a pair is measured from now on. `stop`: its sites needed a stop. */
void script_latency(
	struct script *r, const struct model *m, uint32_t start, uint32_t end, bool stop);
/* Add that the events of rows are kept from now on. */
void script_events(struct script *r, const struct model *m, const uint32_t *ids, size_t count,
	const struct feed_ask *ask);
void script_mark(struct script *r, const char *text);
/* The last operation, or NULL. */
const struct script_entry *script_last(const struct script *r);
/* Write the record as a shell script that repeats the session. Returns the number of operations. */
size_t script_text(const struct script *r, const struct model *m, FILE *out);
