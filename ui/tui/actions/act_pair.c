/*
 * Pairs: which one is meant, and in which order its halves are switched.
 */
#include "ui/tui/actions/act_pair.h"

#include "ui/tui/actions/act_switch.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>

/* Two tagged rows: names decide which is the start, else the one tagged first. */
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
	pairs_choose(&a->pairs, pair->start, pair->end);
}

static bool act_pair_of_row(struct app *a, uint32_t id, struct pairs_one *pair)
{
	const struct pairs_one *known = pairs_of(&a->pairs, id);

	if (known)
		*pair = *known;
	else
		app_complain(a,
			"%.80s has no partner that its name tells of (X_start, X_end, ...); "
			"tag two probes, then p",
			a->model.rows[id].label);
	return known;
}

static bool act_pair_mean(struct app *a, struct pairs_one *pair)
{
	uint32_t id = a->view == VIEW_DETAIL ? a->detail : list_current(&a->list);

	pairs_update(&a->pairs, &a->model);
	if (a->view == VIEW_PAIRS) {
		id = rowlist_current(&a->pair_rows);
		if (id == ROWLIST_NONE) {
			app_complain(a, "no pair is shown");
			return false;
		}
		*pair = a->pairs.all[id];
		return true;
	}
	if (a->view == VIEW_LIST && a->model.tagged == 2) {
		act_pair_of_tags(a, pair);
		return true;
	}
	if (a->view == VIEW_LIST && a->model.tagged) {
		app_complain(a,
			"p wants two tagged probes, or none (then: the one under the "
			"cursor and its partner); %u are tagged",
			a->model.tagged);
		return false;
	}
	if (id == ROWLIST_NONE) {
		app_complain(a, "no probe is under the cursor");
		return false;
	}
	return act_pair_of_row(a, id, pair);
}

/* Does this half still want switching? What others hold off or on is theirs to change. */
static bool act_pair_wants(const struct row *r, bool off)
{
	if (off)
		return r->state != PROBES_OFF;
	return r->state != PROBES_ON || !r->mine;
}

/*
 * On: the end first, off: the start first, so that no start is recorded
 * without its end. A half that is so already is left alone.
 */
static bool act_pair_plan(struct app *a, const struct pairs_one *pair, bool off)
{
	struct app_pending *p = &a->pending;
	uint32_t order[2] = {off ? pair->start : pair->end, off ? pair->end : pair->start};
	bool wants[2];

	for (int i = 0; i < 2; i++)
		wants[i] = act_pair_wants(&a->model.rows[order[i]], off);
	act_switch_forget(a);
	if (!wants[0] && !wants[1])
		return false;
	act_switch_mean_one(p, wants[0] ? order[0] : order[1]);
	p->verb = off ? PROBES_DISABLE : PROBES_ENABLE;
	if (wants[0] && wants[1]) {
		p->pair = true;
		p->second = mem_array(1, sizeof *p->second);
		p->second[0] = order[1];
		p->second_count = 1;
	}
	return true;
}

/* p: off when both are on; else what of the two is not on yet is switched on. */
void act_pair(struct app *a, enum request r)
{
	const struct row *rows = a->model.rows;
	struct pairs_one pair;
	bool off = r == REQUEST_OFF;

	if (!act_pair_mean(a, &pair))
		return;
	if (r == REQUEST_PAIR)
		off = rows[pair.start].state == PROBES_ON && rows[pair.end].state == PROBES_ON;
	if (act_pair_plan(a, &pair, off))
		act_switch_begin(a);
	else
		app_say(a, "both halves are %s already", off ? "off" : "on by this session");
}

void act_pair_preview(struct app *a)
{
	struct pairs_one pair;

	if (!act_pair_mean(a, &pair))
		return;
	pager_clear(&a->lines);
	for (int off = 0; off < 2; off++) {
		if (act_pair_plan(a, &pair, off))
			act_switch_preview_add(a);
		else
			pager_addf(&a->lines, STYLE_TITLE,
				"%s: nothing, both halves are so already", off ? "off" : "on");
	}
	act_switch_preview_show(a, "What e and d would write now (nothing is written)");
}

void act_pair_list(struct app *a, enum request r)
{
	(void)r;
	pairs_update(&a->pairs, &a->model);
	a->view = VIEW_PAIRS;
	app_layout(a);
	if (!a->pairs.count)
		app_say(a, "no name here tells of a pair; tag two probes, then p");
}

void act_pair_go_to(struct app *a, enum request r)
{
	uint32_t id = rowlist_current(&a->pair_rows);

	(void)r;
	a->view = VIEW_LIST;
	if (id == ROWLIST_NONE)
		return;
	if (!rowlist_seek(&a->list.rows, a->pairs.all[id].start))
		app_complain(a, "%.80s is not shown: the filter hides it, or its group is folded",
			a->model.rows[a->pairs.all[id].start].label);
}
