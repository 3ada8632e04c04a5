/* The code view's text: the instructions around each site of a row, as they are in memory. */
#ifndef UI_TUI_CODE_H
#define UI_TUI_CODE_H

#include "ui/tui/lines.h"
#include "ui/tui/model.h"

void code_build(struct lines *l, const struct model *m, uint32_t row);

#endif
