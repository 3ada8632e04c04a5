/*
 * Finds what was opened meanwhile, has it measured, and says which hits are missing.
 *
 * Each beginning holds a thread of the process for a moment and needs memory there: a program that
 * opens and closes a library all the time is not made to bear that without end.
 */
#include "ui/cli/later.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cli/act.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/now.h"
#include "ui/words/report.h"

#define MOST_BEGUN 64 /* times, in one process */
#define MOST_SAID 20  /* libraries, without -verbose */
#define SHARE 20      /* looking takes at most 1/20 of the time */

bool later_begin(struct later *l, size_t member)
{
	const struct probes_member *t = probes_group_at(l->group, member);
	struct later_process *all;

	if (member >= l->count) {
		all = reallocarray(l->processes, member + 1, sizeof *all);
		if (!all)
			return false;
		memset(all + l->count, 0, (member + 1 - l->count) * sizeof *all);
		l->processes = all;
		l->count = member + 1;
	}
	l->processes[member].probes = t->session ? probes_count(t->session) : 0;
	return true;
}

void later_done(struct later *l)
{
	free(l->processes);
	*l = (struct later){0};
}

/* A name without its provider means that of the probe that had it when the call began; or NULL. */
static const char *meant(struct probes_session *session, const char *name, size_t first)
{
	for (size_t i = 0; i < first; i++)
		if (!strcmp(probes_at(session, i)->name, name))
			return probes_at(session, i)->provider;
	return NULL;
}

/* Append the probes of a name or expression, from `first` on. */
static int add(struct probes_session *session, const struct options *o,
	const struct probes_action *one, const char *text, size_t first, size_t **indices,
	size_t *count, struct probes_error *e)
{
	struct probes_switch_options narrow = options_switch(o);
	size_t *some, *all, found;
	int r = probes_find(session, one->by, text, &narrow, &some, &found, e);

	if (r == -ENOTUNIQ && !narrow.provider && (narrow.provider = meant(session, text, first)))
		r = probes_find(session, one->by, text, &narrow, &some, &found, e);
	/* Its only library may have been closed. */
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	all = reallocarray(*indices, *count + found + 1, sizeof *all);
	if (all)
		*indices = all;
	for (size_t i = 0; all && i < found; i++)
		if (some[i] >= first)
			all[(*count)++] = some[i];
	free(some);
	return all ? 0 : probes_failed(e, -ENOMEM, "cannot look for probes");
}

/* The probes that the call asked for, from `first` on; some of them more than once. */
static int choose(struct probes_session *session, const struct options *o, size_t first,
	size_t **indices, size_t *count, struct probes_error *e)
{
	int r = 0;

	*indices = NULL;
	*count = 0;
	for (size_t i = 0; r == 0 && i < o->actions.count; i++) {
		const struct probes_action *one = &o->actions.items[i];

		r = add(session, o, one, one->text, first, indices, count, e);
		if (r == 0 && one->second)
			r = add(session, o, one, one->second, first, indices, count, e);
	}
	return r;
}

/* ------------------------------------------------------------------- saying */

/* These probes are all of one library that the call asked for. */
static void tell_library(struct later *l, const struct probes_member *t, const size_t *probes,
	size_t count, bool counted)
{
	const struct probes_probe *p = probes_at(t->session, probes[0]);
	const char *path = outbuf_safe(probes_object_at(t->session, p->object)->path);
	size_t sites = 0, now = 0;

	if (l->said == MOST_SAID && !l->options->verbose) {
		l->unsaid++;
		return;
	}
	l->said++;
	for (size_t i = 0; counted && i < count; i++) {
		sites += probes_at(t->session, probes[i])->site_count;
		now += probes_live_at(t->session, probes[i])->sites_counted;
	}
	if (now)
		report_line("pid %d: it opened %s: %zu of %zu site%s of %zu probe%s counted from "
			    "now on; earlier hits there are missing",
			(int)t->pid, path, now, sites, line_s(sites), count, line_s(count));
	else
		report_line("pid %d: it opened %s: hits of %zu probe%s there (%s%s) are missing",
			(int)t->pid, path, count, line_s(count), outbuf_probe(p),
			count == 1 ? "" : ", ...");
}

/* ------------------------------------------------------------------ looking */

/* Measure what is new in one process. Is it? */
static bool begin_more(struct later *l, struct later_process *p, const struct probes_member *t,
	size_t *probes, size_t count)
{
	struct probes_action action = {
		.verb = PROBES_COUNT, .by = PROBES_BY_INDEX, .indices = probes, .count = count};
	sigset_t before;
	int status;

	if (!l->more || p->begun == MOST_BEGUN)
		return false;
	p->begun++;
	act_hold_signals(&before);
	status = l->more(l->data, t, &action);
	act_restore_signals(&before);
	return status == PROBES_OK;
}

static void look_at(struct later *l, size_t member, bool last)
{
	const struct probes_member *t = probes_group_at(l->group, member);
	struct later_process *p = &l->processes[member];
	size_t first = p->probes, *probes = NULL, count = 0;
	struct probes_rescanned what;
	struct probes_error e;
	bool begun;
	int r = probes_rescan(t->session, &what, &e);

	if (r < 0 && (e.status == PROBES_GONE || l->complained))
		return;
	l->complained = l->complained || r < 0;
	p->closed = p->closed || (r == 0 && what.lost);
	p->probes = probes_count(t->session);
	if (r == 0 && p->probes > first)
		r = choose(t->session, l->options, first, &probes, &count, &e);
	if (r < 0)
		explain_error(t, &e, l->many);
	if (r < 0)
		explain_count(l->ends, PROBES_FAILED);
	count = r < 0 ? 0 : explain_each_once(probes, count); /* several actions may choose one */
	begun = count && !last && begin_more(l, p, t, probes, count);
	for (size_t i = 0, k; i < count; i = k) {
		uint32_t object = probes_at(t->session, probes[i])->object;

		for (k = i + 1; k < count && probes_at(t->session, probes[k])->object == object;)
			k++;
		tell_library(l, t, probes + i, k - i, begun);
	}
	if (count)
		explain_count(l->ends, PROBES_FAILED);
	free(probes);
}

bool later_waits(const struct later *l)
{
	struct probes_error e;

	for (size_t i = 0; i < l->count; i++)
		if (l->processes[i].closed &&
			probes_alive(probes_group_at(l->group, i)->session, &e) == 0)
			return true;
	return false;
}

void later_look(struct later *l, bool last)
{
	int64_t now = now_ms();
	struct probes_error e;

	if (!last && now < l->next_ms)
		return;
	for (size_t i = 0; i < l->count; i++) {
		struct probes_session *session = probes_group_at(l->group, i)->session;

		if (session && probes_alive(session, &e) == 0)
			look_at(l, i, last);
	}
	l->next_ms = now_ms() + (now_ms() - now) * SHARE;
	if (last && l->unsaid)
		report_line("%zu more librar%s opened meanwhile (-verbose names each)", l->unsaid,
			l->unsaid == 1 ? "y was" : "ies were");
}
