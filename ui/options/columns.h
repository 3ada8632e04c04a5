/*
 * The columns of the list, from left to right. A new column is one row here, and its cell and its
 * order in ui/tui/rows/column.c. All else (the list, saved files, sorting, -columns, the key c,
 * help) is made from this table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* COLUMN(identifier, name, fields of struct column): these are always shown, */
#define COLUMNS_FIXED(COLUMN)                                                          \
	COLUMN(STATE, state, .title = "STATE", .width = 14, .narrow = 5, .live = true) \
	COLUMN(PROBE, probe, .title = "PROBE", .width = 24, .narrow = 16)
/* and of these -columns and the key c choose. */
#define COLUMNS_CHOSEN(COLUMN)                                                                     \
	COLUMN(SITES, sites, .keep = 7, .title = "SITES", .width = 5, .number = true,              \
		.form = " n/m",                                                                    \
		.help = "n of m sites are on (or counted, if they have no switch); m alone: none", \
		.recorded = "hits of n of its m sites were recorded; m alone: of none")            \
	COLUMN(SEMAPHORE, sem, .keep = 4, .title = "SEM", .width = 5, .number = true,              \
		.live = true, .single = true,                                                      \
		.help = "its semaphore: how many parties want it on; - : it has none")             \
	COLUMN(RATE, rate, .keep = 8, .title = "HITS/s", .width = 6, .number = true, .live = true, \
		.hits = true,                                                                      \
		.help = "hits a second, over the last interval; ~ : not all of its sites are "     \
			"counted; the rest may be hit as well")                                    \
	COLUMN(TREND, trend, .keep = 5, .title = "TREND", .width = 6, .live = true, .hits = true,  \
		.help = "hits of the last minute, the newest at the right; each row is scaled to " \
			"its own maximum")                                                         \
	COLUMN(TOTAL, total, .keep = 6, .title = "TOTAL", .width = 8, .number = true,              \
		.live = true, .hits = true,                                                        \
		.help = "hits since this session counts (i shows every digit); ~ : some may be "   \
			"missing (i says why)",                                                    \
		.recorded = "its events in the recording; ~ : not all of its sites were recorded") \
	COLUMN(PROCESSES, proc, .keep = 3, .title = "PROC", .width = 4, .number = true,            \
		.live = true, .help = "how many of the processes have it")                         \
	COLUMN(HOLDER, held, .keep = 2, .title = "HELD BY", .width = 7, .live = true,              \
		.single = true,                                                                    \
		.help = "you: this session; you+1: and one more party; other: not this session; "  \
			"int3: another tool's breakpoint; ? : code and semaphore disagree")        \
	COLUMN(OBJECT, object, .keep = 1, .title = "OBJECT", .width = 9,                           \
		.help = "the file it is in; * : deleted or replaced on disk")                      \
	COLUMN(ARGUMENTS, arguments, .title = "ARGUMENTS", .width = 16)
#define COLUMNS(COLUMN) COLUMNS_FIXED(COLUMN) COLUMNS_CHOSEN(COLUMN)

#define COLUMNS_IDENTIFIER(identifier, ...) COLUMN_##identifier,
enum column_id {
	COLUMNS(COLUMNS_IDENTIFIER) /**/
	COLUMN_COUNT,
	COLUMN_FIRST_CHOSEN = COLUMN_SITES,
	COLUMN_DETAIL = COLUMN_COUNT, /* the pane of details: no column, but chosen as one */
};

struct column {
	const char *name;     /* in -columns, in :sort and in the header */
	const char *title;    /* over the column */
	const char *form;     /* what a cell looks like, for the help view, or NULL */
	const char *help;     /* or NULL */
	const char *recorded; /* the same, of a recording; NULL: no difference */
	int width;            /* the least */
	int narrow;           /* likewise on a narrow screen, or 0: the same */
	bool number;          /* stands at the right edge, and the largest comes first */
	bool live;            /* the cells change while nobody touches a key */
	bool single;          /* says nothing about a group of probes */
	bool hits;            /* about hits: shown only while some probe is counted */
	int keep;             /* where there is no room, the column with the lowest gives way */
};

/* "sites,count,...,detail": what can be chosen. */
#define COLUMNS_WORD(identifier, name, ...) #name ","
#define COLUMNS_NAMES COLUMNS_CHOSEN(COLUMNS_WORD) "detail"
/* What can be chosen, as a set: bits 1 << enum column_id. */
#define COLUMNS_ALL ((2u << COLUMN_DETAIL) - (1u << COLUMN_FIRST_CHOSEN))

const char *columns_name(enum column_id column);
/* The column of this name, or of one that it had before; -1: none. */
int columns_find(const char *name, size_t length);

/*
 * A choice: "sites,held" shows only these; "all" and "none" are words, too. Returns 0 and sets
 * *hidden, or -1: some word names nothing that can be chosen.
 */
int columns_parse(const char *text, unsigned *hidden);
