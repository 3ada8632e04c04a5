/* What a verb prints: the rows of one process (or file) after another, and how formats do it. */
#pragma once

#include <stdio.h>

#include "probes.h"
#include "ui/options/options.h"
#include "ui/output/emit.h"

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

/* Where and how to print: the rows or the plan of one process after another. */
struct output {
	FILE *file;
	struct emit emit; /* a list where there are many; without ops, the format is text: */
	void (*text)(struct output *o, const struct rows *rows);
	bool many;      /* rows of several processes follow each other */
	bool quiet;     /* rows only */
	bool verbose;   /* all that is known */
	size_t printed; /* processes */
};

/* In a format for programs: the rows; or the edits of rows->result, too, which are rows of CSV. */
void rows_emit(struct output *o, const struct rows *rows, bool plan);

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
