/* The code view's text: the instructions around each site of a row, as they are in memory. */
#ifndef UI_TUI_VIEWS_CODE_H
#define UI_TUI_VIEWS_CODE_H

#include "ui/tui/rows/model.h"
#include "ui/tui/widgets/pager.h"

void code_build(struct pager *l, const struct model *m, uint32_t row);

#endif
