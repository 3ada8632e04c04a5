/* The list of pairs. */
#ifndef UI_TUI_VIEWS_VIEW_PAIRS_H
#define UI_TUI_VIEWS_VIEW_PAIRS_H

#include "ui/tui/app/app.h"
#include "ui/tui/terminal/canvas.h"

void view_pairs_draw(const struct app *a, struct canvas *c);

/* One pair as a line, without the cursor's mark. Returns out. */
const char *view_pairs_line(
	const struct model *m, const struct pairs_one *one, char *out, size_t size);

#endif
