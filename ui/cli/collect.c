/*
 * What events and histogram have in common: the hits of probes as events, read as they come, until
 * a term, a signal or the end of all; and the undo.
 */
#include "ui/cli/collect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ui/figures/counting.h"
#include "ui/figures/event.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/now.h"
#include "ui/words/reasons.h"
#include "ui/words/report.h"

#define BUSY_MS 10 /* between two readings while events come */
#define IDLE_MS 50 /* and while none come */

/* ---------------------------------------------------------------- beginning */

/* Why no hit of these probes is an event: by their sites, or as a whole. */
static void put_reasons(struct probes_session *session, const struct probes_result *result)
{
	struct reasons reasons = {0};

	for (size_t i = 0; i < result->item_count; i++)
		reasons_add(&reasons, session, result->items[i].probe);
	for (size_t i = 0; i < reasons.count; i++)
		report_more("%zu site%s: %s", reasons.all[i].sites, line_s(reasons.all[i].sites),
			reasons.all[i].why);
	for (size_t i = 0; !reasons.count && i < result->item_count; i++)
		if (*result->items[i].why)
			report_more("%s: %s",
				outbuf_probe(probes_at(session, result->items[i].probe)),
				result->items[i].why);
}

/* Say at which sites callers are unknown, reason by reason. */
static void put_no_callers(const struct probes_member *t, const struct probes_action *action)
{
	struct reasons reasons = {0};

	for (size_t i = 0; i < action->count; i++)
		reasons_add_callers(&reasons, t->session, action->indices[i]);
	for (size_t i = 0; i < reasons.count; i++)
		report_line("pid %d: the callers at %zu site%s are unknown: %s", (int)t->pid,
			reasons.all[i].sites, line_s(reasons.all[i].sites), reasons.all[i].why);
}

static int remember(
	struct collect *k, const struct probes_member *t, const struct probes_action *action)
{
	struct collect_process *p = reallocarray(k->processes, k->count + 1, sizeof *p);

	if (!p) {
		report_line("out of memory");
		return PROBES_FAILED;
	}
	k->processes = p;
	p += k->count++;
	*p = (struct collect_process){.member = t, .count = action->count};
	p->probes = calloc(action->count + 1, sizeof *p->probes);
	for (size_t i = 0; p->probes && i < action->count; i++)
		p->probes[i].probe = action->indices[i];
	if (p->probes && (!k->ops->begin || k->ops->begin(k->data, p)))
		return PROBES_OK;
	p->count = p->probes ? p->count : 0;
	report_line("out of memory");
	return PROBES_FAILED;
}

/* Keep events in one process. Returns the exit status. */
static int collect_one(void *data, const struct probes_member *t)
{
	struct collect *k = data;
	const struct options *o = k->options;
	struct probes_result *result;
	struct probes_action action;
	size_t *indices = NULL;
	struct probes_error e;
	struct counting now;
	char line[200];
	int status = act_open(&k->measure.act, t);

	if (status)
		return status;
	if (measure_choose(t->session, o, &indices, &action, &e) < 0 ||
		(k->ops->check && k->ops->check(k->data, t->session, &action, &e) < 0) ||
		probes_events_check(t->session, action.indices, action.count, &k->events, &e) < 0)
		status = explain_error(t, &e, k->measure.act.many);
	else
		status = measure_count(&k->measure, t, &action, &result);
	if (status) {
		free(indices);
		return status;
	}
	now = counting_of(t->pid, result);
	/* A uprobe leaves no event: no verb that keeps them takes -kernel. */
	now.kernel_sites = 0;
	if (!o->quiet)
		report_line("%s", counting_text(&now, line, sizeof line));
	status = act_tell(&k->measure.act, t, result);
	k->measure.checked = k->measure.checked ? k->measure.checked : now_ns();
	if (!status &&
		probes_events_begin(t->session, action.indices, action.count, &k->events, &e) < 0) {
		status = explain_error(t, &e, k->measure.act.many);
		put_reasons(t->session, result);
	} else if (!status) {
		status = remember(k, t, &action);
		if (k->events.callers && !o->quiet)
			put_no_callers(t, &action);
	}
	free(indices);
	probes_result_free(result);
	return status;
}

/* -------------------------------------------------------------------- reading */

static bool take(void *data, const struct probes_event *event)
{
	struct collect *k = data;
	bool child = event->pid != k->now->member->pid;
	size_t unread = 0;

	for (size_t i = 0; i < event->count; i++)
		unread += k->shown >> i & 1 && event_unreadable(&event->values[i]);
	if (unread && probes_events(k->now->member->session).calls)
		*(child                   ? &k->unread_children
			: event->late     ? &k->unread_late
			: event->unproven ? &k->unread_new
					  : &k->unread) += unread;
	k->came++;
	k->full = !k->ops->take(k->data, k->now, event);
	return !k->full;
}

void collect_tell_lost(const struct collect *k)
{
	uint64_t lost = collect_lost(k), unfinished = 0;

	for (size_t i = 0; i < k->count; i++)
		unfinished += probes_events(k->processes[i].member->session).unfinished;
	if (unfinished)
		report_more("%" PRIu64
			    " of the lost events were not finished in time, or their place "
			    "was taken by one that was not: a thread was killed, stopped, left the "
			    "probe by longjmp, or got no CPU time",
			unfinished);
	if (lost > unfinished)
		report_more("events came faster than they could be read; name fewer probes, or "
			    "filter numbers with -where (checked inside the process)");
}

uint64_t collect_lost(const struct collect *k)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < k->count; i++)
		lost += probes_events(k->processes[i].member->session).lost;
	return lost;
}

/* Say once that memory is not read, where that matters. */
static void tell_calls(const struct collect *k, struct collect_process *p)
{
	struct probes_events sum = probes_events(p->member->session);

	if (sum.calls || p->told || k->options->quiet)
		return;
	report_line("pid %d: texts, and arguments in memory other than the stack, are not read: %s",
		(int)p->member->pid, sum.no_calls);
	p->told = true;
}

/* Read what came, and print it. */
static void read_all(struct collect *k, bool last)
{
	uint64_t round = probes_events_clock();

	k->came = 0;
	for (size_t i = 0; i < k->count; i++)
		probes_events_round(k->processes[i].member->session, round);
	for (size_t i = 0; i < k->count && !k->full; i++) {
		struct collect_process *p = &k->processes[i];
		struct probes_error e;

		k->now = p;
		/* Of one that has ended, what is left is delivered. */
		if (probes_events_read(p->member->session, last, take, k, &e) < 0 &&
			e.status != PROBES_GONE)
			explain_error(p->member, &e, k->measure.act.many);
		tell_calls(k, p);
	}
	if (k->ops->print)
		k->ops->print(k->data);
}

/*
 * Tell the rates of the last ns; what costs more than -max-overhead is only counted from now on.
 * last: there is no more to come.
 */
static void collect_budget(struct collect *k, int64_t ns, bool last)
{
	double most = k->options->max_overhead;

	for (size_t i = 0; i < k->count; i++) {
		struct collect_process *p = &k->processes[i];
		struct probes_session *session = p->member->session;
		struct probes_error e;

		if (probes_read_hits(session, &e) < 0 && !last)
			continue;
		for (size_t n = 0; n < p->count; n++) {
			struct collect_probe *one = &p->probes[n];
			uint64_t hits = probes_hits(session, one->probe).hits;
			uint64_t more = hits - one->hits;
			double hit_ns = probes_events_cost(session, one->probe);
			char cost[200];

			one->hits = hits;
			if (k->ops->rate)
				k->ops->rate(k->data, p, n, more, ns);
			if (k->ops->rate && last)
				k->ops->rate(k->data, p, n, 0, 0);
			if (last || one->over || !counting_exceeds(more, hit_ns, ns, most))
				continue;
			probes_events_drop(session, one->probe);
			one->over = true;
			one->dropped = hits;
			report_line("pid %d: %s: no more events, its hits are only counted: %s",
				(int)p->member->pid, outbuf_probe(probes_at(session, one->probe)),
				counting_over_text(more, hit_ns, ns, most, cost, sizeof cost));
		}
	}
}

static void read_new(void *data)
{
	struct collect *k = data;

	read_all(k, false);
	k->measure.pause_ms = k->came ? BUSY_MS : IDLE_MS;
}

static void check_all(void *data, int64_t ns)
{
	collect_budget(data, ns, false);
}

static const char *all_over(void *data)
{
	const struct collect *k = data;

	if (k->full)
		return "no more events were wanted";
	for (size_t i = 0; i < k->count; i++)
		for (size_t n = 0; n < k->processes[i].count; n++)
			if (!k->processes[i].probes[n].over)
				return NULL;
	return "every probe exceeded -max-overhead";
}

/* ------------------------------------------------------------------- the end */

bool collect_over(const struct collect_process *process, uint64_t *hits)
{
	struct probes_session *session = process->member->session;
	bool over = false;

	*hits = 0;
	for (size_t i = 0; i < process->count; i++) {
		const struct collect_probe *one = &process->probes[i];

		over = over || one->over;
		if (one->over)
			*hits += probes_hits(session, one->probe).hits - one->dropped;
	}
	return over;
}

bool collect_hung_up(const struct collect *k)
{
	return !k->options->record && outbuf_hung_up(k->measure.file, k->measure.code);
}

/* Say why values are missing. */
static void put_unread(const struct collect *k)
{
	if (k->unread)
		report_line("%" PRIu64 " value%s could not be read: the operand is unknown, or "
			    "nothing can be read at the address",
			k->unread, line_s(k->unread));
	if (k->unread_late)
		report_line("%" PRIu64
			    " value%s could not be read: this tracer was stopped, or got "
			    "too little CPU time, to check in time that threads have no seccomp "
			    "filter",
			k->unread_late, line_s(k->unread_late));
	if (k->unread_new)
		report_line("%" PRIu64 " value%s of new threads could not be read: a thread is "
			    "checked for a seccomp filter before its memory is read",
			k->unread_new, line_s(k->unread_new));
	if (k->unread_children)
		report_line("%" PRIu64 " value%s of forked children could not be read: nothing "
			    "can be read at the address, or it is not known "
			    "yet whether the child has a seccomp filter",
			k->unread_children, line_s(k->unread_children));
}

/* Events that -where left out because it could not compare a text. */
static void put_undecided(const struct collect *k)
{
	uint64_t undecided = 0;

	for (size_t i = 0; i < k->count; i++)
		undecided += probes_events(k->processes[i].member->session).undecided;
	if (undecided)
		report_line("%" PRIu64
			    " event%s left out: what -where compares could not be read (a text, or "
			    "the process or thread of a child that has ended)",
			undecided, undecided == 1 ? " was" : "s were");
}

/* Keep events, undo, and say how it ended. *sig: what ended it, or 0. Returns the exit status. */
static int collect_and_undo(void *data, int *sig)
{
	struct collect *k = data;
	int status;

	k->began = now_ns();
	status = measure_resume(&k->measure);
	if (status)
		return status;
	k->measure.pause_ms = BUSY_MS;
	*sig = measure_wait(&k->measure);
	if (!*sig && !k->full && !k->measure.code && measure_reader_gone(k->measure.file))
		k->measure.code = EPIPE;
	for (size_t i = 0; i < k->count; i++)
		probes_events_end(k->processes[i].member->session);
	k->ended = now_ns();
	collect_budget(k, now_ns() - k->measure.checked, true);
	read_all(k, true);
	run_until_undo(&k->measure.hold);
	k->ops->end(k->data);
	if (!k->options->quiet)
		put_unread(k);
	if (!k->measure.options->quiet)
		put_undecided(k);
	return PROBES_OK;
}

/* ------------------------------------------------------------------ the call */

int collect_open(struct collect *k, const struct options *o)
{
	struct probes_error e;

	*k = (struct collect){.options = o, .shown = ~0u};
	if (o->filter && probes_condition_parse(o->filter, &k->filter, &e) < 0) {
		report_error(&e);
		return (int)e.status;
	}
	k->events = (struct probes_event_options){.texts = o->texts,
		.condition = k->filter,
		.interrupts = o->stop,
		.callers = o->callers};
	k->measure.file = measure_output(o);
	if (k->measure.file)
		return PROBES_OK;
	collect_done(k);
	return PROBES_FAILED;
}

int collect_run(struct collect *k, const struct collect_ops *ops, void *data)
{
	const struct measure_ops measure = {.verb = ops->verb,
		.held = "counted",
		.begin = collect_one,
		.measure = collect_and_undo,
		.read = read_new,
		.check = check_all,
		.over = all_over};

	k->ops = ops;
	k->data = data;
	return measure_run(&k->measure, k->options, &measure, k);
}

void collect_done(struct collect *k)
{
	for (size_t i = 0; i < k->count; i++)
		free(k->processes[i].probes);
	free(k->processes);
	probes_condition_free(k->filter);
}
