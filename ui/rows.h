/*
 * What a verb prints: rows of one process (or file) after another, and the
 * contract of an output format.
 */
#ifndef UI_ROWS_H
#define UI_ROWS_H

#include <stdio.h>

#include "probes.h"
#include "ui/options.h"

/* One probe, and what became of it where something was done. */
struct rows_one {
	size_t probe;
	const struct probes_item *item; /* or NULL */
};

/* The rows of one session; the items belong to it (rows_done). */
struct rows {
	struct probes_session *session;
	struct rows_one *items;
	size_t count;
	const struct probes_result *result; /* of the action, or NULL */
	bool live;                          /* states have been read */
};

/* Where and how to print. */
struct format_sheet {
	FILE *out;
	bool many;     /* rows of several processes follow each other */
	bool quiet;    /* rows only */
	bool verbose;  /* all that is known */
	size_t blocks; /* how many processes were printed */
};

/* A format: begin once, rows or plan for each process, end once. */
struct format_ops {
	void (*begin)(struct format_sheet *s);
	void (*rows)(struct format_sheet *s, const struct rows *rows);
	void (*plan)(
		struct format_sheet *s, const struct rows *rows); /* the writes of rows->result */
	void (*end)(struct format_sheet *s);
};

/* The probes that -provider and -object leave: see probes_find. */
PROBES_CHECK int rows_chosen(struct rows *rows, struct probes_session *session,
	const struct options *o, struct probes_error *e);
/* The probes that an action looked at, in its order. */
PROBES_CHECK int rows_acted(struct rows *rows, struct probes_session *session,
	const struct probes_result *result, struct probes_error *e);
/* Read the states of just these probes. */
PROBES_CHECK int rows_refresh(struct rows *rows, struct probes_error *e);
void rows_done(struct rows *rows);

/* ok, skipped or failed. */
const char *rows_outcome(enum probes_outcome outcome);
/* The count of a probe's semaphores; false where there is none, or they differ. */
bool rows_ref(const struct rows *rows, size_t probe, uint32_t *ref);

#endif
