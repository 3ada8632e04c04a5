/*
 * What the columns of the list show, where they stand, and how the list is sorted by them. The
 * table of columns is ui/options/columns.h. Pure.
 */
#pragma once

#include "ui/options/columns.h"
#include "ui/tui/rows/groups.h"
#include "ui/tui/rows/row.h"

#define COLUMN_ARGUMENTS_FROM 100 /* columns of the screen from which on arguments are shown */
#define COLUMN_WORDS_FROM 60      /* and states by words; below, by marks */

extern const struct column column_table[COLUMN_COUNT];

/* Where each column begins and how wide it is; width 0: it is not shown. */
struct column_layout {
	struct column_place {
		int x, width;
	} at[COLUMN_COUNT];
	bool narrow; /* states are marks, not words */
	bool bare;   /* names stand without their providers */
	bool more;   /* scrolling shows more: of a name or of other columns */
};

/* What the widths depend on. */
struct column_needs {
	int width;       /* of the screen */
	int widest;      /* columns of the longest provider:name */
	int widest_name; /* of the longest name, where it may stand alone; else 0 */
	int widest_object;
	int scroll;          /* how many columns after PROBE are scrolled off */
	uint32_t most_sites; /* of a row */
	bool several;        /* processes */
	bool argued;         /* some probes have arguments */
	bool counted;        /* the hits of some are counted */
	bool unswitchable;   /* no probe has anything to switch */
	unsigned hidden;     /* columns that are not wanted: see columns_parse */
};

/* The name gets what the others leave. Where that is too little for it, columns are dropped. */
void column_arrange(struct column_layout *l, const struct column_needs *needs);

/* One cell, not cut to its width; that of the state is its word. Returns out. */
const char *column_cell(const struct row *r, enum column_id column, char *out, size_t size);
/* The same of a group of the tree. */
const char *column_group(const struct group *g, enum column_id column, char *out, size_t size);
/* A cell in exactly the width of its column: numbers to the right, names cut in the middle. */
const char *column_fit(char *out, size_t size, const struct column_layout *l, enum column_id column,
	const char *text);

/* Bring row numbers into the order of a column; equals keep the order of their names. */
void column_sort(
	const struct row *rows, uint32_t *ids, size_t count, enum column_id column, bool invert);
