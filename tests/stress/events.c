/*
 * What happens to the victim besides our switching: its file is replaced, uprobes come and go,
 * signals are queued, its job is stopped.
 */
#include "deeds.h"
#include "fault.h"
#include "kinds.h"
#include "probes.h"
#include "uprobe.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void deed_copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	struct stat st;

	if (in < 0 || out < 0 || fstat(in, &st) < 0 ||
		sendfile(out, in, NULL, (size_t)st.st_size) != st.st_size)
		fault_fatal("cannot copy %s to %s", from, to);
	close(in);
	close(out);
}

/* Its file becomes another one, of the same bytes or of other ones, or goes away. */
void deed_replace(struct campaign *c)
{
	char fresh[540];
	unsigned how = dice_roll(c->dice, 3);

	fault_doing("the executable is %s", how == 0   ? "removed"
					    : how == 1 ? "replaced by the same"
						       : "replaced by another");
	if (how == 0) {
		unlink(c->file);
	} else {
		snprintf(fresh, sizeof fresh, "%s.new", c->file);
		deed_copy(how == 1 ? c->storm : c->tool.path, fresh);
		rename(fresh, c->file);
	}
}

const char *cannot_uprobe(struct campaign *c)
{
	int fd = uprobe_place(&c->field, &c->truth.probes[0]);

	if (fd < 0)
		return "uprobes are not permitted here (perf_event_open)";
	close(fd);
	return NULL;
}

/* perf_event_open asks the first thread for its memory: a dead one has none. */
bool deed_uprobe_on(struct campaign *c, size_t i)
{
	if (c->leader_dies || c->uprobes[i] >= 0)
		return false;
	c->uprobes[i] = uprobe_place(&c->field, &c->truth.probes[i]);
	if (c->uprobes[i] < 0)
		return false;
	fault_doing("  a uprobe on %s", c->truth.probes[i].name);
	kinds_count(c, "uprobes", 1);
	c->uprobe_count++;
	c->truth.probes[i].theirs = 1;
	return true;
}

void deed_uprobe_off(struct campaign *c, size_t i)
{
	if (c->uprobes[i] < 0)
		return;
	close(c->uprobes[i]);
	c->uprobes[i] = -1;
	c->truth.probes[i].theirs = 0;
	c->uprobe_count--;
}

void deed_uprobe(struct campaign *c)
{
	size_t i = dice_roll(c->dice, (unsigned)c->truth.count);

	if (c->uprobe_count == 4)
		deed_no_uprobes(c);
	/* The sdt ones more often. */
	if (dice_once_in(c->dice, 2))
		i = truth_find(&c->truth, dice_once_in(c->dice, 2) ? "wire" : "gate");
	deed_uprobe_on(c, i);
}

void deed_no_uprobes(struct campaign *c)
{
	if (c->uprobe_count)
		fault_doing("the uprobes go");
	for (size_t i = 0; i < c->truth.count; i++)
		deed_uprobe_off(c, i);
}

void deed_signal(struct campaign *c)
{
	unsigned number = 1 + dice_roll(c->dice, 30);

	while (number--) {
		if (sigqueue(c->field.pid, STORM_SIGNAL, (union sigval){0}) < 0)
			fault_fatal("cannot send a signal");
		c->sent++;
		kinds_count(c, "signals", 1);
	}
}

/* Signals while a switch with -stop is under way. */
void deed_signal_while_stopping(struct campaign *c)
{
	struct deed_call call;
	int status;
	pid_t tool;

	deed_choose(c, &call);
	tool = tool_start(&c->tool, call.words);
	while (waitpid(tool, &status, WNOHANG) == 0) {
		deed_signal(c);
		field_nap(300);
	}
	if (status != (call.partly ? PROBES_FAILED << 8 : 0))
		fault("%s: status %x", call.words, (unsigned)status);
	truth_set(&c->truth, call.after);
}

static void deed_wait_stopped(struct campaign *c, bool wanted)
{
	long deadline = field_now() + DEED_PATIENCE_MS;
	size_t all, stopped, traced;

	do {
		field_threads(&c->field, &all, &stopped, &traced);
		if (wanted ? stopped == all : stopped == 0)
			return;
		field_nap(200);
	} while (field_now() < deadline);
	fault("%zu of %zu threads are stopped, %zu traced", stopped, all, traced);
}

/* A job that is stopped stays stopped, whatever is switched in it. */
void deed_job(struct campaign *c)
{
	fault_doing("the job is stopped");
	kill(c->field.pid, SIGSTOP);
	deed_wait_stopped(c, true);
	if (dice_once_in(c->dice, 2))
		deed_switch(c);
	else
		deed_switch_killed(c);
	deed_wait_stopped(c, true);
	fault_doing("the job goes on");
	kill(c->field.pid, SIGCONT);
	deed_wait_stopped(c, false);
}
