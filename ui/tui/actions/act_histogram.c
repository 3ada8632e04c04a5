/*
 * The values of an argument: A keeps the events of a probe, as v does, and counts the values of its
 * first argument; again: of the next one.
 */
#include "ui/tui/actions/act.h"

/* How many arguments the sites of a row have at most. */
static unsigned act_histogram_arguments(const struct app *a, uint32_t row)
{
	struct model_member member = model_member(&a->model, row);
	const struct probes_probe *p =
		probes_at(a->model.processes[member.process].session, member.probe);
	struct probes_argument all[PROBES_EVENT_ARGUMENTS];
	size_t most = 0;

	for (uint32_t i = 0; i < p->site_count; i++) {
		size_t count = probes_arguments(p->sites[i].arguments, all, PROBES_EVENT_ARGUMENTS);

		most = count > most ? count : most;
	}
	return (unsigned)(most < PROBES_EVENT_ARGUMENTS ? most : PROBES_EVENT_ARGUMENTS);
}

void act_histogram(struct app *a, enum request r)
{
	struct feed *f = &a->events.feed;
	uint32_t row;

	if (!act_events_row(a, &row))
		return;
	if (!act_histogram_arguments(a, row)) {
		app_complain(a, "%.80s has no arguments", a->model.rows[row].label);
		return;
	}
	if (feed_has(f, row) && (feed_on(f) || !(app_have(a) & NEED_SWITCH))) {
		if (!a->events.argument || !f->values || f->chosen != row)
			a->events.argument = 1;
		feed_choose(f, &a->model, row);
		app_open(a, VIEW_HISTOGRAM);
	} else if (app_have(a) & NEED_CONDITION) {
		a->events.argument = 1;
		act_events_of(a, app_select(row), &(struct feed_ask){0}, VIEW_HISTOGRAM, row);
	} else {
		act_refuse(a, REQUEST_HITS);
	}
}

void act_histogram_next(struct app *a, enum request r)
{
	const struct feed *f = &a->events.feed;
	unsigned count = act_histogram_arguments(a, f->chosen);

	if (count < 2)
		app_say(a, "%.80s has only this argument", a->model.rows[f->chosen].label);
	a->events.argument = a->events.argument % count + 1;
	app_open(a, VIEW_HISTOGRAM);
}
