/*
 * The probe under the cursor at a glance: where it lies, and, where there is room for a pane beside
 * or below the list, its states, semaphores and sites.
 */
#ifndef UI_TUI_VIEWS_GLANCE_H
#define UI_TUI_VIEWS_GLANCE_H

#include "ui/tui/rows/model.h"
#include "ui/tui/widgets/pager.h"

#include <stdbool.h>
#include <stdint.h>

struct glance {
	uint32_t row;    /* that it is about, or MODEL_NONE */
	char where[200]; /* "in handle+0x12  req.ml:118" of its first site; "": not known */
	bool looked;     /* for that */
	struct pager pane;
};

void glance_init(struct glance *g);
void glance_done(struct glance *g);

/* Bring it up to date with a row (MODEL_NONE: there is none); a pane of no rows is not written. */
void glance_update(struct glance *g, const struct model *m, uint32_t row, int rows, int columns);

/* Look up where the probe lies. The first look at an object may take a second: not while keys
 * come. */
void glance_look(struct glance *g, const struct model *m);

#endif
