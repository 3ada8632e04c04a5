/*
 * The probe under the cursor: where it lies, and, where there is room for a pane beside or below
 * the list, its states, semaphores and sites. Of several processes the pane shows the sites of the
 * first that is still there; the sums are of all.
 */
#include "ui/tui/views/view.h"

#include "ui/tui/terminal/text.h"

#include <stdio.h>

#define VIEW_GLANCE_MS 200 /* without a key: time to look into symbol tables */

void view_glance_update(struct app *a, const struct view_list_areas *areas)
{
	struct app_glance *g = &a->glance;
	uint32_t row = list_current(&a->list);
	struct model_member member;

	if (row != g->row) {
		g->row = row;
		g->where[0] = '\0';
		g->looked = false;
	}
	pager_clear(&g->pane);
	if (row == MODEL_NONE || areas->pane.rows <= 2)
		return;
	if (g->looked && feed_has(&a->events.feed, row))
		feed_choose(&a->events.feed, &a->model, row);
	member = model_member_alive(&a->model, row);
	view_detail_glance(a, &member, areas->pane.rows - 2, a->columns - areas->pane_column - 2);
}

void view_glance_draw(const struct app *a, struct canvas *c, const struct view_list_areas *areas)
{
	const struct area *pane = &areas->pane;
	uint32_t row = a->glance.row;
	const char *text = row == MODEL_NONE ? "" : a->model.rows[row].label;
	int columns = c->columns - areas->pane_column, room = columns - 24,
	    width = text_width(text);
	char title[TEXT_MAX] = "no probe under the cursor", label[TEXT_MAX];

	if (!pane->rows)
		return;
	if (*text)
		snprintf(title, sizeof title, "%s  (i: all of it)",
			text_fit(label, sizeof label, text, width < room ? width : room));
	canvas_frame(c, *pane, areas->pane_column, columns, title);
	pager_draw(&a->glance.pane, c, (struct area){.y = pane->y + 1, .rows = pane->rows - 2}, 0);
	canvas_whole(c);
}

int64_t view_glance_wait(const struct app *a)
{
	int64_t wait = a->last_key_ms + VIEW_GLANCE_MS - now_ms();

	if (a->prompt.ops || a->glance.row == MODEL_NONE || a->glance.looked)
		return -1;
	return wait > 0 ? wait : 0;
}

void view_glance_poll(struct app *a)
{
	struct app_glance *g = &a->glance;
	struct model_member member;
	struct probes_session *s;
	char text[sizeof g->where];

	/* The first look at an object may take a second: not while keys come. */
	if (view_glance_wait(a) != 0 || app_key_waits())
		return;
	g->looked = true;
	member = model_member_alive(&a->model, g->row);
	s = member.session;
	if (probes_at(s, member.probe)->site_count &&
		*view_detail_where(s, member.probe, 0, true, text, sizeof text))
		text_addf(g->where, sizeof g->where, "in %s", text);
	a->dirty = true;
}
