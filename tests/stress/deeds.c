/*
 * Switching in the victim, at random. Each deed knows which counts must follow from it; where
 * it kills the tool, those of before or those of after must hold once `repair` has run.
 */
#include "deeds.h"

#include "fault.h"
#include "kinds.h"
#include "probes.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void deed_add(struct deed_call *call, const char *format, ...)
{
	va_list arguments;
	size_t length = strlen(call->words);

	va_start(arguments, format);
	vsnprintf(call->words + length, sizeof call->words - length, format, arguments);
	va_end(arguments);
}

/* ---------------------------------------------------------- what to switch */

static void deed_up(const struct campaign *c, struct deed_call *call, size_t i)
{
	(void)c;
	call->after[i]++;
}

/* Where the kernel holds the last count it is not taken away. */
static void deed_down(const struct campaign *c, struct deed_call *call, size_t i)
{
	const struct truth_probe *p = &c->truth.probes[i];

	if (call->after[i])
		call->after[i]--;
	else if (p->sdt && p->theirs)
		call->partly = true;
}

/* Probes whose names begin so, or all: all up, or all down. */
static void deed_group(struct campaign *c, struct deed_call *call, const char *prefix)
{
	unsigned highest = 0;
	bool up;

	for (size_t i = 0; i < c->truth.count; i++)
		if (call->after[i] > highest)
			highest = call->after[i];
	up = highest == 0 || (highest < DEED_HIGHEST && dice_once_in(c->dice, 2));
	if (*prefix)
		deed_add(call, " -%s-regexp %s.*", up ? "enable" : "disable", prefix);
	else
		deed_add(call, " -%s-all", up ? "enable" : "disable");
	for (size_t i = 0; i < c->truth.count; i++)
		if (!strncmp(c->truth.probes[i].name, prefix, strlen(prefix)))
			(up ? deed_up : deed_down)(c, call, i);
}

/* Some by name, each up or down. */
static void deed_names(struct campaign *c, struct deed_call *call, size_t number)
{
	bool taken[STORM_PLACES] = {false};

	while (number--) {
		size_t i = dice_roll(c->dice, (unsigned)c->truth.count);
		unsigned now = call->after[i];
		bool up = now == 0 || (now < DEED_HIGHEST && dice_once_in(c->dice, 2));

		if (taken[i])
			continue;
		taken[i] = true;
		deed_add(call, " -%s %s", up ? "enable" : "disable", c->truth.probes[i].name);
		(up ? deed_up : deed_down)(c, call, i);
	}
}

static void deed_pair(struct campaign *c, struct deed_call *call)
{
	size_t start = truth_find(&c->truth, "work_start"), end = truth_find(&c->truth, "work_end");
	unsigned low =
		call->after[start] < call->after[end] ? call->after[start] : call->after[end];
	unsigned high = call->after[start] + call->after[end] - low;
	bool up = low == 0 || (high < DEED_HIGHEST && dice_once_in(c->dice, 2));

	deed_add(call, " -%s-pair work_start,work_end", up ? "enable" : "disable");
	(up ? deed_up : deed_down)(c, call, start);
	(up ? deed_up : deed_down)(c, call, end);
}

void deed_choose(struct campaign *c, struct deed_call *call)
{
	static const char *const prefixes[] = {"a", "b", "work_", "w", "m"};

	truth_get(&c->truth, call->after);
	call->partly = false;
	snprintf(call->words, sizeof call->words, "attach");
	if (dice_once_in(c->dice, 3)) {
		deed_add(call, "%s", " -stop -max-stop 20000");
		kinds_count(c, "with -stop", 1);
	}
	switch (dice_roll(c->dice, 6)) {
	case 0:
		deed_names(c, call, 1);
		break;
	case 1:
	case 2:
		deed_names(c, call, 2 + dice_roll(c->dice, 12));
		break;
	case 3:
		deed_group(c, call, prefixes[dice_roll(c->dice, 5)]);
		break;
	case 4:
		deed_pair(c, call);
		break;
	default:
		deed_group(c, call, "");
		break;
	}
	kinds_count(c, "switches", 1);
	fault_doing("%s", call->words);
}

/* ---------------------------------------------------------------- switching */

void deed_switch(struct campaign *c)
{
	struct deed_call call;
	struct killer_end end;

	deed_choose(c, &call);
	end = tool_run(&c->tool, call.words, NULL);
	if (end.status != (call.partly ? PROBES_FAILED << 8 : 0))
		fault("%s: status %x", call.words, (unsigned)end.status);
	truth_set(&c->truth, call.after);
}

static void deed_count_kill(struct campaign *c, const char *place)
{
	size_t i = 0;

	while (i < c->kill_places && strcmp(c->kills[i].name, place) != 0)
		i++;
	if (i == c->kill_places && i + 1 < CAMPAIGN_PLACES)
		snprintf(c->kills[c->kill_places++].name, sizeof c->kills[i].name, "%s", place);
	c->kills[i].count++;
}

static struct killer deed_killer(struct campaign *c)
{
	switch (dice_roll(c->dice, 4)) {
	case 0:
		return (struct killer){.way = KILLER_AFTER, .number = dice_roll(c->dice, 8000)};
	case 1:
		return (struct killer){.way = KILLER_HELPER, .number = 1 + dice_roll(c->dice, 500)};
	default:
		return (struct killer){.way = KILLER_CALL, .number = 1 + dice_roll(c->dice, 300)};
	}
}

/* Run it and kill it, should it live so long. */
struct killer_end deed_run_killed(struct campaign *c, const char *words)
{
	struct killer k = deed_killer(c);
	struct killer_end end = tool_run(&c->tool, words, &k);
	char place[48];

	snprintf(place, sizeof place, "%s%s", k.way == KILLER_HELPER ? "helper's " : "",
		k.way == KILLER_AFTER ? "a time" : killer_call_name(end.call));
	if (end.killed)
		deed_count_kill(c, place);
	fault_doing("  way %d number %lu: %s %s", (int)k.way, k.number,
		end.killed ? "killed at" : "not killed", end.killed ? place : "");
	return end;
}

/* After a kill: repair, perhaps killed too, and the counts are the one or the other. */
void deed_repair(struct campaign *c, const truth_counts before, const truth_counts after)
{
	truth_counts now;

	inspect_helpers(&c->field);
	if (dice_once_in(c->dice, 3)) {
		fault_doing("repair");
		deed_run_killed(c, "repair");
		inspect_helpers(&c->field);
	}
	fault_doing("repair");
	tool_must(&c->tool, "repair");
	kinds_count(c, "repairs", 1);
	truth_read(&c->truth, &c->field, now);
	if (truth_equal(&c->truth, now, before))
		kinds_count(c, "undone by repair", 1);
	else if (truth_equal(&c->truth, now, after))
		kinds_count(c, "found done by repair", 1);
	else
		for (size_t i = 0; i < c->truth.count; i++)
			if (now[i] != before[i] && now[i] != after[i])
				fault("%s: count %u, neither %u nor %u", c->truth.probes[i].name,
					now[i], before[i], after[i]);
	truth_set(&c->truth, now);
}

void deed_switch_killed(struct campaign *c)
{
	truth_counts before;
	struct deed_call call;

	truth_get(&c->truth, before);
	deed_choose(c, &call);
	deed_run_killed(c, call.words);
	deed_repair(c, before, call.after);
}

/* Until the counts are so, or the tool has ended. */
bool deed_wait(struct campaign *c, pid_t tool, const truth_counts wanted)
{
	long deadline = field_now() + DEED_PATIENCE_MS;
	truth_counts now;
	siginfo_t info;

	for (;;) {
		truth_read(&c->truth, &c->field, now);
		if (truth_equal(&c->truth, now, wanted))
			return true;
		info.si_pid = 0;
		waitid(P_PID, (id_t)tool, &info, WEXITED | WNOHANG | WNOWAIT);
		if (info.si_pid == tool || field_now() > deadline)
			return false;
		field_nap(200);
	}
}

/* A session that holds its change: it is killed, or asked to end and takes it back itself. */
void deed_hold(struct campaign *c)
{
	static const int signals[] = {SIGKILL, SIGTERM, SIGHUP, SIGINT};
	int signal = signals[dice_roll(c->dice, 4)], status = 0;
	truth_counts before;
	struct deed_call call;
	pid_t tool;

	truth_get(&c->truth, before);
	deed_choose(c, &call);
	deed_add(&call, "%s", " -for 1h");
	tool = tool_start(&c->tool, call.words);
	if (!call.partly && !deed_wait(c, tool, call.after))
		fault("%s: never got there", call.words);
	if (dice_once_in(c->dice, 2))
		field_nap(dice_roll(c->dice, 3000));
	fault_doing("signal %d", signal);
	kill(tool, signal);
	waitpid(tool, &status, 0);
	if (signal == SIGKILL)
		deed_count_kill(c, "while it held");
	if (signal == SIGKILL || !WIFEXITED(status))
		deed_repair(c, before, before);
}

/* Two at once, on the same probes; neither is killed. */
void deed_together(struct campaign *c)
{
	struct deed_call a, b;
	int status_a, status_b;
	truth_counts before;
	pid_t one, two;

	truth_get(&c->truth, before);
	deed_choose(c, &a);
	deed_choose(c, &b);
	/* Where one goes down what comes of it depends on who comes first. */
	if (strstr(a.words, "-disable") || strstr(b.words, "-disable")) {
		fault_doing("(neither was called)");
		return;
	}
	one = tool_start(&c->tool, a.words);
	two = tool_start(&c->tool, b.words);
	waitpid(one, &status_a, 0);
	waitpid(two, &status_b, 0);
	if (status_a || status_b)
		fault("two at once: status %x, %x", (unsigned)status_a, (unsigned)status_b);
	for (size_t i = 0; i < c->truth.count; i++)
		a.after[i] += b.after[i] - before[i];
	truth_set(&c->truth, a.after);
}
