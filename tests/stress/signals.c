/*
 * Our tool gets SIGHUP, SIGTERM, SIGINT or SIGPIPE at every one of its system calls, in turn, from
 * the first after it has taken hold of its target (but for those that merely read files): while it
 * switches, with and without -stop, takes back after a term, and repairs. Afterwards, and without
 * any repair, all probes are as before or as they were meant to be; none of the victim's threads is
 * stopped or traced, no journal is left but of a repair that did nothing; and the exit status says
 * which it was.
 *
 *   signals TOOL VICTIM FOLDER [SECONDS]
 *
 * The calls are taken in an order that covers all of them evenly. Not covered: the screen
 * (tests/e2e/tui-signals.sh).
 */
#include "fault.h"
#include "inspect.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static struct tool tool;
static unsigned long struck, kept, undone;

struct scene {
	const char *name;
	const char *before; /* "", or a call that is carried out first, and killed while it waits */
	bool on;            /* every probe is on at the beginning */
	const char *words;
	unsigned after; /* every count, where it was whole */
};

static const struct scene scenes[] = {
	{"on", "", false, "attach -enable-all", 1},
	{"off", "", true, "attach -disable-all", 0},
	{"on, stopped", "", false, "attach -stop -max-stop 20000 -enable-all", 1},
	{"for a term", "", false, "attach -enable-all -for 1ms", 0},
	{"off for a term", "", true, "attach -disable-all -for 1ms", 1},
	{"repair", "attach -enable-all -for 1h", false, "repair", 0},
};
#define SCENES (sizeof scenes / sizeof *scenes)

static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGPIPE};
#define SIGNALS (sizeof signals / sizeof *signals)

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

/* As it was before, or as it was meant to be, which a status of 0 says. */
static void settle(struct truth *t, const struct field *f, const struct scene *scene, int status)
{
	truth_counts before, after, now;

	truth_read(t, f, now);
	fill(before, scene->on || *scene->before);
	fill(after, scene->after);
	if (truth_equal(t, now, after)) {
		kept++;
	} else if (truth_equal(t, now, before)) {
		undone++;
		if (status == 0)
			fault("status 0, and nothing was done");
	} else {
		fault("counts are neither as before nor as they were to be");
	}
	truth_set(t, now);
}

static void check_status(int status, int signal)
{
	if (status && !(WIFSIGNALED(status) && WTERMSIG(status) == signal) &&
		!(WIFEXITED(status) && WEXITSTATUS(status) == 128 + signal))
		fault("it ended with status %x", (unsigned)status);
	if (status && signal == SIGPIPE)
		fault("SIGPIPE ended it");
}

static struct killer_end act(
	struct truth *t, struct field *f, const struct scene *scene, const struct killer *k)
{
	tool_must(&tool, "repair");
	tool_must(&tool, scene->on ? "attach -enable-all -force" : "attach -disable-all -force");
	leave_behind(t, f, scene->before);
	return tool_run(&tool, scene->words, k);
}

static void strike(
	struct truth *t, struct field *f, const struct scene *scene, const struct killer *k)
{
	struct killer_end end;
	size_t left;

	fault_begin("%s, %s at call %lu", scene->name, strsignal(k->signal), k->number);
	end = act(t, f, scene, k);
	fault_doing("which was %s; status %x",
		end.killed ? killer_call_name(end.call) : "behind its end", (unsigned)end.status);
	check_status(end.status, k->signal);
	inspect_helpers(f);
	inspect_threads(f);
	settle(t, f, scene, end.status);
	left = tool_journals(&tool);
	if (left && (!*scene->before || !end.status))
		fault("%zu journals are left", left);
	inspect_victim(t, f);
	struck += end.killed;
}

static unsigned long common_divisor(unsigned long a, unsigned long b)
{
	return b ? common_divisor(b, a % b) : a;
}

static void play(struct truth *t, struct field *f, const struct scene *scene, long deadline)
{
	const struct killer never = {.way = KILLER_SIGNAL, .number = (unsigned long)-1};
	unsigned long calls, step, done = 0;
	struct killer_end end;

	fault_begin("%s, undisturbed", scene->name);
	end = act(t, f, scene, &never);
	if (end.status)
		fault("%s: status %x", scene->words, (unsigned)end.status);
	calls = end.calls;
	step = calls * 38 / 100 + 1;
	while (calls && common_divisor(step, calls) != 1)
		step++;
	for (; done < calls * SIGNALS && (field_now() < deadline || done < 8); done++)
		strike(t, f, scene,
			&(struct killer){.way = KILLER_SIGNAL,
				.number = 1 + done * step % calls,
				.signal = signals[(done + done / calls) % SIGNALS]});
	printf("%-14s %lu of %lu\n", scene->name, done, calls * SIGNALS);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long seconds = argc > 4 ? atol(argv[4]) : 20, begin = field_now();
	static struct truth t;
	struct field f;

	if (argc < 4)
		return 99;
	tool_init(&tool, argv[1], argv[3]);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	field_start(&f, argv[2], "4", NULL);
	tool_aim(&tool, f.pid);
	truth_learn(&t, &f);
	for (size_t i = 0; i < SCENES; i++)
		play(&t, &f, &scenes[i],
			field_now() + (begin + seconds * 1000 - field_now()) / (long)(SCENES - i));
	field_end(&f);
	printf("%lu signals: %lu times as it was before, %lu times as it was to be; %lu faults\n",
		struck, undone, kept, fault_count);
	return fault_count != 0;
}
