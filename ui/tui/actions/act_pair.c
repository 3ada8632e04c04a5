/*
 * Pairs: which one is meant, and in which order its halves are switched.
 */
#include "ui/tui/actions/act.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>

/* Of two tagged rows the names decide which is the start; otherwise it is the one tagged first. */
static void act_pair_of_tags(struct app *a, struct pairs_one *pair)
{
	const struct row *rows = a->model.rows;
	uint32_t two[2] = {0, 0};
	size_t found = 0, stem;
	enum pair_role first;

	for (size_t i = 0; i < a->model.row_count && found < 2; i++) {
		if (rows[i].tag)
			two[found++] = (uint32_t)i;
	}
	first = pair_role(row_name(&rows[two[0]]), &stem);
	if (pair_role(row_name(&rows[two[1]]), &stem) == PAIR_START || first == PAIR_END ||
		(first == PAIR_NEITHER && rows[two[1]].tag < rows[two[0]].tag))
		*pair = (struct pairs_one){.start = two[1], .end = two[0]};
	else
		*pair = (struct pairs_one){.start = two[0], .end = two[1]};
	pairs_choose(&a->pairs.known, pair->start, pair->end);
}

bool act_pair_prepare(struct app *a, char key, struct pairs_one *pair)
{
	struct app_selection s;
	const struct pairs_one *known = NULL;
	uint32_t id = app_row(a);

	pairs_update(&a->pairs.known, &a->model);
	s = app_selection(a);
	free(s.rows);
	if (s.tagged && s.count == 2) {
		act_pair_of_tags(a, pair);
		return true;
	}
	if (s.pair)
		known = s.pair;
	else if (id != ROWLIST_NONE && !s.tagged)
		known = pairs_of(&a->pairs.known, id);
	if (known)
		*pair = *known;
	else if (a->view == VIEW_PAIRS)
		app_complain(a, "no pair is shown");
	else if (s.tagged)
		app_complain(a,
			"%c needs two tagged probes, or none (then: the one under the "
			"cursor and its partner); %u are tagged",
			key, a->model.tagged);
	else if (id == ROWLIST_NONE)
		app_complain(a, "no probe is under the cursor");
	else
		app_complain(a,
			"no partner by name (NAME_start, NAME_end, ...): tag two probes, then %c",
			key);
	return known;
}

static bool act_pair_on(const struct row *r)
{
	return r->state == PROBES_ON && !row_on_to_count(r);
}

/*
 * On: the end first, off: the start first, so that no start is recorded without its end. A half
 * that is on or off already is not switched; what other parties hold is not on by this session.
 */
bool act_pair_plan(struct app *a, const struct pairs_one *pair, bool off)
{
	struct app_pending *p = &a->pending;
	uint32_t order[2] = {off ? pair->start : pair->end, off ? pair->end : pair->start};
	uint32_t wanted[2];
	size_t count = 0;

	for (int i = 0; i < 2; i++) {
		const struct row *r = &a->model.rows[order[i]];

		if (off ? r->state != PROBES_OFF && !row_on_to_count(r)
			: r->state != PROBES_ON || !r->mine_enabled)
			wanted[count++] = order[i];
	}
	act_switch_forget(a);
	if (!count)
		return false;
	p->verb = off ? PROBES_DISABLE : PROBES_ENABLE;
	p->named = true;
	p->pair = count == 2;
	p->first = app_select(wanted[0]).rows;
	p->first_count = 1;
	if (p->pair) {
		p->second = app_select(wanted[1]).rows;
		p->second_count = 1;
	}
	return true;
}

void act_pair_say_done(struct app *a, bool off)
{
	app_say(a, "both halves are %s already", off ? "off" : "on by this session");
}

/* Off when both are on; otherwise switch on what is not on yet. */
void act_pair(struct app *a, enum request r)
{
	const struct row *rows = a->model.rows;
	struct pairs_one pair;
	bool off;

	(void)r;
	if (!act_pair_prepare(a, 'p', &pair))
		return;
	off = act_pair_on(&rows[pair.start]) && act_pair_on(&rows[pair.end]);
	if (act_pair_plan(a, &pair, off))
		act_switch_begin(a);
	else
		act_pair_say_done(a, off);
}
