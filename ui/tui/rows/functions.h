/*
 * The functions that a row's sites lie in, looked up when first asked for, and
 * kept.
 */
#ifndef UI_TUI_ROWS_FUNCTIONS_H
#define UI_TUI_ROWS_FUNCTIONS_H

#include "ui/tui/rows/model.h"

#include <stddef.h>
#include <stdint.h>

#define FUNCTIONS_SITES 1000 /* of a row; more are not looked up */

struct functions_row {
	char **names; /* each once; safe for the terminal */
	size_t count, capacity;
	uint32_t next; /* site to look up */
	bool known;    /* all of them have been */
};

struct functions {
	struct functions_row *rows;
	size_t count, capacity;
	int64_t until_ms; /* look up no more after this moment */
	size_t waiting;   /* rows that this was too short for */
};

/* From now on look up for so long: a large program takes seconds, which no key may wait for. */
void functions_begin(struct functions *f, int ms);
void functions_done(struct functions *f);
/* The i-th one of a row, or NULL: it has not so many, or (then `waiting` grows) time is up. */
const char *functions_at(struct functions *f, const struct model *m, uint32_t row, size_t i);

#endif
