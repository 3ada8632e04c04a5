/*
 * Counting among the other deeds: a session of the library counts the victim, which knows its own
 * passes; meanwhile probes are switched, sessions of the tool that count as well are killed and
 * repaired, uprobes come and go, children are forked, signals arrive, the job is stopped. What is
 * counted as a whole all the time agrees with the victim to the last hit.
 */
#include "deeds.h"
#include "fault.h"
#include "hits.h"
#include "kinds.h"
#include "storm_forks.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A probe that somebody else held meanwhile. */
static bool counted_held(void *data, const char *name)
{
	const bool *held = ((void **)data)[0];
	const struct truth *t = ((void **)data)[1];

	return held[truth_find(t, name)];
}

/* Counting a guarded site raises its count: what is there now is what must be. */
static void counted_learn(struct campaign *c)
{
	truth_counts now;

	truth_read(&c->truth, &c->field, now);
	for (size_t i = 0; i < c->truth.count; i++) {
		const struct truth_probe *p = &c->truth.probes[i];

		if (now[i] != p->count && !(p->sdt && now[i] == p->count + 1))
			fault("%s is counted, and its count went from %u to %u", p->name, p->count,
				now[i]);
	}
	truth_set(&c->truth, now);
}

/* --------------------------------------------------------------- meanwhile */

/* One of OCaml's: what counts a guarded site holds its count as well. */
static void counted_choose(struct campaign *c, struct deed_call *call)
{
	size_t i;

	truth_get(&c->truth, call->after);
	do
		i = dice_roll(c->dice, (unsigned)c->truth.count);
	while (c->truth.probes[i].sdt);
	snprintf(call->words, sizeof call->words, "attach -%s %s%s",
		call->after[i] ? "disable" : "enable", c->truth.probes[i].name,
		dice_once_in(c->dice, 2) ? " -stop -max-stop 20000" : "");
	call->after[i] += call->after[i] ? -1u : 1;
	fault_doing("  %s", call->words);
}

static void counted_switch(struct campaign *c)
{
	struct deed_call call;

	counted_choose(c, &call);
	tool_must(&c->tool, call.words);
	truth_set(&c->truth, call.after);
}

static void counted_switch_killed(struct campaign *c)
{
	struct deed_call call;
	truth_counts before;

	truth_get(&c->truth, before);
	counted_choose(c, &call);
	deed_run_killed(c, call.words);
	deed_repair(c, before, call.after);
}

/* Another one counts, and is killed. */
static void counted_count_killed(struct campaign *c)
{
	const char *words = dice_once_in(c->dice, 2)
				    ? "count -quiet -for 20ms -stop -max-stop 20000 -max-overhead 0"
				    : "count -quiet -for 20ms -max-overhead 0";
	truth_counts now;

	fault_doing("  %s", words);
	truth_get(&c->truth, now);
	deed_run_killed(c, words);
	kinds_count(c, "other counts killed", 1);
	deed_repair(c, now, now);
}

/*
 * Children that are counted as well: they wait, and pass their sites when we have gone. What they
 * pass then is counted, and they do not tell.
 */
static void counted_forks(struct campaign *c, bool *forked)
{
	pid_t pids[FORKS_MOST];

	if (*forked)
		return;
	*forked = true;
	fault_doing("  children");
	field_fork(&c->field, 10 + dice_roll(c->dice, 10), 300);
	field_nap(dice_roll(c->dice, 6000));
	kinds_count(c, "children", field_calm(&c->field, pids, FORKS_MOST));
}

static void counted_job(struct campaign *c)
{
	fault_doing("  the job is stopped and goes on");
	kill(c->field.pid, SIGSTOP);
	field_nap(dice_roll(c->dice, 2000));
	kill(c->field.pid, SIGCONT);
}

static void counted_uprobe(struct campaign *c, bool *held)
{
	size_t i = dice_roll(c->dice, (unsigned)c->truth.count);

	if (!c->truth.probes[i].sdt && deed_uprobe_on(c, i))
		held[i] = true;
}

static void counted_meanwhile(struct campaign *c, bool *held, bool *forked)
{
	switch (dice_roll(c->dice, 8)) {
	case 0:
	case 1:
		counted_switch(c);
		break;
	case 2:
		counted_switch_killed(c);
		break;
	case 3:
		counted_count_killed(c);
		break;
	case 4:
		counted_forks(c, forked);
		break;
	case 5:
		deed_signal(c);
		break;
	case 6:
		counted_uprobe(c, held);
		break;
	default:
		counted_job(c);
		break;
	}
}

/* ------------------------------------------------------------------- deeds */

static void counted_compare(struct campaign *c, struct probes_session *s,
	const struct field_report *before, const struct field_report *after, bool *held)
{
	void *data[] = {held, &c->truth};
	struct hits_sum sum =
		hits_compare(s, &before->read, &after->read, true, counted_held, data);

	kinds_count(c, "sums agreed", sum.probes);
	kinds_count(c, "hits", sum.hits);
}

/* The counts of before, but for what was switched meanwhile. */
static void counted_forget(struct campaign *c, const truth_counts before)
{
	truth_counts now;

	truth_get(&c->truth, now);
	for (size_t i = 0; i < c->truth.count; i++)
		if (c->truth.probes[i].sdt)
			now[i] = before[i];
	truth_set(&c->truth, now);
}

/* A session counts; other things happen; it takes back what it did. */
void deed_count(struct campaign *c)
{
	static struct field_report before, after;
	bool held[STORM_PLACES] = {false}, stop = dice_once_in(c->dice, 2), forked = false;
	enum probes_by by = dice_once_in(c->dice, 2) ? PROBES_BY_ALL : PROBES_BY_PREDICATE;
	unsigned long faults = fault_count;
	struct probes_session *s;
	truth_counts counts;

	deed_no_uprobes(c);
	truth_get(&c->truth, counts);
	fault_doing(
		"count %s%s", by == PROBES_BY_ALL ? "all" : "some", stop ? ", with a stop" : "");
	field_pause(&c->field);
	s = hits_open(c->field.pid);
	if (!hits_act(s, PROBES_COUNT, by, c->dice, stop))
		kinds_count(c, "refused", 1);
	counted_learn(c);
	field_report(&c->field, &before);
	field_go(&c->field);
	for (unsigned acts = dice_roll(c->dice, 3); acts && fault_count == faults; acts--)
		counted_meanwhile(c, held, &forked);
	field_nap(dice_roll(c->dice, 3000));
	field_pause(&c->field);
	field_report(&c->field, &after);
	counted_compare(c, s, &before, &after, held);
	field_go(&c->field);
	deed_no_uprobes(c);
	if (dice_once_in(c->dice, 3))
		hits_act(s, PROBES_UNCOUNT, PROBES_BY_ALL, c->dice, dice_once_in(c->dice, 2));
	hits_restore(s);
	probes_close(s);
	if (forked)
		field_gather(&c->field);
	counted_forget(c, counts);
}

/* The tool counts and is killed, at any call; or while it counts, and the next one takes over. */
void deed_count_killed(struct campaign *c)
{
	const char *words = dice_once_in(c->dice, 2)
				    ? "count -quiet -for 50ms -stop -max-stop 20000 -max-overhead 0"
				    : "count -quiet -for 50ms -max-overhead 0";
	truth_counts now;

	deed_no_uprobes(c);
	truth_get(&c->truth, now);
	fault_doing("%s", words);
	deed_run_killed(c, words);
	if (dice_once_in(c->dice, 2)) {
		struct probes_session *s = hits_open(c->field.pid);

		fault_doing("  the next one counts");
		hits_act(s, PROBES_COUNT, PROBES_BY_ALL, c->dice, dice_once_in(c->dice, 2));
		hits_restore(s);
		probes_close(s);
	}
	deed_repair(c, now, now);
}
