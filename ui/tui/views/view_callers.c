/* Which functions the hits of a probe come from, most first. Sums all processes. */
#include "ui/tui/views/view.h"

#include "ui/figures/event.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"
#include "ui/words/reasons.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define VIEW_CALLERS_MOST 1000 /* in the table */

/* How many hits, since when; what is missing. */
static void view_callers_figures(struct app *a)
{
	const struct feed *f = &a->events.feed;
	const struct callers *c = &f->callers;
	struct reasons reasons = {0};
	struct model_member member;
	char text[TEXT_MAX], why[TEXT_MAX], time[EVENT_TIME_BYTES];

	snprintf(text, sizeof text, "%" PRIu64 " hit%s from %zu caller%s", c->hits, line_s(c->hits),
		c->count, line_s(c->count));
	if (c->hits)
		text_addf(text, sizeof text, " since %s", event_time(f->summed_ns, false, time));
	view_text_label(a, STYLE_PLAIN, "callers", text);
	if (a->replay && c->hits && f->no_callers)
		view_text_label(a, STYLE_WARN, "unknown",
			"the recording holds no callers (events -callers records them)");
	for (uint32_t at = a->model.rows[f->chosen].member;
		!a->replay && model_next(&a->model, &at, &member);)
		reasons_add_callers(&reasons, member.session, member.probe);
	for (size_t i = 0; i < reasons.count; i++) {
		snprintf(text, sizeof text, "at %zu site%s: %s", reasons.all[i].sites,
			line_s(reasons.all[i].sites),
			text_clean(reasons.all[i].why, why, sizeof why));
		view_text_label(a, STYLE_WARN, "unknown", text);
	}
	if (!c->rows || c->failed)
		view_text_label(
			a, STYLE_WARN, "missing", "out of memory: not all callers are counted");
}

static void view_callers_table(struct app *a)
{
	const struct callers *c = &a->events.feed.callers;
	const struct callers_row **all = callers_sorted(c);
	uint64_t rest = c->hits - c->others;
	char safe[TEXT_MAX];
	size_t shown = 0;

	if (c->hits)
		pager_addf(&a->text.pager, STYLE_HEAD, "  %*s   SHARE  CALLER",
			VIEW_COUNT_WIDTH(a->columns >= VIEW_WIDE), "HITS");
	for (; all && shown < c->count && shown < VIEW_CALLERS_MOST; shown++) {
		rest -= all[shown]->hits;
		view_share_line(a, STYLE_PLAIN, all[shown]->hits, c->hits, true,
			text_shown(all[shown]->text, safe, sizeof safe));
	}
	snprintf(safe, sizeof safe, "(%zu other callers)", c->count - shown);
	if (rest)
		view_share_line(a, STYLE_DIM, rest, c->hits, true, safe);
	snprintf(safe, sizeof safe, "(callers beyond the first %zu distinct ones)", c->count);
	if (c->others)
		view_share_line(a, STYLE_DIM, c->others, c->hits, true, safe);
	free(all);
}

static void view_callers_build(struct app *a)
{
	a->text.row = a->events.feed.chosen;
	view_text_begin(a, "Callers of %.100s", a->model.rows[a->text.row].label);
	view_events_label(a);
	view_callers_figures(a);
	view_callers_table(a);
}

const struct view_ops view_callers_ops = {
	VIEW_TEXT_OPS,
	.where = IN_CALLERS,
	.build = view_callers_build,
	.refresh = view_callers_build,
	.request = view_events_leave,
	.row = view_text_row,
	.write = view_text_write_headed,
};
