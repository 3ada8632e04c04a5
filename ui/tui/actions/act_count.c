/* Counting hits, for itself or for something else. */
#include "ui/tui/actions/act.h"

#include "ui/figures/counting.h"
#include "ui/tui/terminal/mem.h"

#include <stdlib.h>
#include <string.h>

enum probes_verb act_count_verb(const struct app *a, const struct app_selection *s)
{
	bool any = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct row *r = &a->model.rows[s->rows[i]];
		/* What others count, this session counts as well. */
		bool counted = r->mine_counted;

		any |= counted;
		if (counted && a->count_more && r->sites_counted < r->sites)
			return PROBES_COUNT;
		if (!counted && !model_in_vain(&a->model, s->rows[i]))
			return PROBES_COUNT;
	}
	return any ? PROBES_UNCOUNT : PROBES_COUNT;
}

void act_count(struct app *a, enum request r)
{
	struct app_selection s;

	if (!act_pending_select(a, &s))
		return;
	act_count_rows(a, s, act_count_verb(a, &s));
	a->count_more = false;
}

void act_count_permit(struct app *a)
{
	a->pending.plan.options.atomically = a->stop == STOP_YES;
	a->pending.plan.options.kernel = a->kernel;
}

void act_count_rows(struct app *a, struct app_selection s, enum probes_verb verb)
{
	if (!act_pending_set(a, s, verb))
		return;
	act_count_permit(a);
	act_pending_begin(a);
}

void act_count_first(struct app *a, void (*then)(struct app *a))
{
	struct app_pending *p = &a->pending;
	const struct operation_step *rows = &p->plan.steps[0];

	p->then = then;
	p->plan.options.atomically = a->stop == STOP_YES; /* uprobes measure nothing */
	p->begun.rows = mem_array(rows->count, sizeof *p->begun.rows);
	for (size_t i = 0; i < rows->count; i++)
		if (!a->model.rows[rows->ids[i]].mine_counted)
			p->begun.rows[p->begun.count++] = rows->ids[i];
}

void act_count_own(struct app_begun *b, struct app_pending *p)
{
	free(b->rows);
	*b = p->begun;
	p->begun = (struct app_begun){0};
}

void act_count_end(struct app *a, struct app_begun *b)
{
	struct app_selection s = {.rows = mem_array(b->count, sizeof *s.rows)};

	while (b->count-- > 0) /* the last one first */
		if (a->model.rows[b->rows[b->count]].mine_counted)
			s.rows[s.count++] = b->rows[b->count];
	b->count = 0;
	if (act_pending_set(a, s, PROBES_UNCOUNT))
		act_pending_do(a);
	else
		act_pending_forget(a);
}

void act_count_begin(struct app *a)
{
	struct app_selection s = {.count = a->model.row_count};

	if (!a->count_all || a->view != VIEW_LIST || a->question.kind || !s.count)
		return;
	a->count_all = false;
	if (!request_possible(REQUEST_HITS, IN_LIST, app_have(a))) {
		act_refuse(a, REQUEST_HITS);
		return;
	}
	list_sort(&a->list, COLUMN_RATE, false);
	rowlist_to(&a->list.rows, 0);
	s.rows = mem_array(s.count, sizeof *s.rows);
	memcpy(s.rows, a->list.sorted, s.count * sizeof *s.rows);
	act_pending_set(a, s, PROBES_COUNT);
	a->pending.unasked = true;
	act_count_permit(a);
	act_pending_begin(a);
}

bool act_count_exceeds(const struct app *a, const struct row *r, bool events)
{
	double hits = 0, ns = 0;
	struct model_member member;

	for (uint32_t at = r->member; model_next(&a->model, &at, &member);) {
		const struct probes_session *s = member.session;
		struct probes_cost cost = probes_cost(s, member.probe);
		double some = (double)probes_hits(s, member.probe).hits;

		hits += some;
		ns += some * (events ? cost.event_ns : cost.count_ns);
	}
	return hits > 0 && r->trend && trend_rate(r->trend) >= 0 &&
	       counting_exceeds((uint64_t)trend_rate(r->trend), ns / hits, 1000000000,
		       a->options->max_overhead);
}

void act_count_limit(struct app *a)
{
	const struct model *m = &a->model;
	struct app_selection s = {0};
	const char *first = "";

	if (a->limit_ms == m->hits.ms || a->question.kind || !(app_have(a) & NEED_SWITCH))
		return; /* nothing was read since */
	a->limit_ms = m->hits.ms;
	for (size_t i = 0; i < m->measured_count; i++) {
		const struct row *r = &m->rows[m->measured[i]];

		if (!r->mine_counted || !act_count_exceeds(a, r, false))
			continue;
		if (!s.rows)
			s.rows = mem_array(m->measured_count, sizeof *s.rows);
		first = s.count ? first : r->label;
		s.rows[s.count++] = m->measured[i];
	}
	if (!s.count || !act_pending_set(a, s, PROBES_UNCOUNT))
		return;
	act_pending_do(a);
	app_complain(a,
		"%.80s%s: no longer counted: estimated to cost over %g %% of a core "
		"(-max-overhead)",
		first, s.count > 1 ? " and others" : "", a->options->max_overhead);
}

void act_count_allow(struct app *a, const char *rest)
{
	a->stop = STOP_YES;
	a->count_more = true;
	app_say(a, "counting may stop the process for some milliseconds: H counts what needs it");
}

void act_count_kernel(struct app *a, const char *rest)
{
	a->kernel = a->count_more = true;
	app_say(a, "H now also uses kernel uprobes (as root) where no jump can be written");
}
