/* Why a probe is odd: which of its sites and counts disagree, in each process. As a text. */
#ifndef UI_TUI_ODD_H
#define UI_TUI_ODD_H

#include "ui/tui/lines.h"
#include "ui/tui/model.h"

void odd_build(struct lines *l, const struct model *m, uint32_t row, int columns);

/* Is there something to explain? */
bool odd_is(enum probes_state state);
/* What its counts say, in any process: is it to be on? */
bool odd_counts_say_on(const struct row *r);

#endif
