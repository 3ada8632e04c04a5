/*
 * The parts of the list that can be chosen: columns, and the pane of details. Pure.
 */
#ifndef UI_COLUMNS_H
#define UI_COLUMNS_H

#include <stddef.h>

enum column { /* in the order in which they stand */
	COLUMN_SITES,
	COLUMN_REF,
	COLUMN_PROCESSES,
	COLUMN_WHO,
	COLUMN_OBJECT,
	COLUMN_ARGUMENTS,
	COLUMN_DETAIL, /* the pane */
	COLUMN_COUNT
};

#define COLUMNS_NAMES "sites,ref,proc,who,object,arguments,detail"

const char *columns_name(enum column column);

/*
 * "sites,who" : only these are wanted; "all" and "none" are words, too. hidden: those that are not,
 * as bits (1 << column, or'ed). Returns 0, or -1: a word is no column's name.
 */
int columns_parse(const char *text, unsigned *hidden);

#endif
