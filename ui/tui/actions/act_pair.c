/* Pairs: which one is meant. */
#include "ui/tui/actions/act.h"

#include <stdlib.h>

/* Of two tagged rows the names decide which is the start; otherwise it is the one tagged first. */
static void act_pair_of_tags(struct app *a, struct pairs_one *pair)
{
	const struct row *rows = a->model.rows;
	uint32_t two[2] = {0, 0};
	size_t found = 0, stem;
	enum pair_role first;

	for (size_t i = 0; i < a->model.row_count && found < 2; i++)
		if (rows[i].tag)
			two[found++] = (uint32_t)i;
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
			"%c needs two tagged probes, or none (then: the one under the cursor and "
			"its partner); %u are tagged",
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

	if (!act_pair_prepare(a, 'p', &pair))
		return;
	off = act_pair_on(&rows[pair.start]) && act_pair_on(&rows[pair.end]);
	if (act_pending_pair(a, &pair, off))
		act_pending_begin(a);
	else
		act_pair_say_done(a, off);
}
