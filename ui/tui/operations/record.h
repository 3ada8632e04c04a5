/*
 * The record of a session: what was done when, as command lines, and marks.
 */
#ifndef UI_TUI_OPERATIONS_RECORD_H
#define UI_TUI_OPERATIONS_RECORD_H

#include "ui/tui/operations/operation.h"

#include <stdio.h>
#include <time.h>

struct record_entry {
	time_t when;
	char *text;    /* what it was, or the mark; safe for the terminal */
	char *command; /* lines; NULL: a mark */
};

struct record {
	struct record_entry *all;
	size_t count, capacity;
};

void record_done(struct record *r);
/* A deed that wrote something; prefix: "undo: " and so on. */
void record_operation(
	struct record *r, const struct model *m, const char *prefix, const struct operation *d);
void record_mark(struct record *r, const char *text);
/* What was done last (no mark), or NULL. */
const struct record_entry *record_last(const struct record *r);
/* All of it as a script that does it again; returns how many actions it has. */
size_t record_script(const struct record *r, const struct model *m, FILE *out);

#endif
