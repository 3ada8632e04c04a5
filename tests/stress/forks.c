/*
 * Forks during taking back: the victim bears children, which live on, before, while and after a
 * holder takes back. None of them may keep a probe on, unless somebody said so, by its number; then
 * it is on record, and a repair of the child settles it.
 */
#include "deeds.h"
#include "fault.h"
#include "kinds.h"
#include "storm_forks.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What of it differs from what must be so, or NULL. */
static const char *child_differs(const struct campaign *c, pid_t pid)
{
	struct field child = {.pid = pid};
	const char *name;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/mem", pid);
	child.mem = open(path, O_RDONLY | O_CLOEXEC);
	if (child.mem < 0)
		fault_fatal("cannot read the child %d", pid);
	name = truth_differs(&c->truth, &child);
	close(child.mem);
	return name;
}

static bool child_is_reported(const struct campaign *c, pid_t pid, long mark)
{
	char words[32];

	snprintf(words, sizeof words, "%d", pid);
	return tool_said(&c->tool, mark, words);
}

/* What was said is on record: a repair of the child settles it. */
static void settle_child(struct campaign *c, pid_t pid)
{
	struct tool tool = c->tool;
	const char *name;

	kinds_count(c, "reported", 1);
	fault_doing("  repair of child %d", pid);
	tool_aim(&tool, pid);
	tool_must(&tool, "repair");
	name = child_differs(c, pid);
	if (name)
		fault("child %d was repaired, and keeps %s switched", pid, name);
}

static void check_children(struct campaign *c, long mark)
{
	pid_t pids[FORKS_MOST], one = 0;
	size_t count = field_calm(&c->field, pids, FORKS_MOST), silent = 0;
	const char *kept = NULL;

	for (size_t i = 0; i < count; i++) {
		const char *name = child_differs(c, pids[i]);

		if (name && child_is_reported(c, pids[i], mark)) {
			settle_child(c, pids[i]);
		} else if (name) {
			silent++;
			one = pids[i];
			kept = name;
		}
	}
	if (silent)
		fault("%zu of %zu children keep something switched, and nobody said so; child %d "
		      "keeps %s",
			silent, count, one, kept);
	kinds_count(c, "children", count);
	field_gather(&c->field);
}

void deed_forks(struct campaign *c)
{
	unsigned number = 20 + dice_roll(c->dice, 60), pace = 500 + dice_roll(c->dice, 4000);
	long mark = tool_mark(&c->tool), early = (long)dice_roll(c->dice, 40000);
	struct deed_call call;
	truth_counts before;
	int status = -1;
	pid_t tool;

	/* The int3 of a uprobe is copied, and not counted: nobody could say what is right there. */
	deed_no_uprobes(c);
	truth_get(&c->truth, before);
	deed_choose(c, &call);
	if (truth_equal(&c->truth, before, call.after))
		return; /* who switches nothing holds nothing */
	deed_add(&call, " -for 1h");
	tool = tool_start(&c->tool, call.words);
	if (!deed_wait(c, tool, call.after))
		fault("%s: never got there", call.words);
	fault_doing("  %u children, one each %u us; after %ld us SIGTERM", number, pace, early);
	field_fork(&c->field, number, pace);
	field_nap(early);
	kill(tool, SIGTERM);
	waitpid(tool, &status, 0);
	if (!WIFEXITED(status) ||
		(WEXITSTATUS(status) != 128 + SIGTERM && WEXITSTATUS(status) != 1))
		fault("the holder ended with status %x", (unsigned)status);
	check_children(c, mark);
}
