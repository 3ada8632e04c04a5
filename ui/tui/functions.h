/*
 * The functions that a row's sites lie in, looked up when first asked for, and
 * kept.
 */
#ifndef UI_TUI_FUNCTIONS_H
#define UI_TUI_FUNCTIONS_H

#include "ui/tui/model.h"

#include <stddef.h>
#include <stdint.h>

#define FUNCTIONS_SITES 1000 /* of a row; more are not looked up */

struct functions_row {
	char **names; /* each once; safe for the terminal */
	size_t count, capacity;
	bool known;
};

struct functions {
	struct functions_row *rows;
	size_t count, capacity;
};

void functions_done(struct functions *f);
/* The i-th one of a row, or NULL: it has not so many. */
const char *functions_at(struct functions *f, const struct model *m, uint32_t row, size_t i);

#endif
