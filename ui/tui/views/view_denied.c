/*
 * The permission-denied screen, in a box: what works, what does not, why, and what would help. The
 * facts are the engine's.
 */
#include "ui/tui/views/view.h"

#include "ui/words/report.h"

#include <stdio.h>

static void view_denied_layout(struct app *a)
{
	static const struct {
		const char *label;
		int style;
	} marks[] = {
		[PROBES_ACCESS_OK] = {"  ok    ", STYLE_PLAIN},
		[PROBES_ACCESS_FAIL] = {"  FAIL  ", STYLE_BAD},
		[PROBES_ACCESS_WHY] = {"  why   ", STYLE_TITLE},
	};
	const struct probes_access *can = &a->access;
	struct pager *l = &a->text.pager;
	int width = a->columns - 2, tries = 0;
	char head[300], label[16];

	pager_clear(l);
	snprintf(head, sizeof head, "%s: %s", a->title,
		!can->can_list     ? "CANNOT LIST, READ OR SWITCH PROBES"
		: !can->can_read   ? "CANNOT READ STATE OR SWITCH PROBES"
		: !can->can_switch ? "CANNOT SWITCH PROBES"
				   : "PERMITTED NOW");
	pager_wrap(l, STYLE_BAD, " ", head, width);
	for (size_t i = 0; i < can->count; i++) {
		const struct probes_access_check *check = &can->checks[i];
		char text[1200];

		/* A process that was chosen on the screen is not in the call that was typed. */
		if (*check->as && a->picker.used)
			snprintf(text, sizeof text, "%s probes-tui -pid %d", check->as, app_pid(a));
		else
			report_try(check->as, check->text, text, sizeof text);
		if (check->mark != PROBES_ACCESS_TRY) {
			pager_wrap(
				l, marks[check->mark].style, marks[check->mark].label, text, width);
			continue;
		}
		if (!tries++)
			pager_wrap(l, STYLE_TITLE, " ", "One of these is enough:", width);
		snprintf(label, sizeof label, "  %2d  ", tries);
		pager_wrap(l, STYLE_PLAIN, label, text, width);
	}
	view_text_layout(a);
}

/* As high as the text, or as the terminal. */
static void view_denied_draw(const struct app *a, struct canvas *c)
{
	const struct pager *l = &a->text.pager;
	struct area text = {.y = 1, .rows = app_view_rows(a)};
	int last;

	if ((size_t)text.rows > l->count)
		text.rows = (int)l->count;
	last = 2 + text.rows;
	canvas_frame(c, (struct area){.y = 0, .rows = last + 1}, 0, c->columns, "");
	pager_draw(l, c, text, 0);
	canvas_put(c, last - 1, 1, -1, STYLE_PLAIN, "Nothing in the target was changed.");
	if (l->top + (size_t)text.rows < l->count)
		canvas_put(c, last, 2, -1, STYLE_KEY, " j: more ");
	canvas_whole(c);
}

const struct view_ops view_denied_ops = {
	.where = IN_DENIED,
	.around = 3,
	.layout = view_denied_layout,
	.draw = view_denied_draw,
	.move = view_text_move,
};
