/* What a verb prints: the rows of one process (or file) after another, and how formats do it. */
#ifndef UI_OUTPUT_ROWS_H
#define UI_OUTPUT_ROWS_H

#include <stdio.h>

#include "probes.h"
#include "ui/options/options.h"

/* One probe, and its part of a result. */
struct rows_one {
	size_t probe;
	const struct probes_item *item; /* or NULL */
};

/* Some probes of one session; rows_done frees the items. */
struct rows {
	struct probes_session *session;
	struct rows_one *items;
	size_t count;
	const struct probes_result *result; /* of the action, or NULL */
	bool live;                          /* states have been read */
	bool hits;                          /* hits have been read, too: some are counted */
};

struct output;

/* A format: begin once, rows or plan for each process, end once. */
struct format_ops {
	void (*begin)(struct output *o); /* or NULL */
	void (*rows)(struct output *o, const struct rows *rows);
	void (*plan)(struct output *o, const struct rows *rows); /* the edits of rows->result */
	void (*end)(struct output *o);                           /* or NULL */
};

/* Where and how to print. */
struct output {
	FILE *file;
	const struct format_ops *ops;
	bool many;      /* rows of several processes follow each other */
	bool quiet;     /* rows only */
	bool verbose;   /* all that is known */
	size_t printed; /* processes */
};

/* A header line, then a line per probe (RFC 4180 quoting, lines end with LF). */
extern const struct format_ops csv_ops;
/* One object per process, in the shape of probes-tui(1); an array of them for several. */
extern const struct format_ops json_ops;

/* The probes that -provider and -object leave: see probes_find. */
PROBES_CHECK int rows_chosen(struct rows *rows, struct probes_session *session,
	const struct options *o, struct probes_error *e);
/* The probes of a result, in its order. */
PROBES_CHECK int rows_acted(struct rows *rows, struct probes_session *session,
	const struct probes_result *result, struct probes_error *e);
/* Read the states, and where something is counted the hits; of these probes only. */
PROBES_CHECK int rows_refresh(struct rows *rows, struct probes_error *e);
/* After the states were read: the hits, where something is counted. */
void rows_read_hits(struct rows *rows);
void rows_done(struct rows *rows);

/* Where states were not read: none where the notes alone say so, or unknown. */
enum probes_state rows_state(const struct rows *rows, size_t probe);
/* The hits of the sites that are counted. False: none is, or they were not read. */
bool rows_hits(const struct rows *rows, size_t probe, struct probes_hits *hits);
/* "site", "semaphore" or "jump": what an edit changes. */
const char *rows_role(enum probes_role role);
/* ok, skipped or failed. */
const char *rows_outcome(enum probes_outcome outcome);
/* The count of a probe's semaphores. False: it has none, they differ, or they were not read. */
bool rows_ref(const struct rows *rows, size_t probe, uint32_t *ref);

#endif
