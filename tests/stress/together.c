/*
 * Several of us at once on one target, with the library and with the tool: the same probes and
 * probes of one's own, thousands of switches, while uprobes come and go at the same sites. In the
 * end every count is what was added and taken away in all, no byte is lost, no uprobe is erased.
 *
 *   together TOOL VICTIM FOLDER [SWITCHES]
 *
 * A switch that is refused because somebody changed something in the very moment is tried again;
 * how often is said. Not covered: several users.
 */
#include "dice.h"
#include "fault.h"
#include "inspect.h"
#include "probes.h"
#include "uprobe.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOGETHER_WORKERS 3
#define TOGETHER_AGAIN 1000

/* What the workers tell, in memory that all see. */
struct together {
	long net[TOGETHER_WORKERS][STORM_PLACES]; /* what each added to each probe */
	unsigned long done[TOGETHER_WORKERS], again[TOGETHER_WORKERS];
	unsigned long uprobes, lost_uprobes;
	atomic_int stop;
};

static struct tool tool;

/* ----------------------------------------------------------------- workers */

static int switch_once(struct probes_session *s, enum probes_verb verb, size_t *which, size_t count,
	bool atomically, struct probes_error *e)
{
	struct probes_action a = {
		.verb = verb, .by = PROBES_BY_INDEX, .indices = which, .count = count};
	struct probes_switch_options o = {.atomically = atomically, .max_stop_ms = 20000};
	struct probes_result *r;
	int code = probes_switch(s, &a, 1, &o, &r, e);

	if (code == 0 && r->done != count)
		fault("%zu of %zu done: %s", r->done, count, r->items[0].why);
	probes_result_free(r);
	return code;
}

/*
 * Two probes are everybody's, one is the worker's own. It takes away only what it has added, so
 * that nothing is ever refused for its count.
 */
static void work(struct together *t, const struct truth *truth, pid_t victim, unsigned me,
	unsigned long switches)
{
	struct dice dice = dice_of(me + 1);
	struct probes_options options = {.persistent = true};
	struct probes_session *s;
	struct probes_error e;
	long *net = t->net[me];

	if (probes_open_pid(victim, &options, &s, &e) < 0)
		fault_fatal("%s: %s", e.what, e.why);
	while (t->done[me] < switches) {
		size_t which[3] = {truth_find(truth, "wire"), truth_find(truth, "many"), 3 + me};
		size_t first = dice_roll(&dice, 3),
		       count = 1 + dice_roll(&dice, 3 - (unsigned)first);
		bool up =
			net[which[first]] == 0 || (net[which[first]] < 3 && dice_once_in(&dice, 2));
		int r;

		for (size_t i = first; !up && i < first + count; i++)
			up = net[which[i]] == 0;
		r = switch_once(s, up ? PROBES_ENABLE : PROBES_DISABLE, which + first, count,
			dice_once_in(&dice, 50), &e);
		if (r < 0 && ++t->again[me] > switches / 10 + TOGETHER_AGAIN)
			fault_fatal("%s: %s", e.what, e.why);
		for (size_t i = first; r == 0 && i < first + count; i++)
			net[which[i]] += up ? 1 : -1;
		t->done[me] += r == 0;
	}
	probes_close(s);
	exit(fault_count != 0);
}

/* ----------------------------------------------------------------- uprobes */

/* On the OCaml site that all switch, and on an sdt site whose probe nobody switches. */
static void disturb(struct together *t, const struct truth *truth, const struct field *f)
{
	const struct truth_probe *ours = &truth->probes[truth_find(truth, "many")];

	while (!atomic_load(&t->stop)) {
		unsigned char byte = 0;
		int fd = uprobe_place(f, ours);

		if (fd < 0)
			exit(77);
		field_nap(500);
		if (!field_peek(f, ours->sites[0], &byte, 1) || byte != 0xcc)
			t->lost_uprobes++;
		close(fd);
		t->uprobes++;
	}
	exit(0);
}

/* -------------------------------------------------------------------- main */

static pid_t begin(void)
{
	fflush(stdout);
	return fork();
}

static void end(pid_t pid, const char *who, bool may_skip)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || (status && !(may_skip && WEXITSTATUS(status) == 77)))
		fault("%s ended with status %x", who, (unsigned)status);
}

/* The tool itself, meanwhile: up and down again on probes that nobody else switches. */
static unsigned long use_tool(const struct together *t, unsigned long switches)
{
	unsigned long calls = 0;

	while (t->done[0] < switches && !fault_count) {
		tool_must(&tool, "attach -enable a0,a1,gate");
		tool_must(&tool, calls % 4 ? "attach -disable a0,a1,gate"
					   : "attach -disable a0,a1,gate -stop -max-stop 20000");
		calls += 2;
	}
	return calls;
}

static void run(struct together *t, struct truth *truth, struct field *f, unsigned long switches)
{
	pid_t workers[TOGETHER_WORKERS], disturber = begin();
	unsigned long calls;

	if (disturber == 0)
		disturb(t, truth, f);
	for (unsigned i = 0; i < TOGETHER_WORKERS; i++) {
		workers[i] = begin();
		if (workers[i] == 0)
			work(t, truth, f->pid, i, switches);
	}
	calls = use_tool(t, switches);
	for (unsigned i = 0; i < TOGETHER_WORKERS; i++) {
		end(workers[i], "a worker", false);
		for (size_t k = 0; k < truth->count; k++)
			truth->probes[k].count += (unsigned)t->net[i][k];
		printf("worker %u: %lu switches, %lu tried again\n", i, t->done[i], t->again[i]);
	}
	atomic_store(&t->stop, 1);
	end(disturber, "the uprobes' process", true);
	printf("%lu calls of the tool, %lu uprobes%s\n", calls, t->uprobes,
		t->uprobes ? "" : " (not permitted here: skipped)");
	if (t->lost_uprobes)
		fault("%lu uprobes were erased", t->lost_uprobes);
}

int main(int argc, char **argv)
{
	unsigned long switches = argc > 4 ? strtoul(argv[4], NULL, 10) : 3400;
	struct together *t =
		mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static struct truth truth;
	struct field f;

	if (argc < 4 || t == MAP_FAILED)
		return 99;
	tool_init(&tool, argv[1], argv[3]);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fault_begin("%d of us at once, %lu switches each", TOGETHER_WORKERS, switches);
	field_start(&f, argv[2], "4", NULL);
	tool_aim(&tool, f.pid);
	truth_learn(&truth, &f);
	run(t, &truth, &f, switches);
	inspect_helpers(&f);
	inspect_threads(&f);
	inspect_victim(&truth, &f);
	inspect_journals(&tool);
	field_end(&f);
	printf("%lu faults\n", fault_count);
	return fault_count != 0;
}
