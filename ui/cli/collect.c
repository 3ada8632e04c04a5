#include "ui/cli/collect.h"
#include "ui/cli/outlet.h"
#include "ui/cli/result.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

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
	reasons_tell(&reasons, "");
	for (size_t i = 0; !reasons.count && i < result->item_count; i++)
		if (*result->items[i].why)
			report_more("%s: %s",
				outbuf_probe(probes_at(session, result->items[i].probe)),
				result->items[i].why);
}

/* Say at which sites callers are unknown, reason by reason. */
static void put_no_callers(const struct collect_process *p)
{
	struct reasons reasons = {0};

	for (size_t i = 0; i < p->count; i++)
		reasons_add_callers(&reasons, p->member->session, p->probes[i].probe);
	for (size_t i = 0; i < reasons.count; i++)
		report_line("pid %d: the callers at %zu site%s are unknown: %s",
			(int)p->member->pid, reasons.all[i].sites, line_s(reasons.all[i].sites),
			reasons.all[i].why);
}

static void put_counting(const struct collect *k, const struct counting *now)
{
	char line[200];

	if (!k->options->quiet)
		report_line("%s", counting_text(now, line, sizeof line));
}

int collect_begin(struct collect *k, const struct collect_process *process,
	const struct probes_action *action)
{
	struct collect_process *p = reallocarray(k->processes, k->count + 1, sizeof *p);

	if (!p) {
		report_line("out of memory");
		return PROBES_FAILED;
	}
	k->processes = p;
	p += k->count++;
	*p = *process;
	p->count = action->count;
	p->probes = calloc(action->count + 1, sizeof *p->probes);
	for (size_t i = 0; p->probes && i < action->count; i++)
		p->probes[i].probe = action->indices[i];
	if (p->probes && (!k->ops->begin || k->ops->begin(k->data, p)))
		return PROBES_OK;
	p->count = p->probes ? p->count : 0;
	report_line("out of memory");
	return PROBES_FAILED;
}

static int choose(void *data, struct probes_session *session, struct probes_action *action,
	struct probes_error *e)
{
	struct collect *k = data;
	int r = measure_choose(session, k->options, NULL, action, e);

	if (r == 0 && k->ops->check)
		r = k->ops->check(k->data, session, action, e);
	if (r < 0)
		return r;
	return probes_events_check(session, action->indices, action->count, &k->events, e);
}

/* Keep events in one process. Returns the exit status. */
static int begin(void *data, const struct probes_member *t, const struct probes_action *action,
	const struct probes_result *result)
{
	struct collect *k = data;
	struct counting now = counting_of(t->pid, result);
	int status = act_tell(&k->measure.act, t, result);
	struct probes_error e;

	/* A uprobe leaves no event: no verb that keeps them takes -kernel. */
	now.kernel_sites = 0;
	if (status)
		return status;
	if (probes_events_begin(t->session, action->indices, action->count, &k->events, &e) == 0)
		return collect_begin(
			k, &(struct collect_process){.member = t, .counting = now}, action);
	put_counting(k, &now);
	status = explain_error(t, &e, k->measure.act.many);
	put_reasons(t->session, result);
	return status;
}

/*
 * Begin the time of all, and say so: the hits of those that were ready before the last one do not
 * count until then, since no time does.
 */
static void start(void *data)
{
	struct collect *k = data;

	k->measure.pause_ms = BUSY_MS;
	for (struct collect_process *p = k->processes; p < k->processes + k->count; p++) {
		struct probes_error gone;

		if (probes_read_hits(p->member->session, &gone) < 0)
			continue;
		probes_events_reset(p->member->session);
		for (size_t n = 0; n < p->count; n++)
			p->probes[n].before =
				probes_hits(p->member->session, p->probes[n].probe).hits;
	}
	k->began = now_ns();
	for (size_t i = 0; i < k->count; i++) {
		put_counting(k, &k->processes[i].counting);
		if (k->events.callers && !k->options->quiet)
			put_no_callers(&k->processes[i]);
	}
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

static void read_all(struct collect *k, bool last)
{
	uint64_t round = probes_events_clock();

	k->came = 0;
	for (size_t i = 0; i < k->count; i++)
		probes_events_round(k->processes[i].member->session, round);
	for (size_t i = 0; i < k->count && !k->full; i++) {
		struct collect_process *p = &k->processes[i];
		struct probes_events sum;
		struct probes_error e;

		k->now = p;
		/* Of one that has ended, what is left is delivered. */
		if (probes_events_read(p->member->session, last, take, k, &e) < 0 &&
			e.status != PROBES_GONE)
			explain_error(p->member, &e, k->measure.act.many);
		sum = probes_events(p->member->session);
		if (sum.calls || p->told || k->options->quiet)
			continue;
		report_line("pid %d: texts, and arguments in memory other than the stack, are not "
			    "read: %s",
			(int)p->member->pid, sum.no_calls);
		p->told = true;
	}
	if (k->ops->print)
		k->ops->print(k->data);
}

/*
 * What costs more than -max-overhead is only counted from now on; and no longer, if that costs too
 * much as well. `hits`: in the last ns.
 */
static void check_cost(struct collect *k, const struct collect_process *p,
	struct collect_probe *one, uint64_t hits, int64_t ns)
{
	struct probes_session *session = p->member->session;
	struct measure_over over = {.hits = hits, .ns = ns};
	struct probes_cost each = probes_cost(session, one->probe);
	double most = k->options->max_overhead;
	char cost[200];

	over.hit_ns = one->over ? each.count_ns : each.event_ns;
	if (one->uncounted || !counting_exceeds(hits, over.hit_ns, ns, most))
		return;
	if (one->over) {
		measure_uncount(&k->measure, p->member, &one->probe, &over, 1);
		one->uncounted = true;
		return;
	}
	probes_events_drop(session, one->probe);
	one->over = true;
	one->dropped = one->hits;
	report_line("pid %d: %s: no more events, its hits are only counted: %s",
		(int)p->member->pid, outbuf_probe(probes_at(session, one->probe)),
		counting_over_text("hit", hits, over.hit_ns, ns, most, cost, sizeof cost));
}

/* Tell the rates of the last ns, and check what it cost. last: there is no more to come. */
static void collect_budget(struct collect *k, int64_t ns, bool last)
{
	struct timespec now;
	int64_t real;

	clock_gettime(CLOCK_REALTIME, &now);
	real = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	for (struct collect_process *p = k->processes; p < k->processes + k->count; p++) {
		struct probes_error e;

		if (probes_read_hits(p->member->session, &e) < 0 && !last)
			continue;
		for (size_t n = 0; n < p->count; n++) {
			struct collect_probe *one = &p->probes[n];
			uint64_t hits =
				probes_hits(p->member->session, one->probe).hits - one->before;
			uint64_t more = hits - one->hits;

			one->hits = hits;
			if (k->ops->rate)
				k->ops->rate(k->data, p, n, more, real - ns, ns);
			if (k->ops->rate && last)
				k->ops->rate(k->data, p, n, 0, real, 0);
			if (!last)
				check_cost(k, p, one, more, ns);
		}
	}
}

static void read_new(void *data)
{
	struct collect *k = data;

	k->came = 0;
	/* Events that nobody prints yet stay in the rings, where too many are lost, and counted. */
	if (!k->ops->print || !outlet_waits(k->measure.file))
		read_all(k, false);
	k->measure.pause_ms = k->came ? BUSY_MS : IDLE_MS;
}

static void check_all(void *data, int64_t ns)
{
	collect_budget(data, ns, false);
}

static void put_interval(void *data)
{
	const struct collect *k = data;

	k->ops->table(k->data);
}

/* What is only counted goes on: but the number of events of -max does not come then. */
static const char *all_over(void *data)
{
	const struct collect *k = data;

	if (k->full)
		return "no more events were wanted";
	for (size_t i = 0; i < k->count; i++)
		for (size_t n = 0; n < k->processes[i].count; n++) {
			const struct collect_probe *one = &k->processes[i].probes[n];

			if (!(k->options->most ? one->over : one->uncounted))
				return NULL;
		}
	return "every probe exceeded -max-overhead";
}

/* ------------------------------------------------------------------- the end */

uint32_t collect_sites(const struct collect_process *p, size_t probe)
{
	return p->recorded ? p->recorded->kept[probe]
			   : probes_live_at(p->member->session, probe)->sites_counted;
}

const struct probes_caller *collect_caller(const struct collect *k,
	const struct collect_process *process, const struct probes_event *event,
	struct probes_caller *room)
{
	if (k->replay || !k->events.callers)
		return k->caller;
	probes_caller(process->member->session, event->caller, room);
	return room;
}

static void stop(void *data)
{
	struct collect *k = data;

	if (!k->measure.sig && !k->full && !k->measure.code &&
		result_reader_gone(k->measure.file)) {
		k->measure.code = outlet_written(k->measure.file);
		k->measure.code = k->measure.code ? k->measure.code : EPIPE;
	}
	for (size_t i = 0; i < k->count; i++)
		probes_events_end(k->processes[i].member->session);
	k->ended = now_ns();
	collect_budget(k, now_ns() - k->measure.checked, true);
	read_all(k, true);
}

static void end(void *data)
{
	struct collect *k = data;

	k->ops->end(k->data);
	if (!k->options->quiet) {
		collect_tell_unread(k);
		collect_tell_undecided(collect_end(k).undecided);
	}
}

/* ------------------------------------------------------------------ the call */

int collect_open(struct collect *k, const struct options *o)
{
	struct probes_error e;

	*k = (struct collect){.options = o, .shown = ~0u};
	if ((o->filter && probes_condition_parse(o->filter, &k->filter, &e) < 0) ||
		(o->recording && replay_open(o->recording, &k->replay, &e) < 0)) {
		report_error(&e);
		collect_done(k);
		return (int)e.status;
	}
	k->events = (struct probes_event_options){.texts = o->texts,
		.condition = k->filter,
		.interrupts = o->stop,
		.callers = o->callers};
	k->measure.file = result_open(o);
	if (k->measure.file)
		return PROBES_OK;
	collect_done(k);
	return PROBES_FAILED;
}

int collect_live(struct collect *k)
{
	const struct measure_ops measure = {.verb = k->ops->verb,
		.held = "counted",
		.choose = choose,
		.begin = begin,
		.start = start,
		.read = read_new,
		.check = check_all,
		.table = k->ops->table ? put_interval : NULL,
		.over = all_over,
		.stop = stop,
		.end = end};

	return measure_run(&k->measure, k->options, &measure, k);
}

void collect_done(struct collect *k)
{
	for (size_t i = 0; i < k->count; i++)
		free(k->processes[i].probes);
	free(k->processes);
	probes_condition_free(k->filter);
	replay_close(k->replay);
}
