/*
 * Counting hits: first without a stop; then, once a session, the user is asked whether the process
 * may stop for the sites that need it.
 */
#include "ui/tui/actions/act.h"

#include "ui/figures/counting.h"
#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Was no site of a row counted, and did a try to count each of them fail? */
static bool act_count_in_vain(const struct model *m, uint32_t id)
{
	struct model_member member;

	if (m->rows[id].sites_counted)
		return false;
	for (uint32_t at = m->rows[id].member; model_next(m, &at, &member);) {
		const struct probes_session *s = m->processes[member.process].session;

		for (uint32_t i = 0; i < probes_at(s, member.probe)->site_count; i++) {
			if (!probes_site_hits_at(s, member.probe, i).why)
				return false;
		}
	}
	return true;
}

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
		if (!counted && !act_count_in_vain(&a->model, s->rows[i]))
			return PROBES_COUNT;
	}
	return any ? PROBES_UNCOUNT : PROBES_COUNT;
}

void act_count(struct app *a, enum request r)
{
	struct app_selection s;

	(void)r;
	if (!act_switch_select(a, &s))
		return;
	act_count_rows(a, s, act_count_verb(a, &s));
	a->count_more = false;
}

void act_count_rows(struct app *a, struct app_selection s, enum probes_verb verb)
{
	if (!act_switch_prepare(a, s, verb))
		return;
	a->pending.stop = a->stop == STOP_YES;
	a->pending.kernel = a->kernel;
	act_switch_begin(a);
}

void act_count_first(struct app *a, enum app_then then)
{
	struct app_pending *p = &a->pending;

	p->then = then;
	p->stop = a->stop == STOP_YES;
	p->begun.rows = mem_array(p->first_count, sizeof *p->begun.rows);
	for (size_t i = 0; i < p->first_count; i++)
		if (!a->model.rows[p->first[i]].mine_counted)
			p->begun.rows[p->begun.count++] = p->first[i];
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
	if (act_switch_prepare(a, s, PROBES_UNCOUNT))
		act_switch_do(a);
	else
		act_switch_forget(a);
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
	act_switch_prepare(a, s, PROBES_COUNT);
	a->pending.unasked = true;
	a->pending.stop = a->stop == STOP_YES;
	a->pending.kernel = a->kernel;
	act_switch_begin(a);
}

bool act_count_ask(struct app *a, const struct operation *op)
{
	size_t sites = op->sum.stop_sites;

	if (!sites || a->pending.verb != PROBES_COUNT || a->pending.stop)
		return false;
	if (a->stop == STOP_NO) {
		text_addf(a->message.text, sizeof a->message.text,
			" %zu would need a stop (:stop allows it).", sites);
		return false;
	}
	snprintf(a->question.text, sizeof a->question.text,
		"%zu %ssite%s can be counted only if all threads stop for a few milliseconds; "
		"epoll_wait and its like return EINTR then. Stop?\n"
		"y: yes   n: no, go on without %s",
		sites, op->sum.counted ? "more " : "", sites == 1 ? "" : "s",
		sites == 1 ? "it" : "them");
	a->question.kind = ASK_STOP;
	a->pending.stop = a->pending.unasked = true;
	a->pending.continues = operation_wrote(op);
	return true;
}

void act_count_answer(struct app *a, uint32_t key)
{
	if (key == 'y' || key == 'Y') {
		a->question.kind = ASK_NONE;
		a->stop = STOP_YES;
		act_switch_do(a);
	} else if (key == 'n' || key == 'N' || key == K_ENTER || key == '\n' || key == K_ESC) {
		a->question.kind = ASK_NONE;
		a->stop = STOP_NO;
		app_say(a, "not stopped; you will not be asked again (:stop permits it)");
		act_switch_finish(a);
	}
	/* Any other key was not meant for a question that came by itself. */
}

/* What a hit of a row costs. */
static double act_count_hit_ns(const struct model *m, const struct row *r)
{
	struct counting_cost cost = {0};
	struct model_member member;

	for (uint32_t at = r->member; model_next(m, &at, &member);)
		counting_cost_add(&cost, m->processes[member.process].session, member.probe);
	return counting_hit_ns(&cost);
}

void act_count_limit(struct app *a)
{
	const struct model *m = &a->model;
	double limit = a->options->max_overhead;
	struct app_selection s = {0};
	const char *first = "";

	if (a->limit_ms == m->hits.ms || a->question.kind || !(app_have(a) & NEED_SWITCH))
		return; /* nothing was read since */
	a->limit_ms = m->hits.ms;
	for (size_t i = 0; i < m->measured_count; i++) {
		const struct row *r = &m->rows[m->measured[i]];

		if (!r->mine_counted || trend_rate(r->trend) < 0 ||
			!counting_exceeds((uint64_t)trend_rate(r->trend), act_count_hit_ns(m, r),
				1000000000, limit))
			continue;
		if (!s.rows)
			s.rows = mem_array(m->measured_count, sizeof *s.rows);
		first = s.count ? first : r->label;
		s.rows[s.count++] = m->measured[i];
	}
	if (!s.count || !act_switch_prepare(a, s, PROBES_UNCOUNT))
		return;
	act_switch_do(a);
	app_complain(a,
		"%.80s%s: no longer counted: estimated to cost over %g %% of a core "
		"(-max-overhead)",
		first, s.count > 1 ? " and others" : "", limit);
}

void act_count_allow(struct app *a, const char *rest)
{
	(void)rest;
	a->stop = STOP_YES;
	a->count_more = true;
	app_say(a, "counting may stop the process for some milliseconds: H counts what needs it");
}

void act_count_kernel(struct app *a, const char *rest)
{
	(void)rest;
	a->kernel = a->count_more = true;
	app_say(a, "H now also uses kernel uprobes (as root) where no jump can be written");
}
