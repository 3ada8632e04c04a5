/*
 * Where the events of a verb come from: processes (collect.c), or a recording: then here are the
 * same calls in the same order, and nothing is counted or undone. See collect.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cli/collect.h"
#include "ui/cli/result.h"
#include "ui/figures/event.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/report.h"

#define BATCH 1000 /* events between two writes */

struct source {
	struct collect *k;
	struct place {
		size_t process;    /* 1 + its index in collect.processes; 0: it is not chosen */
		size_t probe;      /* its index in the probes there */
	} * places;                /* of probes, as in replay.probes */
	bool *found;               /* by action of the call: some process has such a probe */
	bool fits;                 /* some process has what is asked for; */
	struct probes_error unfit; /* else why not */
	bool no_callers;
};

static int choose_in(struct source *s, const struct replay_process *from,
	const struct probes_action *action, struct probes_error *e)
{
	struct collect *k = s->k;
	struct probes_session *session = from->member.session;
	const struct collect_process process = {.member = &from->member, .recorded = from};
	int r = action->count && k->ops->check ? k->ops->check(k->data, session, action, e) : 0;

	if (r > 0)
		s->unfit = *e;
	if (r || !action->count)
		return r;
	s->fits = probes_events_check(
			  session, action->indices, action->count, &k->events, &s->unfit) == 0 ||
		  s->fits;
	if (collect_begin(k, &process, action))
		return probes_failed(e, -ENOMEM, "cannot replay");
	for (size_t i = 0; i < action->count; i++)
		s->places[from->first + action->indices[i]] =
			(struct place){.process = k->count, .probe = i};
	return 0;
}

/* Name the probes of the recording, each once, as far as the hint has room. */
static void put_names(const struct replay *r, struct probes_error *e)
{
	struct line all = {.text = e->hint, .size = sizeof e->hint}, *l = &all;

	line_add(l, "the recording has");
	for (size_t i = 0; i < r->recording.probe_count; i++) {
		const struct probes_probe *p = &r->recording.probes[i].probe;
		bool again = false;

		for (size_t k = 0; k < i && !again; k++)
			again = !strcmp(p->name, r->recording.probes[k].probe.name) &&
				!strcmp(p->provider, r->recording.probes[k].probe.provider);
		if (again)
			continue;
		if (l->length + strlen(p->provider) + strlen(p->name) + sizeof ", :, ..." >
			l->size) {
			line_add(l, ", ...");
			return;
		}
		line_add(l, "%s %s:%s", i ? "," : "", p->provider, p->name);
	}
}

/* No process has such a probe: the error of the first one that has any of -provider and -object. */
static int refuse(const struct source *s, const struct probes_action *a, struct probes_error *e)
{
	const struct replay *r = s->k->replay;
	const struct probes_switch_options narrow = options_switch(s->k->options);
	struct probes_session *session = NULL;
	size_t *some, count;
	bool any = false;
	int status;

	for (size_t i = 0; !any && i < r->recording.process_count; i++) {
		if (!probes_count(r->processes[i].member.session))
			continue;
		session = r->processes[i].member.session;
		any = probes_find(session, PROBES_BY_ALL, NULL, &narrow, &some, &count, e) == 0;
		if (any)
			free(some);
	}
	status = probes_find(session, a->by, a->text, &narrow, &some, &count, e);
	/* What list could show are the probes of a process. */
	if (status == -ENOENT && a->by == PROBES_BY_NAME && !narrow.provider && !narrow.object &&
		!strncmp(e->hint, "list ", 5))
		put_names(r, e);
	return status;
}

/* Does it hold what is asked for, and can that be written so? */
static int check(const struct collect *k, struct probes_error *e)
{
	const struct options *o = k->options;
	bool latency = k->replay->processes[0].latency;
	bool tables = latency || o->pair.count || o->argument || o->callers;
	bool chosen = o->actions.items[0].by != PROBES_BY_ALL || o->provider || o->object ||
		      o->argument || o->callers || o->filter;

	if (o->format == (tables ? FORMAT_CHROME : FORMAT_CSV))
		return report_set(e, PROBES_USAGE, -EINVAL, "-format", "", "%s",
			tables ? "only events can be written for chrome"
			       : "events are text, json or chrome");
	return !latency || !chosen ? 0
				   : report_set(e, PROBES_USAGE, -EINVAL, "cannot choose events",
					     "replay it without options", "%s",
					     "this recording holds latency tables, no events");
}

/* As for processes, but a probe needs to be in one of them only. */
static int choose(struct source *s, struct probes_error *e)
{
	const struct replay *r = s->k->replay;
	const struct options *o = s->k->options;
	int status = 0;

	for (size_t i = 0; status >= 0 && i < r->recording.process_count; i++) {
		struct probes_action action;

		status = measure_choose(r->processes[i].member.session, o, s->found, &action, e);
		if (status >= 0)
			status = choose_in(s, &r->processes[i], &action, e);
		free((size_t *)action.indices);
	}
	for (size_t i = 0; status >= 0 && i < o->actions.count; i++)
		if (!s->found[i])
			status = refuse(s, &o->actions.items[i], e);
	if (status < 0 || s->fits)
		return status;
	*e = s->unfit;
	return -EINVAL;
}

/* NULL: it is not chosen. */
static const struct collect_process *find(const struct source *s, size_t probe, size_t *index)
{
	const struct replay *r = s->k->replay;
	const struct place *place =
		&s->places[r->processes[r->recording.probes[probe].process].first +
			   r->local[probe]];

	*index = place->probe;
	return place->process ? &s->k->processes[place->process - 1] : NULL;
}

static void flush(struct source *s)
{
	if (s->k->ops->print)
		s->k->ops->print(s->k->data);
	s->k->came = 0;
}

static void take_event(struct source *s, const struct recording_item *item)
{
	struct collect *k = s->k;
	const struct probes_probe *probe = &k->replay->recording.probes[item->event.probe].probe;
	struct probes_event event = item->event;
	size_t index;
	const struct collect_process *process = find(s, event.probe, &index);

	if (!process || k->full)
		return;
	event.probe = process->probes[index].probe;
	if (k->filter && !probes_condition_holds(k->filter, &event, probe)) {
		k->undecided += probes_condition_undecided(k->filter, &event, probe);
		return;
	}
	s->no_callers = k->events.callers && !item->callers;
	k->caller = item->callers ? &item->caller : NULL;
	k->full = s->no_callers || !k->ops->take(k->data, process, &event);
	if (++k->came >= BATCH)
		flush(s);
}

static void take(void *data, const struct recording_item *item)
{
	struct source *s = data;
	const struct recording_rate *rate = &item->rate;
	const struct collect_process *process;
	size_t index;

	switch (item->what) {
	case RECORDING_EVENT:
		take_event(s, item);
		break;
	case RECORDING_LOST:
		flush(s);
		s->k->lost = item->lost;
		break;
	case RECORDING_RATE:
		process = find(s, rate->probe, &index);
		if (process && s->k->ops->rate)
			s->k->ops->rate(
				s->k->data, process, index, rate->hits, rate->time_ns, rate->ns);
		break;
	default:
		break;
	}
}

/* Say where and when it was recorded. */
static void put_head(const struct collect *k)
{
	const struct recording_head *head = &k->replay->recording.head;
	char time[EVENT_TIME_BYTES];

	if (k->options->quiet)
		return;
	report_line("recorded on %s, %s", outbuf_safe(head->host),
		event_time(head->time_ns, true, time));
	report_more("Linux %s", outbuf_safe(head->kernel));
}

/* Say where hits of the chosen probes are no events; the tables of values and pairs say it. */
static void put_not_counted(const struct collect *k)
{
	if (k->options->quiet || k->options->argument || k->options->pair.count)
		return;
	for (const struct collect_process *p = k->processes; p < k->processes + k->count; p++) {
		size_t sites = 0, left = 0;

		for (size_t i = 0; i < p->count; i++) {
			size_t probe = p->probes[i].probe;
			uint32_t all = probes_at(p->member->session, probe)->site_count;
			uint32_t kept = collect_sites(p, probe);

			sites += all;
			left += kept < all ? all - kept : 0;
		}
		if (left)
			report_line(
				"pid %d: %zu of %zu site%s %s not counted: hits there are missing",
				(int)p->member->pid, left, sites, line_s(sites),
				left == 1 ? "was" : "were");
	}
}

/* Say how it ended, after all was written. Returns the exit status. */
static int put_end(const struct collect *k)
{
	int status = result_written(k->measure.file, k->options, k->measure.code);

	/* Where nobody reads on, the end was not reached. */
	if (status)
		return status;
	if (!k->pass.ended) {
		report_line("%s", outbuf_safe(k->pass.why));
		return PROBES_FAILED;
	}
	if (k->options->quiet)
		return PROBES_OK;
	report_more("it ended: %s", outbuf_safe(k->pass.how));
	collect_tell_undecided(collect_end(k).undecided);
	return PROBES_OK;
}

/* Returns the exit status. */
static int replay(struct source *s)
{
	struct collect *k = s->k;

	while (k->pass.on && !s->no_callers && !k->measure.code && !ferror(k->measure.file))
		replay_read(k->replay, &k->pass, take, s);
	if (s->no_callers) {
		report_line("the recording holds no callers: record them with events -callers");
		return PROBES_USAGE;
	}
	k->began = 1;
	k->ended = 1 + (k->pass.ended ? (int64_t)(k->pass.end.seconds * 1e9)
				      : k->pass.last_ns - k->pass.first_ns);
	flush(s);
	k->ops->end(k->data);
	return PROBES_OK;
}

static int collect_replay(struct collect *k)
{
	struct source s = {.k = k,
		.places = calloc(k->replay->probe_count + 1, sizeof *s.places),
		.found = calloc(k->options->actions.count + 1, sizeof *s.found)};
	bool latency = k->replay->processes[0].latency;
	struct probes_error e;
	int status;

	k->pass = k->replay->begin;
	status = s.places && s.found ? check(k, &e) : probes_failed(&e, -ENOMEM, "cannot replay");
	if (!status && !latency)
		status = choose(&s, &e);
	if (status < 0) {
		status = report_error(&e);
	} else {
		put_head(k);
		put_not_counted(k);
		status = latency ? replay_tables(k) : replay(&s);
	}
	status = status ? status : put_end(k);
	free(s.places);
	free(s.found);
	return result_close(k->measure.file, k->options, status);
}

int collect_run(struct collect *k, const struct collect_ops *ops, void *data)
{
	k->ops = ops;
	k->data = data;
	return k->replay ? collect_replay(k) : collect_live(k);
}
