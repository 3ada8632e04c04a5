/*
 * The probe under the cursor at a glance. Of several processes the first that
 * is still there is shown, site by site; the sums are of all.
 */
#include "ui/tui/views/glance.h"

#include "ui/tui/terminal/text.h"
#include "ui/tui/views/detail.h"

#include <stdio.h>
#include <string.h>

void glance_init(struct glance *g)
{
	*g = (struct glance){.row = MODEL_NONE};
}

void glance_done(struct glance *g)
{
	pager_done(&g->pane);
	glance_init(g);
}

/* The row's part in the first process that is still there, else in the first. */
static struct model_member glance_member(const struct model *m, uint32_t row)
{
	struct model_member member;

	for (uint32_t at = m->rows[row].member; model_next(m, &at, &member);) {
		if (!m->processes[member.process].gone)
			return member;
	}
	return model_member(m, row);
}

void glance_update(struct glance *g, const struct model *m, uint32_t row, int rows, int columns)
{
	struct model_member member;

	if (row != g->row) {
		g->row = row;
		g->where[0] = '\0';
		g->looked = false;
	}
	pager_clear(&g->pane);
	if (row == MODEL_NONE || rows <= 0)
		return;
	member = glance_member(m, row);
	detail_glance(&g->pane, m, row, &member, &(struct detail_room){rows, columns, g->where});
}

void glance_look(struct glance *g, const struct model *m)
{
	struct model_member member = glance_member(m, g->row);
	struct probes_session *s = m->processes[member.process].session;
	struct probes_source where;
	char text[sizeof g->where];

	g->looked = true;
	if (!probes_at(s, member.probe)->site_count)
		return;
	probes_source(s, member.probe, 0, &where);
	if (*detail_place(&where, true, text, sizeof text))
		text_addf(g->where, sizeof g->where, "in %s", text);
}
