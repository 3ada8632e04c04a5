/* The detail view's text: everything known about one row. */
#ifndef UI_TUI_DETAIL_H
#define UI_TUI_DETAIL_H

#include "ui/tui/lines.h"
#include "ui/tui/model.h"

/* columns: of the terminal, to break long lines at. */
void detail_build(struct lines *l, const struct model *m, uint32_t row, int columns);

/* "arg1 s64 @%rbx  arg2 u32 @-20(%rbp)" of a raw argument string; "" for none. Returns out. */
const char *detail_arguments(const char *raw, char *out, size_t size);

/* "Req.handle+0x12  gw/req.ml:118" of a site; "" where that is not known. Returns out. */
const char *detail_where(
	struct probes_session *s, size_t probe, size_t site, char *out, size_t size);

#endif
