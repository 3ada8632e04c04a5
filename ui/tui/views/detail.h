/* The detail view's text: everything known about one row. */
#ifndef UI_TUI_VIEWS_DETAIL_H
#define UI_TUI_VIEWS_DETAIL_H

#include "ui/tui/rows/model.h"
#include "ui/tui/widgets/pager.h"

/* columns: of the terminal, to break long lines at. */
void detail_build(struct pager *l, const struct model *m, uint32_t row, int columns);

/* What a short form of it has room for. */
struct detail_room {
	int rows, columns;
	const char *where; /* of the first site, or "" */
};

/* The same in a few lines: sums of the row, and one of its processes. */
void detail_glance(struct pager *l, const struct model *m, uint32_t row,
	const struct model_member *member, const struct detail_room *room);

/* "Req.handle+0x12  gw/req.ml:118" of a site; "" where that is not known. Returns out. */
const char *detail_where(
	struct probes_session *s, size_t probe, size_t site, char *out, size_t size);

/* The same of what is known already; base: the file without its folders. Returns out. */
const char *detail_place(const struct probes_source *where, bool base, char *out, size_t size);

#endif
