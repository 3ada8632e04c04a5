/* Callers: C keeps the events of a probe, as v does, with their callers, and counts these. */
#include "ui/tui/actions/act.h"

void act_callers(struct app *a, enum request r)
{
	struct feed *f = &a->events.feed;
	bool can = app_have(a) & NEED_CONDITION;
	struct feed_ask ask = f->ask;
	uint32_t row;

	if (!act_events_row(a, &row))
		return;
	if (feed_has(f, row) && (can && !a->replay ? feed_on(f) : a->replay || f->ask.callers)) {
		feed_choose(f, &a->model, row);
		ask.callers = true;
		if (!f->ask.callers && !act_events_change(a, ask))
			return;
		app_open(a, VIEW_CALLERS);
	} else if (can) {
		ask = (struct feed_ask){.callers = true};
		act_events_of(a, app_select(row), &ask, VIEW_CALLERS, row);
	} else {
		act_refuse(a, REQUEST_HITS);
	}
}
