/*
 * The events of a recording, as its file holds them: each beginning reads it from the first event
 * on. See feed.h.
 */
#include "ui/tui/operations/feed.h"

static int feed_recorded_begin(struct feed *f, const struct model *m, struct probes_error *e)
{
	f->replay = m->replay;
	feed_reread(f);
	return 0;
}

/* An item of the recording: perhaps an event of one of the rows. */
static void feed_recorded_take(void *data, const struct recording_item *item)
{
	struct feed *f = data;
	const struct recording_probe *of;
	const struct feed_part *part;
	struct probes_event event;

	if (item->what != RECORDING_EVENT)
		return;
	of = &f->replay->recording.probes[item->event.probe];
	part = f->part_of[of->process];
	event = item->event;
	event.probe = f->replay->local[item->event.probe];
	if (!part || part->places[event.probe] == SIZE_MAX)
		return;
	if (f->condition && !probes_condition_holds(f->condition, &event, &of->probe)) {
		f->sum.rejected++;
		f->undecided += probes_condition_undecided(f->condition, &event, &of->probe);
		return;
	}
	f->sum.delivered++;
	f->no_callers = !item->callers;
	feed_add(f, part, &event, item->callers ? &item->caller : NULL);
}

static void feed_recorded_read(struct feed *f, const struct model *m, bool last)
{
	replay_read(f->replay, &f->pass, feed_recorded_take, f);
	for (size_t i = 0; i < f->part_count; i++)
		f->parts[i].on = f->pass.on;
}

static void feed_recorded_sum(struct feed *f, const struct model *m)
{
	f->sum.lost = f->pass.lost;
	f->sum.undecided = f->pass.end.undecided + f->undecided;
}

static void feed_recorded_end(struct feed *f, const struct model *m)
{
	for (size_t i = 0; i < f->part_count; i++)
		f->parts[i].on = false;
	f->pass.on = false;
}

const struct feed_ops feed_recorded_ops = {
	.begin = feed_recorded_begin,
	.read = feed_recorded_read,
	.sum = feed_recorded_sum,
	.end = feed_recorded_end,
};
