/*
 * The end of a call that keeps events: how many there were, what is missing, and the words for it.
 */
#include <inttypes.h>

#include "ui/cli/collect.h"
#include "ui/cli/outlet.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/reasons.h"
#include "ui/words/report.h"

uint64_t collect_lost(const struct collect *k)
{
	uint64_t lost = k->lost;

	for (size_t i = 0; i < k->count; i++)
		lost += probes_events(k->processes[i].member->session).lost;
	return lost;
}

bool collect_over(const struct collect_process *process, uint64_t *hits)
{
	bool over = false;

	*hits = 0;
	for (size_t i = 0; i < process->count; i++) {
		const struct collect_probe *one = &process->probes[i];

		over = over || one->over;
		if (one->over)
			*hits += one->hits - one->dropped;
	}
	return over;
}

struct recording_end collect_end(const struct collect *k)
{
	struct recording_end end = {.how = k->measure.how,
		.lost = collect_lost(k),
		.undecided = k->undecided,
		.sites_lost = k->measure.hold.lost_count,
		.seconds = (double)(k->ended - k->began) / 1e9};

	if (k->pass.ended) {
		end = k->pass.end;
		end.how = k->pass.how;
		end.undecided += k->undecided;
	}
	for (size_t i = 0; i < k->count; i++) {
		uint64_t hits;

		end.over = collect_over(&k->processes[i], &hits) || end.over;
		end.only_counted += hits;
		end.undecided += probes_events(k->processes[i].member->session).undecided;
	}
	return end;
}

bool collect_hung_up(const struct collect *k)
{
	return !k->options->record &&
	       outbuf_hung_up(k->measure.code ? k->measure.code : outlet_written(k->measure.file));
}

void collect_tell_totals(
	const struct collect *k, uint64_t count, const char *what, const char *more)
{
	struct recording_end end = collect_end(k);
	char text[300], time[32], gone[100];
	struct line all = {.text = text, .size = sizeof text}, *l = &all;

	if ((!end.how && !k->replay) || collect_hung_up(k) ||
		(k->options->quiet && !end.lost && !end.only_counted && !end.sites_lost))
		return;
	line_add(l, "%" PRIu64 " %s%s", count, what, line_s((size_t)count));
	if (k->pass.ended && count != end.events)
		line_add(l, " of %" PRIu64, end.events);
	line_add(l, " in %s s", counting_number(end.seconds, 3, time, sizeof time));
	/* The lost ones of a recording that was cut off may have been cut off. */
	if (end.lost || (end.how && !end.sites_lost))
		line_add(l, end.lost ? ", %" PRIu64 " lost" : ", none lost", end.lost);
	if (end.only_counted)
		line_add(l, ", %" PRIu64 " hits only counted", end.only_counted);
	if (end.sites_lost)
		line_add(l, "; %s", reasons_lost(end.sites_lost, gone, sizeof gone));
	report_line("%s%s", text, more);
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

void collect_tell_unread(const struct collect *k)
{
	const struct {
		uint64_t count;
		const char *whose, *why;
	} all[] = {
		{k->unread, "", "the operand is unknown, or nothing can be read at the address"},
		{k->unread_late, "",
			"this tracer was stopped, or got too little CPU time, to check in time "
			"that threads have no seccomp filter"},
		{k->unread_new, " of new threads",
			"a thread is checked for a seccomp filter before its memory is read"},
		{k->unread_children, " of forked children",
			"nothing can be read at the address, or it is not known yet whether the "
			"child has a seccomp filter"},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].count)
			report_line("%" PRIu64 " value%s%s could not be read: %s", all[i].count,
				line_s(all[i].count), all[i].whose, all[i].why);
}

void collect_tell_undecided(uint64_t undecided)
{
	if (undecided)
		report_line("%" PRIu64
			    " event%s left out: -where could not be checked: a text, process or "
			    "thread could not be read",
			undecided, undecided == 1 ? " was" : "s were");
}
