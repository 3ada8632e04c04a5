/* The events of processes, through their sessions. See feed.h. */
#include "ui/tui/operations/feed.h"

#include "ui/figures/event.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>

#define FEED_LIVE_TRIES 40  /* events of a row whose values are tried as addresses of texts, */
#define FEED_LIVE_AT_ONCE 2 /* of one reading: a text may be gone between two hits */
#define FEED_LIVE_LEAST 3   /* characters: what is shorter may be a text by chance */
#define FEED_LIVE_PAGE 4096 /* no address is lower */

static int feed_live_check(const struct feed *f, const struct model *m,
	const struct probes_event_options *options, struct probes_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->part_count; i++)
		r = probes_events_check(
			f->parts[i].session, f->parts[i].probes, f->parts[i].count, options, e);
	return r;
}

/* Begin in each process. 0, if it began in some. */
static int feed_live_begin(struct feed *f, const struct model *m, struct probes_error *e)
{
	const struct probes_event_options options = {.texts = f->ask.texts,
		.condition = f->condition,
		.callers = f->ask.callers,
		.interrupts = f->ask.interrupts};
	int r = 0;

	for (struct feed_part *part = f->parts; part < f->parts + f->part_count; part++) {
		struct probes_error one = {0};

		part->on = probes_events_begin(
				   part->session, part->probes, part->count, &options, &one) == 0;
		text_clean(part->on ? "" : one.why, part->why, sizeof part->why);
		if (part->on)
			continue;
		/* It still has the sums of what ended. */
		feed_subtract(&f->before, probes_events(part->session));
		if (!r) {
			*e = one;
			r = one.code;
		}
	}
	return feed_on(f) ? 0 : r;
}

struct feed_live_reading {
	struct feed *feed;
	const struct model *model;
	const struct feed_part *part;
};

/* Does the value point to a text, by what lies there now? */
static bool feed_live_is_text(struct probes_session *s, const struct probes_value *v)
{
	char text[64];
	size_t length, known = 0;

	if (v->asked || v->size != 8 || v->kind == PROBES_VALUE_FLOAT ||
		v->kind == PROBES_VALUE_UNREADABLE || v->bits < FEED_LIVE_PAGE)
		return false;
	length = probes_text_at(s, v->bits, text, sizeof text);
	while (known < length && text[known] >= ' ' && text[known] <= '~')
		known++;
	return length >= FEED_LIVE_LEAST && known == length;
}

/* The session of the process of an event: perhaps of a forked child of the one that was read. */
static struct probes_session *feed_live_session(
	const struct feed_live_reading *r, const struct probes_event *event)
{
	const struct feed *f = r->feed;

	for (size_t i = 0; i < f->part_count; i++)
		if (r->model->processes[f->parts[i].process].pid == event->pid)
			return f->parts[i].session;
	return r->part->session;
}

static bool feed_live_take(void *data, const struct probes_event *event)
{
	const struct feed_live_reading *r = data;
	struct feed *f = r->feed;
	struct feed_row *row = feed_add(f, r->part, event, NULL);

	for (size_t i = 0; i < event->count; i++)
		f->young |= event->pid != r->model->processes[r->part->process].pid &&
			    event_unreadable(&event->values[i]);
	if (row->trying && row->tried < FEED_LIVE_TRIES) {
		row->trying--;
		row->tried++;
		for (size_t i = 0; i < event->count; i++)
			if (!(f->offered >> i & 1) &&
				feed_live_is_text(feed_live_session(r, event), &event->values[i]))
				f->offered |= 1u << i;
	}
	return true;
}

static void feed_live_read(struct feed *f, const struct model *m, bool last)
{
	uint64_t round = probes_events_clock();

	for (size_t i = 0; i < f->count; i++)
		f->rows[i].trying = FEED_LIVE_AT_ONCE;
	for (size_t i = 0; i < f->part_count; i++)
		probes_events_round(f->parts[i].session, round);
	for (struct feed_part *part = f->parts; part < f->parts + f->part_count; part++) {
		const struct model_process *process = &m->processes[part->process];
		const char *over = model_uncounted(process, part->probes, part->count, 1);
		struct feed_live_reading reading = {f, m, part};
		struct probes_error gone;

		if (!part->on)
			continue;
		part->on = !over;
		if (over) {
			probes_events_end(process->session);
			snprintf(part->why, sizeof part->why, "%s", over);
		}
		if (probes_events_read(process->session, last || !part->on, feed_live_take,
			    &reading, &gone) < 0 &&
			part->on)
			text_clean(gone.why, part->why, sizeof part->why);
	}
}

static void feed_live_sum(struct feed *f, const struct model *m)
{
	f->sum = f->before;
	f->no_calls = NULL;
	for (size_t i = 0; i < f->part_count; i++) {
		struct probes_events one = probes_events(f->parts[i].session);

		f->sum.delivered += one.delivered;
		f->sum.rejected += one.rejected;
		f->sum.undecided += one.undecided;
		f->sum.lost += one.lost;
		if (f->parts[i].on && !one.calls && !f->no_calls)
			f->no_calls = one.no_calls;
	}
}

static void feed_live_forget(struct feed *f, const struct model *m)
{
	for (size_t i = 0; i < f->part_count; i++)
		if (f->parts[i].on)
			probes_events_reset(m->processes[f->parts[i].process].session);
}

static void feed_live_drop(struct feed *f, const struct model *m, size_t place)
{
	for (size_t i = 0; i < f->part_count; i++)
		for (size_t k = 0; k < f->parts[i].count; k++)
			if (f->parts[i].places[f->parts[i].probes[k]] == place)
				probes_events_drop(f->parts[i].session, f->parts[i].probes[k]);
}

static void feed_live_end(struct feed *f, const struct model *m)
{
	for (size_t i = 0; i < f->part_count; i++)
		if (f->parts[i].on)
			probes_events_end(f->parts[i].session);
}

const struct feed_ops feed_live_ops = {
	.check = feed_live_check,
	.begin = feed_live_begin,
	.read = feed_live_read,
	.sum = feed_live_sum,
	.forget = feed_live_forget,
	.drop = feed_live_drop,
	.end = feed_live_end,
};
