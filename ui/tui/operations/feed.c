/* See feed.h. */
#include "ui/tui/operations/feed.h"

#include "ui/event.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/widgets/rowlist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEED_TRIES 40  /* events of a row whose values are tried as addresses of texts, */
#define FEED_AT_ONCE 2 /* of one reading: a text may be gone between two hits */
#define FEED_LEAST 3   /* characters: what is shorter may be a text by chance */
#define FEED_PAGE 4096 /* no address is lower */

bool feed_on(const struct feed *f)
{
	for (size_t i = 0; i < f->part_count; i++)
		if (f->parts[i].on)
			return true;
	return false;
}

const struct feed_event *feed_at(const struct feed *f, size_t i)
{
	return f->all[(f->first + i) % FEED_MOST];
}

const struct feed_event *feed_find(const struct feed *f, uint32_t id)
{
	uint32_t oldest = f->kept ? feed_at(f, 0)->id : 0;
	/* Ids go from ROWLIST_NONE - 1 on to 0. */
	uint32_t i = id >= oldest ? id - oldest : id + (ROWLIST_NONE - oldest);

	return id != ROWLIST_NONE && i < f->kept ? feed_at(f, i) : NULL;
}

bool feed_has(const struct feed *f, uint32_t row)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->rows[i].row == row)
			return true;
	return false;
}

/* Is this an event to be summed up? */
static bool feed_chosen(const struct feed *f, const struct feed_event *one)
{
	return f->values && f->chosen == one->row && f->epoch == one->epoch;
}

static void feed_value(struct feed *f, const struct model *m, const struct feed_event *one)
{
	struct probes_caller caller;

	if (!feed_chosen(f, one))
		return;
	if (!f->summed++)
		f->summed_ns = one->event.time_ns;
	for (size_t i = 0; i < one->event.count; i++)
		distribution_add(&f->values[i], &one->event.values[i]);
	if (!f->callers.rows || callers_hit(&f->callers, one->process, one->event.caller))
		return;
	probes_caller(m->processes[one->process].session, one->event.caller, &caller);
	callers_add(&f->callers, one->process, one->event.caller, &caller);
}

/* Begin to sum up from nothing. */
static void feed_values_clear(struct feed *f)
{
	for (size_t i = 0; f->values && i < PROBES_EVENT_ARGUMENTS; i++)
		distribution_done(&f->values[i]);
	callers_done(&f->callers);
	if (f->values && f->ask.callers)
		callers_begin(&f->callers);
	f->summed = 0;
}

void feed_choose(struct feed *f, const struct model *m, uint32_t row)
{
	if (f->values && f->chosen == row)
		return;
	if (!f->values)
		f->values = mem_array(PROBES_EVENT_ARGUMENTS, sizeof *f->values);
	feed_values_clear(f);
	f->chosen = row;
	for (size_t i = 0; i < f->kept - f->behind; i++)
		feed_value(f, m, feed_at(f, i));
}

void feed_hold(struct feed *f, const struct model *m, bool held)
{
	f->held = held;
	for (; f->behind && !held; f->behind--)
		feed_value(f, m, feed_at(f, f->kept - f->behind));
}

const struct feed_event *feed_last(const struct feed *f)
{
	for (size_t i = f->kept - f->behind; i-- > 0;)
		if (feed_chosen(f, feed_at(f, i)))
			return feed_at(f, i);
	return NULL;
}

static void feed_sum(struct feed *f, const struct model *m)
{
	f->sum = f->before;
	f->no_calls = NULL;
	for (size_t i = 0; i < f->part_count; i++) {
		struct probes_events one = probes_events(m->processes[f->parts[i].process].session);

		f->sum.delivered += one.delivered;
		f->sum.rejected += one.rejected;
		f->sum.lost += one.lost;
		if (f->parts[i].on && !one.calls && !f->no_calls)
			f->no_calls = one.no_calls;
	}
}

static void feed_clear(struct feed *f)
{
	for (; f->kept; f->kept--, f->first = (f->first + 1) % FEED_MOST)
		free(f->all[f->first]);
	f->behind = 0;
	feed_values_clear(f);
}

void feed_forget(struct feed *f, int64_t ms)
{
	/* What the sessions have summed is subtracted from now on. */
	f->before.delivered -= f->sum.delivered;
	f->before.rejected -= f->sum.rejected;
	f->before.lost -= f->sum.lost;
	f->sum = (struct probes_events){0};
	f->unkept = 0;
	feed_clear(f);
	trend_begin(&f->trend);
	trend_read(&f->trend, ms, 0);
}

void feed_done(struct feed *f)
{
	feed_clear(f);
	callers_done(&f->callers);
	free(f->values);
	for (size_t i = 0; i < f->part_count; i++) {
		free(f->parts[i].probes);
		free(f->parts[i].places);
	}
	free(f->parts);
	free(f->rows);
	free(f->all);
	free(f->fresh);
	free((char *)f->ask.where);
	probes_condition_free(f->condition);
	*f = (struct feed){0};
}

/* ---------------------------------------------------------------- beginning */

/* What a process has of the rows. */
static void feed_add_part(struct feed *f, const struct model *m, uint32_t process)
{
	const struct model_process *p = &m->processes[process];
	struct feed_part part = {.process = process};
	struct model_member member;

	part.places = mem_array(probes_count(p->session) + 1, sizeof *part.places);
	part.probes = mem_array(probes_count(p->session) + 1, sizeof *part.probes);
	for (size_t i = 0; i < f->count; i++) {
		for (uint32_t at = m->rows[f->rows[i].row].member; model_next(m, &at, &member);) {
			if (member.process != process)
				continue;
			part.places[member.probe] = i;
			part.probes[part.count++] = member.probe;
		}
	}
	if (part.count && !p->gone) {
		f->parts[f->part_count++] = part;
		return;
	}
	free(part.places);
	free(part.probes);
}

/* Begin in each process. 0, if it began in some. */
static int feed_open(struct feed *f, const struct model *m, struct probes_error *e)
{
	const struct probes_event_options options = {.texts = f->ask.texts,
		.condition = f->condition,
		.callers = f->ask.callers,
		.interrupts = f->ask.interrupts};
	int r = 0;

	for (size_t i = 0; i < f->part_count; i++) {
		struct feed_part *part = &f->parts[i];
		struct probes_error one = {0};
		struct probes_events one_before;

		part->on = probes_events_begin(m->processes[part->process].session, part->probes,
				   part->count, &options, &one) == 0;
		text_clean(part->on ? "" : one.why, part->why, sizeof part->why);
		if (part->on)
			continue;
		/* It still has the sums of what ended. */
		one_before = probes_events(m->processes[part->process].session);
		f->before.delivered -= one_before.delivered;
		f->before.rejected -= one_before.rejected;
		f->before.lost -= one_before.lost;
		if (!r) {
			*e = one;
			r = one.code;
		}
	}
	return feed_on(f) ? 0 : r;
}

/* Would that be accepted? *condition is the caller's. */
static int feed_check(const struct feed *f, const struct model *m, const struct feed_ask *ask,
	struct probes_condition **condition, struct probes_error *e)
{
	struct probes_event_options options = {.texts = ask->texts, .callers = ask->callers};
	int r = 0;

	*condition = NULL;
	if (ask->where && *ask->where)
		r = probes_condition_parse(ask->where, condition, e);
	options.condition = *condition;
	for (size_t i = 0; r == 0 && i < f->part_count; i++)
		r = probes_events_check(m->processes[f->parts[i].process].session,
			f->parts[i].probes, f->parts[i].count, &options, e);
	if (r < 0) {
		probes_condition_free(*condition);
		*condition = NULL;
	}
	return r;
}

int feed_change(
	struct feed *f, const struct model *m, const struct feed_ask *ask, struct probes_error *e)
{
	struct probes_condition *condition, *old = f->condition;
	char *where = ask->where && *ask->where ? mem_text(ask->where) : NULL;
	int r = feed_check(f, m, ask, &condition, e);

	if (r < 0) {
		free(where);
		return r;
	}
	feed_end(f, m);
	f->before = f->sum;
	f->condition = condition;
	f->epoch++;
	free((char *)f->ask.where);
	f->ask = *ask;
	f->ask.where = where;
	feed_values_clear(f);
	r = feed_open(f, m, e);
	feed_sum(f, m);
	probes_condition_free(old);
	return r;
}

int feed_begin(struct feed *f, const struct model *m, const uint32_t *rows, size_t count,
	const struct feed_ask *ask, int64_t ms, struct probes_error *e)
{
	int r;

	feed_end(f, m);
	feed_done(f);
	f->rows = mem_array(count, sizeof *f->rows);
	f->all = mem_array(FEED_MOST, sizeof(struct feed_event *));
	f->parts = mem_array(m->process_count, sizeof *f->parts);
	for (; f->count < count; f->count++)
		f->rows[f->count].row = rows[f->count];
	for (uint32_t i = 0; i < m->process_count; i++)
		feed_add_part(f, m, i);
	if (!f->part_count) {
		*e = (struct probes_error){.status = PROBES_NO_TARGET, .code = -ESRCH};
		snprintf(e->what, sizeof e->what, "cannot keep events");
		snprintf(e->why, sizeof e->why, "no process has these probes");
		return e->code;
	}
	r = feed_change(f, m, ask, e);
	f->used = r == 0;
	feed_sum(f, m);
	trend_begin(&f->trend);
	trend_read(&f->trend, ms, f->sum.delivered);
	return r;
}

/* ---------------------------------------------------------------- reading */

struct feed_reading {
	struct feed *feed;
	const struct model *model;
	const struct feed_part *part;
};

/* Does the value point to a text, by what lies there now? */
static bool feed_is_text(struct probes_session *s, const struct probes_value *v)
{
	char text[64];
	size_t length, known = 0;

	if (v->asked || v->size != 8 || v->kind == PROBES_VALUE_FLOAT ||
		v->kind == PROBES_VALUE_UNREADABLE || v->bits < FEED_PAGE)
		return false;
	length = probes_text_at(s, v->bits, text, sizeof text);
	while (known < length && text[known] >= ' ' && text[known] <= '~')
		known++;
	return length >= FEED_LEAST && known == length;
}

/* A copy of an event, with its texts. */
static struct feed_event *feed_copy(const struct probes_event *event)
{
	size_t bytes = strlen(event->thread) + 1;
	struct feed_event *c;
	char *at;

	for (size_t i = 0; i < event->count; i++)
		bytes += event->values[i].text ? strlen(event->values[i].text) + 1 : 0;
	c = mem_alloc(sizeof *c + bytes);
	c->event = *event;
	at = c->texts;
	c->event.thread = at;
	at = stpcpy(at, event->thread) + 1;
	for (size_t i = 0; i < event->count; i++) {
		if (!event->values[i].text)
			continue;
		c->event.values[i].text = at;
		at = stpcpy(at, event->values[i].text) + 1;
	}
	return c;
}

/* The session of the process of an event: perhaps of a child by fork of the one that was read. */
static struct probes_session *feed_session(
	const struct feed_reading *r, const struct probes_event *event)
{
	const struct feed *f = r->feed;

	for (size_t i = 0; i < f->part_count; i++)
		if (r->model->processes[f->parts[i].process].pid == event->pid)
			return r->model->processes[f->parts[i].process].session;
	return r->model->processes[r->part->process].session;
}

static bool feed_take(void *data, const struct probes_event *event)
{
	const struct feed_reading *r = data;
	struct feed *f = r->feed;
	struct feed_row *row = &f->rows[r->part->places[event->probe]];
	struct feed_event *c = feed_copy(event);

	c->row = row->row;
	c->process = r->part->process;
	c->epoch = f->epoch;
	f->threads |= event->tid != event->pid;
	for (size_t i = 0; i < event->count; i++)
		f->young |= event->pid != r->model->processes[c->process].pid &&
			    event_unread(&event->values[i]);
	f->fresh = mem_grow(
		f->fresh, &f->fresh_capacity, f->fresh_count + 1, sizeof(struct feed_event *));
	f->fresh[f->fresh_count++] = c;
	if (row->trying && row->tried < FEED_TRIES) {
		row->trying--;
		row->tried++;
		for (size_t i = 0; i < event->count; i++)
			if (!(f->offered >> i & 1) &&
				feed_is_text(feed_session(r, event), &event->values[i]))
				f->offered |= 1u << i;
	}
	return true;
}

static int feed_compare(const void *x, const void *y)
{
	const struct feed_event *a = *(struct feed_event *const *)x;
	const struct feed_event *b = *(struct feed_event *const *)y;

	return (a->event.time_ns > b->event.time_ns) - (a->event.time_ns < b->event.time_ns);
}

/* Keep what has come, and sum it up; of several processes in the order of time. */
static void feed_keep(struct feed *f, const struct model *m)
{
	if (f->part_count > 1 && f->fresh_count)
		qsort(f->fresh, f->fresh_count, sizeof(struct feed_event *), feed_compare);
	for (size_t i = 0; i < f->fresh_count; i++) {
		struct feed_event *c = f->fresh[i];

		if (f->held && f->kept == FEED_MOST) {
			f->unkept++;
			free(c);
			continue;
		}
		if (f->kept == FEED_MOST) {
			free(f->all[f->first]);
			f->first = (f->first + 1) % FEED_MOST;
			f->kept--;
		}
		c->id = f->next++;
		if (f->next == ROWLIST_NONE)
			f->next = 0;
		f->all[(f->first + f->kept++) % FEED_MOST] = c;
		if (f->held)
			f->behind++;
		else
			feed_value(f, m, c);
	}
	f->fresh_count = 0;
}

/* Does the process still count any of it? */
static bool feed_counted(const struct feed_part *part, const struct model_process *process)
{
	if (process->gone)
		return false;
	for (size_t i = 0; i < part->count; i++)
		if (probes_live_at(process->session, part->probes[i])->sites_counted)
			return true;
	return false;
}

/* Read from each process; `last`: what is newest, too. */
static bool feed_read_all(struct feed *f, const struct model *m, bool last)
{
	bool came;

	for (size_t i = 0; i < f->count; i++)
		f->rows[i].trying = FEED_AT_ONCE;
	for (size_t i = 0; i < f->part_count; i++) {
		struct feed_part *part = &f->parts[i];
		const struct model_process *process = &m->processes[part->process];
		struct feed_reading reading = {f, m, part};
		struct probes_error gone;

		if (!part->on)
			continue;
		part->on = feed_counted(part, process);
		if (!part->on) {
			probes_events_end(process->session);
			snprintf(part->why, sizeof part->why, "%s",
				process->gone ? "the process is gone" : "no longer counted");
		}
		if (probes_events_read(
			    process->session, last || !part->on, feed_take, &reading, &gone) < 0 &&
			part->on)
			text_clean(gone.why, part->why, sizeof part->why);
	}
	came = f->fresh_count > 0;
	feed_keep(f, m);
	feed_sum(f, m);
	return came;
}

bool feed_read(struct feed *f, const struct model *m, int64_t ms)
{
	bool came = feed_read_all(f, m, false);

	trend_read(&f->trend, ms, f->sum.delivered);
	return came;
}

/* ---------------------------------------------------------------- ending */

void feed_drop(struct feed *f, const struct model *m, size_t place)
{
	for (size_t i = 0; i < f->part_count; i++)
		for (size_t k = 0; k < f->parts[i].count; k++)
			if (f->parts[i].places[f->parts[i].probes[k]] == place)
				probes_events_drop(m->processes[f->parts[i].process].session,
					f->parts[i].probes[k]);
	f->rows[place].over = true;
}

void feed_end(struct feed *f, const struct model *m)
{
	for (size_t i = 0; i < f->part_count; i++)
		if (f->parts[i].on)
			probes_events_end(m->processes[f->parts[i].process].session);
	if (feed_on(f))
		feed_read_all(f, m, true);
	for (size_t i = 0; i < f->part_count; i++) {
		if (f->parts[i].on)
			snprintf(f->parts[i].why, sizeof f->parts[i].why, "it was stopped");
		f->parts[i].on = false;
	}
}
