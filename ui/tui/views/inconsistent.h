/* Why a probe is odd: which of its sites and counts disagree, in each process. As a text. */
#ifndef UI_TUI_VIEWS_INCONSISTENT_H
#define UI_TUI_VIEWS_INCONSISTENT_H

#include "ui/tui/rows/model.h"
#include "ui/tui/widgets/pager.h"

void inconsistent_build(struct pager *l, const struct model *m, uint32_t row, int columns);

/* Is there something to explain? */
bool inconsistent_is(enum probes_state state);
/* What its counts say, in any process: is it to be on? */
bool inconsistent_counts_say_on(const struct row *r);

#endif
