/*
 * A row as columns of text, at any width. Pure.
 */
#ifndef UI_TUI_ROWS_ROWTEXT_H
#define UI_TUI_ROWS_ROWTEXT_H

#include "ui/columns.h"
#include "ui/tui/rows/groups.h"
#include "ui/tui/rows/row.h"

#include <stdbool.h>
#include <stddef.h>

#define ROWTEXT_WIDE 100 /* columns from which on there is room for arguments */

enum rowtext_column {
	ROWTEXT_MARK, /* cursor and tag */
	ROWTEXT_STATE,
	ROWTEXT_NAME,
	ROWTEXT_SITES,
	ROWTEXT_REF,
	ROWTEXT_PROCESSES,
	ROWTEXT_WHO,
	ROWTEXT_OBJECT,
	ROWTEXT_ARGUMENTS,
	ROWTEXT_COLUMNS,
	ROWTEXT_CHOICE =
		ROWTEXT_SITES, /* from here on a column can be hidden: COLUMN_SITES and on */
};

/* Where each column begins and how wide it is; width 0: there is no room for it. */
struct rowtext_layout {
	struct rowtext_place {
		int x, width;
	} at[ROWTEXT_COLUMNS];
};

/* What the widths depend on. */
struct rowtext_needs {
	int width;           /* of the screen */
	int widest;          /* columns of the longest provider:name */
	uint32_t most_sites; /* of a row */
	bool several;        /* processes */
	bool argued;         /* some probes have arguments */
	unsigned hidden;     /* columns that are not wanted: bits of enum column */
};

void rowtext_arrange(struct rowtext_layout *l, const struct rowtext_needs *needs);
const char *rowtext_heading(enum rowtext_column column);
/* One cell, not cut to its width. Returns out. */
const char *rowtext_cell(
	const struct row *r, enum rowtext_column column, bool cursor, char *out, size_t size);
/* The same of a group of the tree. */
const char *rowtext_group(
	const struct group *g, enum rowtext_column column, bool cursor, char *out, size_t size);
/* "[*]" and so on. */
const char *rowtext_state(enum probes_state state);

#endif
