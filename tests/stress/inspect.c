/* Looking whether all is in order again. */
#include "inspect.h"

#include "fault.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define INSPECT_PATIENCE_MS 10000

static pid_t inspect_tolerated;

void inspect_tolerate(pid_t child)
{
	inspect_tolerated = child;
}

/* A child of ours that is not the victim, or 0. */
static pid_t inspect_other_child(pid_t victim)
{
	char path[64];
	int one = 0, other = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &one) == 1)
		if (one != victim && one != inspect_tolerated)
			other = one;
	if (f)
		fclose(f);
	return other;
}

void inspect_helpers(const struct field *f)
{
	long deadline = field_now() + INSPECT_PATIENCE_MS;
	pid_t one;
	int status;

	while ((one = inspect_other_child(f->pid))) {
		pid_t ended = waitpid(one, &status, WNOHANG | __WALL);

		if (ended == 0 && field_now() > deadline) {
			fault("process %d is left", one);
			kill(one, SIGKILL);
			deadline += INSPECT_PATIENCE_MS;
		}
		if (ended == 0)
			field_nap(200);
	}
	if (waitpid(f->pid, &status, WNOHANG) == f->pid)
		fault_fatal("the victim ended with status %x", (unsigned)status);
}

void inspect_threads(const struct field *f)
{
	long deadline = field_now() + INSPECT_PATIENCE_MS;
	size_t all, stopped, traced;

	/*
	 * One that was let go a moment ago may not have got to run yet; and while a thread that
	 * calls exec takes the leader's place, none is listed.
	 */
	while ((!field_threads(f, &all, &stopped, &traced) || stopped || traced) &&
		field_now() < deadline)
		field_nap(200);
	if (!all || stopped || traced)
		fault("of %zu threads %zu are stopped, %zu traced", all, stopped, traced);
}

void inspect_victim(const struct truth *t, struct field *f)
{
	struct field_report before, after;
	unsigned long rounds;

	field_pause(f);
	field_report(f, &before);
	truth_check(t, f, &before);
	field_go(f);
	rounds = field_rounds(f);
	while (field_rounds(f) == rounds)
		field_nap(200);
	field_pause(f);
	field_report(f, &after);
	field_go(f);
	truth_check_hits(t, &before, &after);
}

void inspect_journals(const struct tool *t)
{
	size_t left = tool_journals(t);

	if (left)
		fault("%zu journals are left", left);
}
