/*
 * The verb replay: print what a recording holds, as events and latency print it, or the latency of
 * a pair of its events.
 *
 * Owns the order: read, choose, print. The file may be anybody's: see
 * ui/recording/recording_read.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cli/measure.h"
#include "ui/cli/replay.h"
#include "ui/cli/verbs.h"
#include "ui/figures/counting.h"
#include "ui/output/outbuf.h"
#include "ui/recording/recording_file.h"
#include "ui/words/line.h"
#include "ui/words/report.h"

#define BATCH 1000 /* events between two writes */

static int unreadable(struct probes_error *e, const char *why)
{
	return report_set(e, PROBES_FAILED, -EINVAL, "the recording cannot be read", "", "%s", why);
}

/* ---------------------------------------------------------------------- showing */

static int show_event(struct replay *c, const struct recording_item *item, struct probes_error *e)
{
	const struct probes_event *event = &item->event;
	const struct options *o = c->options;
	const struct shown *s = &c->shown[event->probe];
	const struct probes_probe *probe = &c->recording.probes[event->probe].probe;
	size_t waiting = c->print.lines.count - c->print.names;
	struct probes_described_site site;

	if (!c->first_ns)
		c->first_ns = event->time_ns;
	c->last_ns = event->time_ns > c->last_ns ? event->time_ns : c->last_ns;
	if (c->filter && !probes_condition_holds(c->filter, event, probe))
		return 0;
	if ((s->start || s->end) && c->list.by > event->count)
		return report_set(e, PROBES_USAGE, -EINVAL, "-by", "", "%s has no arg%u",
			outbuf_probe(probe), c->list.by);
	if (s->start)
		pairing_add(&c->pairings[s->row], false, event);
	if (s->end)
		pairing_add(&c->pairings[s->row], true, event);
	if (!s->chosen || (o->most && c->print.printed + waiting >= o->most))
		return 0;
	site = recording_site_of(&c->recording, event->probe, event->site);
	events_print_add(
		&c->print, probe, s->role, site.names, event, item->callers ? &item->caller : NULL);
	if (waiting >= BATCH)
		events_print_flush(&c->print, c->lost);
	return 0;
}

static void show_table(struct replay *c, bool total)
{
	const struct recording *r = &c->recording;

	for (size_t i = 0; i < c->list.count; i++) {
		struct latency_row_of *row = &c->list.rows[i];
		const struct recording_probe *start = &r->probes[row->start];

		row->pid = r->processes[start->process].pid;
		row->prog = r->processes[start->process].program;
		row->probes[0] = &start->probe;
		row->probes[1] = &r->probes[row->end].probe;
	}
	latency_print(c->print.file, c->options, &c->list, total);
}

/* The latency of the pair of -latency, of all that was read. */
static void show_pairs(struct replay *c)
{
	c->list.began = c->list.table = 0;
	c->list.now = c->end.how ? (int64_t)(c->end.seconds * 1e9) : c->last_ns - c->first_ns;
	for (size_t i = 0; i < c->list.count; i++) {
		struct latency_row_of *row = &c->list.rows[i];
		const struct recording_probe *start = &c->recording.probes[row->start];
		const struct recording_probe *end = &c->recording.probes[row->end];

		row->sites = start->probe.site_count + end->probe.site_count;
		row->counted = start->kept + end->kept;
		row->read = c->list.now;
		row->now = c->pairings[i].sum;
	}
	show_table(c, true);
}

/* A row of a table that latency measured; the last one of a table prints it. */
static int show_latency(
	struct replay *c, const struct recording_latency *line, struct probes_error *e)
{
	const struct recording *r = &c->recording;
	struct latency_row_of *row;

	if (!c->list.rows)
		c->list.rows = calloc(r->process_count + 1, sizeof *c->list.rows);
	if (!c->list.rows)
		return probes_failed(e, -ENOMEM, "cannot replay");
	if (line->row >= r->process_count || line->row > c->list.count || !line->rows)
		return unreadable(e, "a table has a wrong row");
	row = &c->list.rows[line->row];
	c->list.count += line->row == c->list.count;
	row->start = line->start;
	row->end = line->end;
	row->sites = line->sites;
	row->counted = line->counted;
	row->stopped_ns = line->stopped_ns;
	row->over = line->over;
	row->read = line->read;
	row->now = line->latency;
	if (!c->list.began)
		c->list.began = c->list.table = line->began;
	c->list.by = line->by;
	c->list.now = line->now;
	if (line->row + 1 == line->rows && c->list.count == line->rows)
		show_table(c, line->total);
	return 0;
}

static int show(struct replay *c, const struct recording_item *item, struct probes_error *e)
{
	const struct recording *r = &c->recording;
	const struct recording_rate *rate = &item->rate;
	int failed;

	/* Probes come before what is of them. */
	if (item->what != RECORDING_FACT && c->shown_count != r->probe_count) {
		if (c->shown_count)
			return unreadable(e, "a probe is described after the first event");
		failed = replay_choose(c, e);
		if (failed)
			return failed;
	}
	switch (item->what) {
	case RECORDING_EVENT:
		return show_event(c, item, e);
	case RECORDING_LOST:
		events_print_flush(&c->print, c->lost);
		c->lost = item->lost;
		break;
	case RECORDING_RATE:
		if (c->shown[rate->probe].chosen)
			events_print_rate(&c->print, &r->probes[rate->probe].probe,
				r->processes[r->probes[rate->probe].process].pid, rate->time_ns,
				counting_rate(rate->hits, rate->ns));
		break;
	case RECORDING_LATENCY:
		return show_latency(c, &item->latency, e);
	case RECORDING_END:
		c->end = item->end;
		break;
	default:
		break;
	}
	return 0;
}

/* ---------------------------------------------------------------------- reading */

/* Read and show all of it. Returns the exit status. */
static int replay_all(struct replay *c, FILE *file)
{
	char *line = malloc(RECORDING_LINE);
	struct recording_item item;
	struct probes_error e;
	size_t bytes;
	int r = 1;

	if (!line)
		r = probes_failed(&e, -ENOMEM, "cannot replay");
	while (r > 0 && !c->end.how) {
		r = recording_file_next(file, line, &c->recording, &item, &bytes, &e);
		if (r > 0 && c->recording.lines == 1)
			recording_file_zone(&c->recording.head);
		if (r > 0 && show(c, &item, &e) < 0)
			r = e.code;
		if (ferror(c->print.file) || c->print.code)
			break;
	}
	free(line);
	if (r >= 0 && !c->shown && replay_choose(c, &e) < 0)
		r = e.code;
	if (r < 0)
		report_error(&e);
	return r < 0 ? (int)e.status : PROBES_OK;
}

/* What ends the output, and what is to say of it. Returns the exit status. */
static int put_end(struct replay *c, int status)
{
	const struct recording_end *end = &c->end;
	char text[400], time[32];
	struct line l = {.text = text, .size = sizeof text};
	bool events = c->recording.head.of && strcmp(c->recording.head.of, "latency") &&
		      !c->options->pair.count;

	if (c->options->pair.count && c->list.count && status != PROBES_USAGE)
		show_pairs(c);
	/* A call that is refused prints nothing. */
	if (status && !c->print.begun && !c->print.lines.count)
		return status;
	if (events)
		events_print_flush(&c->print, c->lost);
	if (events && (end->how || c->options->format == FORMAT_CHROME))
		events_print_end(&c->print, end->how ? end->lost : c->lost, end->only_counted,
			end->seconds, end->over);
	/* Where nobody reads on, the end was not reached. */
	if (status || c->print.code || ferror(c->print.file))
		return status;
	if (!end->how) {
		report_line("the recording was cut off: its end is missing");
		return PROBES_FAILED;
	}
	line_add(&l, "%" PRIu64 " event%s", c->print.printed, line_s((size_t)c->print.printed));
	if (c->print.printed != end->events)
		line_add(&l, " of %" PRIu64, end->events);
	line_add(&l, " in %s s", counting_number(end->seconds, 3, time, sizeof time));
	line_add(&l, end->lost ? ", %" PRIu64 " lost" : ", none lost", end->lost);
	if (end->only_counted)
		line_add(&l, ", %" PRIu64 " hits only counted", end->only_counted);
	if (events && (!c->options->quiet || end->lost || end->only_counted))
		report_line("%s", text);
	if (!c->options->quiet)
		report_more("it ended: %s", outbuf_safe(end->how));
	return PROBES_OK;
}

int replay_run(const struct options *o)
{
	struct replay c = {.options = o, .print = {.format = o->format, .sorted = true}};
	struct probes_error e;
	FILE *file = NULL;
	int status = replay_prepare(&c, &e);

	outbuf_outlive();
	if (status) {
		report_error(&e);
		status = (int)e.status;
	} else {
		file = fopen(o->recording, "re");
		if (!file)
			report_line(
				"cannot read %s: %s", outbuf_safe(o->recording), strerror(errno));
		c.print.file = file ? measure_output(o) : NULL;
		status = PROBES_FAILED;
	}
	if (c.print.file) {
		status = put_end(&c, replay_all(&c, file));
		if (!status)
			status = measure_written(c.print.file, o, c.print.code);
		status = measure_close(c.print.file, o, status);
	}
	if (file)
		fclose(file);
	replay_choose_done(&c);
	events_print_done(&c.print);
	recording_done(&c.recording);
	return status;
}
