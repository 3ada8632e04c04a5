/*
 * The verb count: count the hits of probes in running processes, or in a program that it starts,
 * and leave them as found.
 *
 * What is read after the undo is final: no hit is missed. A probe that costs more than
 * -max-overhead is no longer counted.
 */
#include <stdlib.h>
#include <unistd.h>

#include "ui/cli/counts.h"
#include "ui/cli/measure.h"
#include "ui/cli/outlet.h"
#include "ui/cli/result.h"
#include "ui/cli/run_until.h"
#include "ui/cli/verbs.h"
#include "ui/figures/counting.h"
#include "ui/words/report.h"

#define MOST_ROWS 20 /* of a table on a terminal, without -verbose */
#define CHILDREN 32  /* that are read in one look for lost jumps */

struct count {
	struct measure measure;
	const struct options *options;
	struct counts counts;
	struct counts_output output;
	size_t child;    /* of the group: the next one to be looked at */
	bool complained; /* the hits of a process could not be read */
};

/* ---------------------------------------------------------------- beginning */

/*
 * Hits that nobody can tell from those of a process that is not counted here have no number: say so
 * before somebody waits for it. Returns the exit status.
 */
static int tell_shared(struct count *c, const struct probes_member *t)
{
	size_t counted = 0, unknown = 0;
	char text[COUNTS_SHARED];

	for (size_t i = 0; i < c->counts.count; i++) {
		const struct counts_row *row = &c->counts.rows[i];
		bool own = !row->shared;

		for (size_t k = 0; !own && k < probes_group_count(c->measure.group); k++)
			own = probes_group_at(c->measure.group, k)->pid == row->shared;
		if (row->member != t)
			continue;
		if (!own && counts_shared(&c->counts, i, text, sizeof text))
			report_line("pid %d: %s", t->pid, text);
		counted += row->counted > 0;
		unknown += row->counted && !own;
	}
	return !unknown || unknown < counted ? PROBES_OK : PROBES_REFUSED;
}

/* From here on hits are shown: who reads that it counts may rely on it. Returns the exit status. */
static int show(struct count *c, const struct probes_member *t, const struct probes_result *result,
	bool later)
{
	struct probes_error e;
	int r = counts_add(&c->counts, t, result, later, &e);

	counts_begin(&c->counts, t);
	return r < 0 ? explain_error(t, &e, c->measure.act.many) : PROBES_OK;
}

/* Show what a process opened meanwhile. Returns the exit status. */
static int count_later(void *data, const struct probes_member *t,
	const struct probes_action *action, const struct probes_result *result)
{
	struct count *c = data;
	int status = show(c, t, result, true);
	int noted = act_tell(&c->measure.act, t, result);

	return status ? status : noted;
}

/* Show one process. Returns the exit status. */
static int begin(void *data, const struct probes_member *t, const struct probes_action *action,
	const struct probes_result *result)
{
	struct count *c = data;
	const struct options *o = c->options;
	int status = show(c, t, result, false);
	struct counting now = counting_of(t->pid, result);
	char line[200];

	now.stops = o->stop;
	if (!o->quiet)
		report_line("%s", counting_text(&now, line, sizeof line));
	if (!o->quiet && o->actions.items[0].by != PROBES_BY_NAME)
		explain_unreadable(t, o->verbose);
	if (!status)
		status = act_tell(&c->measure.act, t, result);
	if (!status)
		status = tell_shared(c, t);
	/* A dry run exits as the counting itself would. */
	return !status && result->no_room ? PROBES_REFUSED : status;
}

/* Is any site counted? Else say why none is. */
static bool is_counting(void *data)
{
	const struct counts *counts = &((struct count *)data)->counts;
	struct reasons reasons;

	for (size_t i = 0; i < counts->count; i++)
		if (counts->rows[i].counted)
			return true;
	report_line("no site can be counted%s", counts->stop_sites     ? "; try -stop"
						: counts->kernel_sites ? "; as root, try -kernel"
								       : "");
	reasons = counts_reasons(counts);
	reasons_tell(&reasons, "");
	return false;
}

/* ------------------------------------------------------------------ counting */

static void read_all(void *data)
{
	struct count *c = data;
	struct probes_error e;

	for (size_t i = 0; i < probes_group_count(c->measure.group); i++) {
		const struct probes_member *t = probes_group_at(c->measure.group, i);
		int r;

		if (!t->session)
			continue;
		r = probes_read_hits(t->session, &e);
		/* Of one that has ended, the last reading holds all. */
		c->measure.hold.watches =
			c->measure.hold.watches || (r == 0 && counts_go_on(&c->counts, t));
		if (r < 0 && e.status != PROBES_GONE && !c->complained) {
			explain_error(t, &e, c->measure.act.many);
			c->complained = true;
		}
		counts_read(&c->counts, t);
	}
}

static void collect_budget(struct count *c)
{
	struct counts_row *rows = c->counts.rows;
	size_t *probes = calloc(c->counts.count + 1, sizeof *probes);
	struct measure_over *over = calloc(c->counts.count + 1, sizeof *over);

	for (size_t i = 0; probes && over && i < c->counts.count;) {
		const struct probes_member *t = rows[i].member;
		size_t count = 0;

		for (; i < c->counts.count && rows[i].member == t; i++) {
			struct counts_row *row = &rows[i];
			struct measure_over one = {.hits = row->now.hits - row->check.hits,
				.ns = row->now.ns - row->check.ns};

			one.hit_ns = probes_cost(t->session, row->probe).count_ns;
			row->check = row->now;
			/* The hits of other processes cost this one nothing. */
			if (row->over || row->shared ||
				!counting_exceeds(
					one.hits, one.hit_ns, one.ns, c->options->max_overhead))
				continue;
			row->over = true;
			over[count] = one;
			probes[count++] = row->probe;
		}
		if (count)
			measure_uncount(&c->measure, t, probes, over, count);
	}
	free(over);
	free(probes);
}

/* Are all jumps still there? A probe that is no longer counted must not look like one not hit. */
static void look_all(struct count *c, bool last)
{
	const struct counts_row *first;
	struct probes_error e;

	for (size_t i = 0; i < probes_group_count(c->measure.group); i++) {
		const struct probes_member *t = probes_group_at(c->measure.group, i);
		const struct probes_probe *p;
		size_t lost;

		if (!t->session || probes_refresh(t->session, NULL, 0, &e) < 0)
			continue;
		lost = counts_look(&c->counts, t, last, &first);
		if (lost) {
			p = probes_at(t->session, first->probe);
			report_line("pid %d: %zu probe%s (%s:%s%s) %s counted at fewer sites now: "
				    "another program or session removed jumps, or the library was "
				    "reloaded; hits since then may be missing",
				t->pid, lost, lost == 1 ? "" : "s", p->provider, p->name,
				lost == 1 ? "" : ", ...", lost == 1 ? "is" : "are");
			explain_count(&c->measure.hold.ends, PROBES_FAILED);
		}
		while ((first = counts_unguarded(&c->counts, t))) {
			p = probes_at(t->session, first->probe);
			report_line("pid %d: the semaphore of %s:%s fell to 0: another program or "
				    "session lowered it, and the process skips the probe; hits "
				    "since then may be missing",
				t->pid, p->provider, p->name);
			explain_count(&c->measure.hold.ends, PROBES_FAILED);
		}
	}
}

/* Children count in the counters of their parents. Of many, each look reads some; the last one all.
 */
static void look_at_children(struct count *c, bool last)
{
	const struct probes_member *t;
	const struct counts_row *first;
	struct probes_error e;

	c->child = last ? 0 : c->child;
	for (size_t i = 0; last || i < CHILDREN; i++) {
		const struct probes_probe *p;
		size_t lost;

		t = probes_group_child(c->measure.group, c->child);
		c->child = t ? c->child + 1 : 0;
		if (!t)
			break;
		if (probes_refresh(t->session, NULL, 0, &e) < 0)
			continue;
		lost = counts_look_child(&c->counts, t->session, last, &first);
		if (lost) {
			p = probes_at(first->member->session, first->probe);
			report_line("pid %d: forked child %d has lost jumps of %zu probe%s "
				    "(%s:%s%s): another program or session removed them; its hits "
				    "since then may be missing",
				first->member->pid, t->pid, lost, lost == 1 ? "" : "s", p->provider,
				p->name, lost == 1 ? "" : ", ...");
			explain_count(&c->measure.hold.ends, PROBES_FAILED);
		}
	}
}

static void check_all(void *data, int64_t ns)
{
	(void)ns; /* each row has its own */
	collect_budget(data);
	look_all(data, false);
	look_at_children(data, false);
}

static void put_table(void *data)
{
	struct count *c = data;

	counts_print(&c->output, &c->counts, COUNTS_INTERVAL);
}

static void stop(void *data)
{
	struct count *c = data;

	run_until_look(&c->measure.hold);
	look_all(c, true);
	look_at_children(c, true);
	read_all(c);
	c->counts.ended = true;
}

static void end(void *data)
{
	struct count *c = data;

	read_all(c);
	counts_print(&c->output, &c->counts, COUNTS_TOTAL);
}

/* ------------------------------------------------------------------ the verb */

int count_run(const struct options *o)
{
	static const struct measure_ops ops = {.verb = "count",
		.held = "counted",
		.looks = true,
		.begin = begin,
		.more = count_later,
		.any = is_counting,
		.start = read_all,
		.read = read_all,
		.check = check_all,
		.table = put_table,
		.stop = stop,
		.end = end};
	struct count c = {.options = o, .measure.file = result_open(o), .counts.stop = o->stop};
	int status;

	if (!c.measure.file)
		return PROBES_FAILED;
	c.output = (struct counts_output){
		.file = c.measure.file, .format = o->format, .quiet = o->quiet, .most = SIZE_MAX};
	if (isatty(outlet_descriptor(c.measure.file)) && o->format <= FORMAT_TEXT && !o->verbose)
		c.output.most = MOST_ROWS;
	status = measure_run(&c.measure, o, &ops, &c);
	counts_done(&c.counts);
	return status;
}
