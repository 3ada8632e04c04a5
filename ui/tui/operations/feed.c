#include "ui/tui/operations/feed.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/widgets/rowlist.h"
#include "ui/words/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

const struct probes_caller *feed_caller(
	const struct feed_event *one, const struct model *m, struct probes_caller *room)
{
	if (one->caller)
		return one->caller;
	probes_caller(m->processes[one->process].session, one->event.caller, room);
	return room;
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
	callers_add(&f->callers, one->process, one->event.caller, feed_caller(one, m, &caller));
}

static void feed_values_clear(struct feed *f)
{
	for (size_t i = 0; f->values && i < PROBES_EVENT_ARGUMENTS; i++)
		distribution_done(&f->values[i]);
	callers_done(&f->callers);
	if (f->values && f->ask.callers)
		callers_begin(&f->callers, false);
	f->summed = 0;
}

static void feed_clear(struct feed *f)
{
	for (; f->kept; f->kept--, f->first = (f->first + 1) % FEED_MOST)
		free(f->all[f->first]);
	f->behind = 0;
	feed_values_clear(f);
}

void feed_reread(struct feed *f)
{
	feed_clear(f);
	f->sum = f->before = (struct probes_events){0};
	f->pass = f->replay->begin;
	f->undecided = 0;
	for (size_t i = 0; i < f->part_count; i++)
		f->parts[i].on = true;
}

void feed_choose(struct feed *f, const struct model *m, uint32_t row)
{
	if (f->values && f->chosen == row)
		return;
	if (!f->values)
		f->values = mem_array(PROBES_EVENT_ARGUMENTS, sizeof *f->values);
	feed_values_clear(f);
	f->chosen = row;
	if (f->replay && f->kept < f->sum.delivered) { /* the values of all of them */
		feed_reread(f);
		return;
	}
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

void feed_subtract(struct probes_events *from, struct probes_events one)
{
	from->delivered -= one.delivered;
	from->rejected -= one.rejected;
	from->undecided -= one.undecided;
	from->lost -= one.lost;
}

void feed_forget(struct feed *f, const struct model *m, int64_t ms)
{
	if (f->ops->forget)
		f->ops->forget(f, m);
	f->ops->sum(f, m);
	/* What the sessions have summed is subtracted from now on. */
	feed_subtract(&f->before, f->sum);
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
	free(f->part_of);
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
	struct feed_part part = {.process = process, .session = p->session};
	struct model_member member;

	part.places = mem_array(probes_count(p->session) + 1, sizeof *part.places);
	memset(part.places, 0xff, probes_count(p->session) * sizeof *part.places); /* SIZE_MAX */
	part.probes = mem_array(probes_count(p->session) + 1, sizeof *part.probes);
	for (size_t i = 0; i < f->count; i++)
		for (uint32_t at = m->rows[f->rows[i].row].member; model_next(m, &at, &member);) {
			if (member.process != process)
				continue;
			part.places[member.probe] = i;
			part.probes[part.count++] = member.probe;
		}
	if (part.count && !p->gone) {
		f->part_of[process] = &f->parts[f->part_count];
		f->parts[f->part_count++] = part;
		return;
	}
	free(part.places);
	free(part.probes);
}

int feed_change(
	struct feed *f, const struct model *m, const struct feed_ask *ask, struct probes_error *e)
{
	struct probes_event_options options = {.texts = ask->texts, .callers = ask->callers};
	struct probes_condition *condition = NULL, *old = f->condition;
	char *where = ask->where && *ask->where ? mem_text(ask->where) : NULL;
	int r = where ? probes_condition_parse(where, &condition, e) : 0;

	options.condition = condition;
	if (r == 0 && f->ops->check)
		r = f->ops->check(f, m, &options, e);
	if (r < 0) {
		probes_condition_free(condition);
		free(where);
		return r;
	}
	feed_end(f, m);
	f->before = f->sum;
	f->before.undecided = 0; /* of the condition that there was */
	f->condition = condition;
	f->epoch++;
	free((char *)f->ask.where);
	f->ask = *ask;
	f->ask.where = where;
	feed_values_clear(f);
	r = f->ops->begin(f, m, e);
	f->ops->sum(f, m);
	probes_condition_free(old);
	return r;
}

int feed_begin(struct feed *f, const struct feed_ops *ops, const struct model *m,
	const uint32_t *rows, size_t count, const struct feed_ask *ask, int64_t ms,
	struct probes_error *e)
{
	int r;

	feed_end(f, m);
	feed_done(f);
	f->rows = mem_array(count, sizeof *f->rows);
	f->all = mem_array(FEED_MOST, sizeof(struct feed_event *));
	f->parts = mem_array(m->process_count, sizeof *f->parts);
	f->part_of = mem_array(m->process_count, sizeof(struct feed_part *));
	f->ops = ops;
	for (; f->count < count; f->count++)
		f->rows[f->count].row = rows[f->count];
	for (uint32_t i = 0; i < m->process_count; i++)
		feed_add_part(f, m, i);
	if (!f->part_count)
		return report_set(e, PROBES_NO_TARGET, -ESRCH, "cannot record events", "",
			"no process has these probes");
	r = feed_change(f, m, ask, e);
	f->used = r == 0;
	f->ops->sum(f, m);
	trend_begin(&f->trend);
	trend_read(&f->trend, ms, f->sum.delivered);
	return r;
}

/* ---------------------------------------------------------------- reading */

/* A copy of an event, with its texts. caller: or NULL. */
static struct feed_event *feed_copy(
	const struct probes_event *event, const struct probes_caller *caller)
{
	size_t bytes = strlen(event->thread) + 1;
	struct feed_event *c;
	char *at;

	if (caller)
		bytes += sizeof *caller + (caller->object ? strlen(caller->object) + 1 : 0);
	for (size_t i = 0; i < event->count; i++)
		bytes += event->values[i].text ? strlen(event->values[i].text) + 1 : 0;
	c = mem_alloc(sizeof *c + bytes);
	c->event = *event;
	at = c->texts;
	if (caller) {
		c->caller = memcpy(at, caller, sizeof *caller);
		at += sizeof *caller;
	}
	if (caller && caller->object) {
		((struct probes_caller *)c->texts)->object = at;
		at = stpcpy(at, caller->object) + 1;
	}
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

struct feed_row *feed_add(struct feed *f, const struct feed_part *part,
	const struct probes_event *event, const struct probes_caller *caller)
{
	struct feed_row *row = &f->rows[part->places[event->probe]];
	struct feed_event *c = feed_copy(event, caller);

	c->row = row->row;
	c->process = part->process;
	c->epoch = f->epoch;
	f->threads |= event->tid != event->pid;
	f->fresh = mem_grow(
		f->fresh, &f->fresh_capacity, f->fresh_count + 1, sizeof(struct feed_event *));
	f->fresh[f->fresh_count++] = c;
	return row;
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
	if (f->part_count > 1 && f->fresh_count && !f->replay)
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

/* `last`: what is newest, too. */
static bool feed_read_all(struct feed *f, const struct model *m, bool last)
{
	bool came;

	f->ops->read(f, m, last);
	came = f->fresh_count > 0;
	feed_keep(f, m);
	f->ops->sum(f, m);
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
	if (f->ops->drop)
		f->ops->drop(f, m, place);
	f->rows[place].over = true;
}

void feed_end(struct feed *f, const struct model *m)
{
	if (!feed_on(f))
		return;
	f->ops->end(f, m);
	if (feed_on(f))
		feed_read_all(f, m, true);
	for (size_t i = 0; i < f->part_count; i++) {
		if (f->parts[i].on)
			snprintf(f->parts[i].why, sizeof f->parts[i].why, "it was stopped");
		f->parts[i].on = false;
	}
}
