/*
 * Ready questions on the screen: those that fit its processes, and what answers one: the latency of
 * a pair, events, or hits.
 */
#include "ui/tui/actions/act.h"

#include "ui/options/options.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdlib.h>
#include <string.h>

/* The row of "provider:name", or MODEL_NONE. */
static uint32_t act_ask_row(const struct model *m, const char *label)
{
	for (size_t i = 0; i < m->row_count; i++)
		if (!strcmp(m->rows[i].label, label) && m->rows[i].state != PROBES_UNLOADED)
			return (uint32_t)i;
	return MODEL_NONE;
}

/* Do what the call says, with the rows here. False: this screen cannot. */
static bool act_ask_do(struct app *a, const struct options *o)
{
	const struct probes_action *first = &o->actions.items[0];
	struct app_selection s = {0};
	struct feed_ask ask;

	if (o->verb == VERB_LATENCY && !o->by) {
		struct pairs_one pair = {.start = act_ask_row(&a->model, first->text),
			.end = act_ask_row(&a->model, first->second)};

		if (pair.start == MODEL_NONE || pair.end == MODEL_NONE)
			return false;
		app_open(a, VIEW_LIST);
		act_latency_of(a, &pair);
		return true;
	}
	if (o->verb != VERB_COUNT && o->verb != VERB_EVENTS)
		return false;
	s.rows = mem_array(o->actions.count, sizeof *s.rows);
	for (size_t i = 0; i < o->actions.count; i++) {
		uint32_t row = act_ask_row(&a->model, o->actions.items[i].text);

		if (row != MODEL_NONE &&
			(o->verb == VERB_EVENTS || !a->model.rows[row].mine_counted))
			s.rows[s.count++] = row;
	}
	app_open(a, VIEW_LIST);
	if (o->verb == VERB_EVENTS) {
		ask = (struct feed_ask){.texts = o->texts, .where = o->filter};
		act_events_of(a, s, &ask, VIEW_EVENTS, MODEL_NONE);
		return true;
	}
	if (a->replay) {
		free(s.rows);
		act_refuse(a, REQUEST_HITS);
		return true;
	}
	list_sort(&a->list, COLUMN_RATE, false);
	rowlist_to(&a->list.rows, 0);
	act_count_rows(a, s, PROBES_COUNT);
	return true;
}

static void act_ask_one(struct app *a, const struct question *q)
{
	char *buffer = mem_array(strlen(q->call) + 1, 1), safe[300];
	struct probes_error e;
	struct options o;

	if (questions_parse(q, buffer, &o, &e) < 0 || !act_ask_do(a, &o))
		app_complain(a,
			"the screen cannot answer that; in a shell, with -pid: probes-tui %s",
			text_clean(q->call, safe, sizeof safe));
	options_done(&o);
	free(buffer);
}

void act_ask(struct app *a, const char *rest)
{
	const struct questions *all = app_questions(a);
	const struct question *found = NULL;
	size_t count = 0;

	for (const struct question *q = all->all; q < all->all + all->count && *rest; q++) {
		if (strncmp(q->name, rest, strlen(rest)) != 0 || !app_asks(a, q))
			continue;
		count++;
		/* A whole name wins over the beginning of another. */
		if (!found || strlen(q->name) == strlen(rest))
			found = q;
	}
	if (found && (count == 1 || !strcmp(found->name, rest)))
		act_ask_one(a, found);
	else if (count)
		app_complain(a, "%zu questions begin with that; Tab completes them", count);
	else
		app_complain(a, "no such question; ? lists those that fit this program, and Tab "
				"completes them");
}

void act_ask_offer(struct app *a, struct act_complete *g)
{
	const struct questions *all = app_questions(a);

	for (size_t i = 0; i < all->count; i++)
		if (app_asks(a, &all->all[i]))
			act_complete_offer(g, all->all[i].name);
}
