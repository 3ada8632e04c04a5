/* The arguments of a probe, explained: type and place of each, site by site. As a text. */
#ifndef UI_TUI_VIEWS_ARGUMENTS_H
#define UI_TUI_VIEWS_ARGUMENTS_H

#include "ui/tui/rows/model.h"
#include "ui/tui/widgets/pager.h"

void arguments_build(struct pager *l, const struct model *m, uint32_t row, int columns);

/* "signed, 8 bytes" of an argument; "register %rbx", "memory at %rsp-20" of its place. Pure;
 * both return out. */
const char *arguments_type(const struct probes_argument *a, char *out, size_t size);
const char *arguments_place(const struct probes_argument *a, char *out, size_t size);

#endif
