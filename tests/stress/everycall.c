/*
 * Our tool is killed at every one of its system calls, in turn, from the first after it has taken
 * hold of its target: switching on and off, with and without -stop, taking back after a term,
 * and repairing. After each: the victim runs, none of its threads is stopped or traced, and
 * `repair` leaves everything as it was before, or as it was meant to be; and is idempotent.
 *
 *   everycall TOOL VICTIM FOLDER [SECONDS]
 *
 * The calls are taken in an order that covers all of them evenly, so that what a limited time
 * leaves out is said and is no particular part. Not covered: kills between two system calls (they
 * leave the same behind as at the next), of a machine that fails.
 */
#include "fault.h"
#include "inspect.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static struct tool tool;
static unsigned long kills, kept, undone;

/* ------------------------------------------------------------------- cases */

struct scene {
	const char *name;
	const char *before; /* "", or a call that is carried out first */
	bool on;            /* every probe is on at the beginning */
	const char *words;  /* that is killed */
	unsigned after;     /* every count, where it was whole */
};

static const struct scene scenes[] = {
	{"on", "", false, "attach -enable-all", 1},
	{"off", "", true, "attach -disable-all", 0},
	{"on, stopped", "", false, "attach -stop -max-stop 20000 -enable-all", 1},
	{"off, stopped", "", true, "attach -stop -max-stop 20000 -disable-all", 0},
	{"for a term", "", false, "attach -enable-all -for 1ms", 0},
	{"repair", "attach -enable-all -for 1h", false, "repair", 0},
};
#define SCENES (sizeof scenes / sizeof *scenes)

static void fill(truth_counts counts, unsigned value)
{
	for (size_t i = 0; i < STORM_PLACES; i++)
		counts[i] = value;
}

/* Something for a repair to do: a session that was killed while it waited. */
static void leave_behind(const struct truth *t, const struct field *f, const char *words)
{
	truth_counts on, now;
	pid_t child;
	int status;

	if (!*words)
		return;
	child = tool_start(&tool, words);
	fill(on, 1);
	do {
		field_nap(200);
		truth_read(t, f, now);
	} while (!truth_equal(t, on, now));
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

/* As it was before, or as it was meant to be; nothing between. */
static void settle(struct truth *t, const struct field *f, const struct scene *scene)
{
	truth_counts before, after, now;

	truth_read(t, f, now);
	fill(before, scene->on);
	fill(after, scene->after);
	if (truth_equal(t, now, after))
		kept++;
	else if (truth_equal(t, now, before))
		undone++;
	else
		fault("counts are neither as before nor as they were to be");
	truth_set(t, now);
}

/* One kill; false: the tool had come to its end before. */
static bool strike(
	struct truth *t, struct field *f, const struct scene *scene, const struct killer *k)
{
	struct killer_end end;

	fault_begin("%s, killed at call %lu%s", scene->name, k->number,
		k->way == KILLER_HELPER ? " of its helper" : "");
	tool_must(&tool, scene->on ? "attach -enable-all -force" : "attach -disable-all -force");
	leave_behind(t, f, scene->before);
	end = tool_run(&tool, scene->words, k);
	fault_doing("which was %s", end.killed ? killer_call_name(end.call) : "behind its end");
	inspect_helpers(f);
	inspect_threads(f);
	tool_must(&tool, "repair");
	settle(t, f, scene);
	tool_must(&tool, "repair");
	inspect_journals(&tool);
	inspect_victim(t, f);
	kills += end.killed;
	return end.killed;
}

/* How many calls it makes from end to end. */
static unsigned long measure(
	struct truth *t, struct field *f, const struct scene *scene, enum killer_way way)
{
	const struct killer never = {.way = way, .number = (unsigned long)-1};
	truth_counts now;
	struct killer_end end;

	fault_begin("%s, not killed", scene->name);
	tool_must(&tool, scene->on ? "attach -enable-all -force" : "attach -disable-all -force");
	leave_behind(t, f, scene->before);
	end = tool_run(&tool, scene->words, &never);
	if (end.status)
		fault("%s: status %x", scene->words, (unsigned)end.status);
	truth_read(t, f, now);
	for (size_t i = 0; i < t->count; i++)
		if (now[i] != scene->after)
			fault("%s: count %u", t->probes[i].name, now[i]);
	return end.calls;
}

static unsigned long common_divisor(unsigned long a, unsigned long b)
{
	return b ? common_divisor(b, a % b) : a;
}

static void play(struct truth *t, struct field *f, const struct scene *scene, enum killer_way way,
	long deadline)
{
	unsigned long calls = measure(t, f, scene, way), step = calls * 38 / 100 + 1, done = 0;

	while (calls && common_divisor(step, calls) != 1)
		step++;
	for (unsigned long i = 0; i < calls && (field_now() < deadline || i < 8); i++, done++)
		strike(t, f, scene, &(struct killer){.way = way, .number = 1 + i * step % calls});
	printf("%-14s%s killed at %lu of %lu calls\n", scene->name,
		way == KILLER_HELPER ? " helper" : "       ", done, calls);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long seconds = argc > 4 ? atol(argv[4]) : 20, begin = field_now();
	static struct truth t;
	struct field f;
	size_t scenes_left = SCENES + 2;

	if (argc < 4)
		return 99;
	tool_init(&tool, argv[1], argv[3]);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	field_start(&f, argv[2], "8", NULL);
	tool_aim(&tool, f.pid);
	truth_learn(&t, &f);
	for (size_t i = 0; i < SCENES; i++) {
		for (int helper = 0; helper <= (strstr(scenes[i].words, "-stop") != NULL);
			helper++) {
			long left = begin + seconds * 1000 - field_now();

			play(&t, &f, &scenes[i], helper ? KILLER_HELPER : KILLER_CALL,
				field_now() + left / (long)scenes_left--);
		}
	}
	field_end(&f);
	printf("%lu kills: %lu times as it was before, %lu times as it was to be; %lu faults\n",
		kills, undone, kept, fault_count);
	return fault_count != 0;
}
