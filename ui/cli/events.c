/*
 * The verb events: print the hits of probes as they come, in running processes or in a program that
 * it starts, and leave them as found.
 *
 * Owns the order: check, count, keep events, read and print, end, read what is left, undo.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/cli/events_print.h"
#include "ui/cli/hold.h"
#include "ui/cli/measure.h"
#include "ui/cli/verbs.h"
#include "ui/counting.h"
#include "ui/line.h"
#include "ui/now.h"
#include "ui/outbuf.h"
#include "ui/reasons.h"
#include "ui/report.h"

#define BUSY_MS 10    /* between two readings while events come */
#define IDLE_MS 50    /* and while none come */
#define CHECK_MS 1000 /* between two comparisons with -max-overhead */

/* One probe in one process. */
struct kept {
	size_t probe;
	uint64_t hits;    /* at the last comparison */
	uint64_t dropped; /* hits when its events ended, because they cost too much */
	bool over;
};

/* One process. */
struct process {
	const struct probes_member *member;
	struct kept *kept;
	size_t count;
	unsigned char *roles; /* in FORMAT_CHROME: chrome_roles */
	bool told;            /* that memory is not read */
};

struct events {
	const struct options *options;
	struct act act;
	struct probes_group *group;
	struct probes_condition *filter;
	struct process *processes;
	size_t count;
	struct events_print print;
	struct hold hold;
	const struct process *now; /* whose events are delivered */
	bool full;                 /* -max was reached */
};

/* ---------------------------------------------------------------- beginning */

static void put_reasons(struct probes_session *session, const struct probes_action *action)
{
	struct reasons reasons = {0};

	for (size_t i = 0; i < action->count; i++)
		reasons_add(&reasons, session, action->indices[i]);
	for (size_t i = 0; i < reasons.count; i++)
		report_more("%zu site%s: %s", reasons.all[i].sites, line_s(reasons.all[i].sites),
			reasons.all[i].why);
}

static int remember(
	struct events *c, const struct probes_member *t, const struct probes_action *action)
{
	struct process *p = &c->processes[c->count];

	*p = (struct process){.member = t, .count = action->count};
	p->kept = calloc(action->count + 1, sizeof *p->kept);
	if (c->options->format == FORMAT_CHROME)
		p->roles = chrome_roles(t->session, action->indices, action->count);
	if (!p->kept || (c->options->format == FORMAT_CHROME && !p->roles)) {
		report_line("out of memory");
		return PROBES_FAILED;
	}
	for (size_t i = 0; i < action->count; i++)
		p->kept[i].probe = action->indices[i];
	c->count++;
	return PROBES_OK;
}

/* Keep events in one process. Returns the exit status. */
static int keep_one(struct events *c, const struct probes_member *t)
{
	const struct options *o = c->options;
	const struct probes_event_options keep = {
		.texts = o->texts, .condition = c->filter, .interrupts = o->stop};
	struct probes_switch_options how = options_switch(o);
	struct probes_result *result = NULL;
	struct probes_action action;
	size_t *indices = NULL;
	struct probes_error e;
	struct counting now;
	char line[200];
	int status = act_open(&c->act, t);

	if (status)
		return status;
	if (measure_choose(t->session, o, &indices, &action, &e) < 0 ||
		probes_events_check(t->session, action.indices, action.count, &keep, &e) < 0 ||
		probes_refresh(t->session, NULL, 0, &e) < 0 ||
		probes_switch(t->session, &action, 1, &how, &result, &e) < 0) {
		if (result && !o->quiet)
			explain_items(t, result, o, true);
		status = explain_error(t, &e, c->act.many);
	} else {
		now = counting_of(t->pid, result);
		if (!o->quiet)
			report_line("%s", counting_text(&now, line, sizeof line));
		status = act_tell(&c->act, t, result);
		if (!status && probes_events_begin(
				       t->session, action.indices, action.count, &keep, &e) < 0) {
			status = explain_error(t, &e, c->act.many);
			put_reasons(t->session, &action);
		} else if (!status) {
			status = remember(c, t, &action);
		}
	}
	free(indices);
	probes_result_free(result);
	return status;
}

/* -------------------------------------------------------------------- reading */

static bool take(void *data, const struct probes_event *event)
{
	struct events *c = data;

	events_print_add(&c->print, c->now->member,
		c->now->roles ? (enum pair_role)c->now->roles[event->probe] : PAIR_NEITHER, event);
	c->full = c->options->most &&
		  c->print.printed + c->print.lines.count - c->print.names >= c->options->most;
	return !c->full;
}

static uint64_t lost_of(const struct events *c)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < c->count; i++)
		lost += probes_events(c->processes[i].member->session).lost;
	return lost;
}

/* Say once that memory is not read, where that matters. */
static void tell_calls(const struct events *c, struct process *p)
{
	struct probes_events sum = probes_events(p->member->session);

	if (sum.calls || p->told || c->options->quiet)
		return;
	report_line("pid %d: texts, and arguments in memory other than the stack, are not read: %s",
		(int)p->member->pid, sum.no_calls);
	p->told = true;
}

/* Read what came, and print it. Returns how many events there were. */
static size_t read_all(struct events *c, bool last)
{
	size_t came;

	for (size_t i = 0; i < c->count && !c->full; i++) {
		struct process *p = &c->processes[i];
		struct probes_error e;

		c->now = p;
		/* Of one that has ended, what is left is delivered. */
		if (probes_events_read(p->member->session, last, take, c, &e) < 0 &&
			e.status != PROBES_GONE)
			explain_error(p->member, &e, c->act.many);
		tell_calls(c, p);
	}
	came = c->print.lines.count;
	events_print_flush(&c->print, lost_of(c));
	return came;
}

static uint64_t hits_of(const struct process *p, const struct kept *k)
{
	return probes_hits(p->member->session, k->probe).hits;
}

/* What costs more than -max-overhead is only counted from now on. */
static void keep_budget(struct events *c, int64_t ns)
{
	double most = c->options->max_overhead;

	for (size_t i = 0; i < c->count; i++) {
		struct process *p = &c->processes[i];
		struct probes_session *session = p->member->session;
		struct probes_error e;

		if (probes_read_hits(session, &e) < 0)
			continue;
		for (size_t k = 0; k < p->count; k++) {
			struct kept *one = &p->kept[k];
			uint64_t hits = hits_of(p, one), more = hits - one->hits;
			double hit_ns = probes_events_cost(session, one->probe);
			char rate[48], cost[48];

			one->hits = hits;
			if (one->over || !counting_exceeds(more, hit_ns, ns, most))
				continue;
			probes_events_drop(session, one->probe);
			one->over = true;
			one->dropped = hits;
			report_line("pid %d: %s: no more events, its hits are only counted: "
				    "%s hits/s at %.0f ns each cost %s %% of a core, and "
				    "-max-overhead is %g",
				(int)p->member->pid, outbuf_probe(probes_at(session, one->probe)),
				counting_rate_text(counting_rate(more, ns), rate, sizeof rate),
				hit_ns,
				counting_rate_text(
					counting_overhead(more, hit_ns, ns), cost, sizeof cost),
				most);
		}
	}
}

/* Are there events of any probe still? */
static bool any_kept(const struct events *c)
{
	for (size_t i = 0; i < c->count; i++)
		for (size_t k = 0; k < c->processes[i].count; k++)
			if (!c->processes[i].kept[k].over)
				return true;
	return false;
}

/* Until the term, a signal, -max, or the end of all processes or events. Returns the signal. */
static int keep_on(struct events *c)
{
	int64_t start = now_ms(), checked = now_ns(), pause = BUSY_MS;
	int64_t end = c->options->for_ms ? start + (int64_t)c->options->for_ms : INT64_MAX;
	int sig = 0;

	while (!sig && !c->full && now_ms() < end && probes_group_holds(c->group) && any_kept(c) &&
		!measure_unread(c->print.file)) {
		int64_t next = now_ms() + pause;

		sig = hold_wait(&c->hold, next < end ? next : end);
		pause = read_all(c, false) ? BUSY_MS : IDLE_MS;
		if (now_ns() - checked < (int64_t)CHECK_MS * 1000000)
			continue;
		keep_budget(c, now_ns() - checked);
		checked = now_ns();
	}
	return sig;
}

/* ------------------------------------------------------------------- the end */

/* The hits of probes that are only counted by now. */
static uint64_t unread_of(struct events *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct process *p = &c->processes[i];
		struct probes_error e;

		(void)!probes_read_hits(p->member->session, &e);
		for (size_t k = 0; k < p->count; k++)
			if (p->kept[k].over)
				sum += hits_of(p, &p->kept[k]) - p->kept[k].dropped;
	}
	return sum;
}

static void put_end(struct events *c, int64_t began, uint64_t unread)
{
	double seconds = (double)(now_ns() - began) / 1e9;
	uint64_t lost = lost_of(c);
	char text[200], time[32];
	struct line l = {.text = text, .size = sizeof text};
	bool over = false;

	for (size_t i = 0; i < c->count; i++)
		for (size_t k = 0; k < c->processes[i].count; k++)
			over = over || c->processes[i].kept[k].over;
	events_print_end(&c->print, lost, unread, seconds, over);
	line_add(&l, "%" PRIu64 " event%s in %s s", c->print.printed,
		line_s((size_t)c->print.printed), counting_number(seconds, 3, time, sizeof time));
	line_add(&l, lost ? ", %" PRIu64 " lost" : ", none lost", lost);
	if (c->print.unwritten)
		line_add(&l, ", not all of the last %" PRIu64 " written", c->print.unwritten);
	if (unread)
		line_add(&l, ", %" PRIu64 " hits only counted", unread);
	/* What is missing is said in any case. */
	if (!c->options->quiet || lost || unread)
		report_line("%s", text);
	if (lost && !c->options->quiet)
		report_more(
			"events came faster than they could be read; name fewer probes, or test "
			"numbers with -where, which the process itself does");
}

/* Keep events, undo, and say how it ended. *sig: what ended it, or 0. Returns the exit status. */
static int keep_and_undo(struct events *c, int *sig)
{
	int64_t began = now_ns();
	uint64_t unread;
	int status;

	for (size_t i = 0; i < c->count; i++) {
		struct probes_session *session = c->processes[i].member->session;
		struct probes_error e;

		if (probes_held(session) && probes_resume(session, &e) < 0)
			return explain_error(c->processes[i].member, &e, c->act.many);
	}
	*sig = keep_on(c);
	if (!*sig && !c->full && !c->print.code && measure_unread(c->print.file))
		c->print.code = EPIPE;
	for (size_t i = 0; i < c->count; i++)
		probes_events_end(c->processes[i].member->session);
	read_all(c, true);
	unread = unread_of(c);
	hold_undo(&c->hold);
	put_end(c, began, unread);
	status = explain_status(&c->hold.tally);
	if (!status)
		status = measure_written(c->print.file, c->options, c->print.code);
	return status ? status : *sig ? 128 + *sig : PROBES_OK;
}

/* ------------------------------------------------------------------ the verb */

/* From the opened targets to the end. Returns the exit status. */
static int keep_all(struct events *c)
{
	const struct options *o = c->options;
	size_t count = probes_group_count(c->group);
	struct tally tally = {0};
	int status, sig = 0;
	sigset_t before;

	c->processes = calloc(count + 1, sizeof *c->processes);
	if (!c->processes) {
		report_line("out of memory");
		return PROBES_FAILED;
	}
	hold_prepare(o->prog);
	act_hold_signals(&before);
	for (size_t i = 0; i < count; i++)
		explain_count(&tally, keep_one(c, probes_group_at(c->group, i)));
	act_restore_signals(&before);
	status = explain_status(&tally);
	if (!c->count) {
		hold_undo(&c->hold);
	} else {
		int kept = keep_and_undo(c, &sig);

		status = kept ? kept : status;
	}
	if (o->prog && tally.good)
		status = measure_leave(
			o, probes_group_at(c->group, 0)->pid, sig, status, "no longer counted");
	return status;
}

int events_run(const struct options *o)
{
	struct report_volume volume;
	struct probes_options engine = targets_engine(o, &volume);
	struct events c = {.options = o};
	struct probes_error e;
	int status;

	if (o->filter && probes_condition_parse(o->filter, &c.filter, &e) < 0) {
		report_error(&e);
		return (int)e.status;
	}
	c.print = (struct events_print){.file = measure_output(o), .format = o->format};
	if (!c.print.file) {
		probes_condition_free(c.filter);
		return PROBES_FAILED;
	}
	outbuf_outlive();
	c.hold = (struct hold){.act = &c.act,
		.held = "counted",
		.undone = "no longer counted",
		.undo = "uncount",
		.child = o->prog};
	status = act_begin(&c.act, "events", o, c.print.file, options_many(o));
	if (!status) {
		status = measure_open(&c.group, o, &engine);
		c.hold.group = c.group;
		if (!status)
			status = keep_all(&c);
		status = act_end(&c.act, status);
	}
	for (size_t i = 0; i < c.count; i++) {
		free(c.processes[i].kept);
		free(c.processes[i].roles);
	}
	free(c.processes);
	events_print_done(&c.print);
	probes_group_close(c.group);
	probes_condition_free(c.filter);
	return measure_close(c.print.file, o, status);
}
