/*
 * Two of us who came by two proc mounts, as from two containers with the host's pids: their
 * /proc/PID has different inodes. Thousands of changes of the same counts at the same time, some
 * with the target held still by a helper; in the end not one increment is lost.
 *
 *   mounts TOOL VICTIM FOLDER [SWITCHES]
 *
 * Needs the right to mount; else skipped (77). Not covered: Linux before 6.9, where all pidfds
 * share one inode.
 */
#include "dice.h"
#include "fault.h"
#include "inspect.h"
#include "probes.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOUNTS_WORKERS 2
#define MOUNTS_TRIES 1000 /* of one switch: the other one may change something in the moment */

static void mount_proc(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("proc", "/proc", "proc", 0, NULL) < 0)
		_exit(77);
}

/* All probes, so that there is a while between the look and the last write. */
static void switch_all(struct probes_session *s, enum probes_verb verb, bool atomically)
{
	struct probes_action a = {.verb = verb, .by = PROBES_BY_ALL};
	struct probes_switch_options o = {.atomically = atomically, .max_stop_ms = 20000};
	struct probes_error e = {.code = 0};

	for (int tries = 0; tries < MOUNTS_TRIES; tries++) {
		struct probes_result *r;
		int code = probes_switch(s, &a, 1, &o, &r, &e);
		bool done = code == 0 && r->done && !r->not_done && !r->skipped;

		if (code == 0 && !done)
			fault("%zu done, %zu skipped, %zu not", r->done, r->skipped, r->not_done);
		probes_result_free(r);
		if (code == 0)
			return;
	}
	fault_fatal("%s: %s", e.what, e.why);
}

static void work(pid_t victim, unsigned me, unsigned long switches)
{
	struct dice dice = dice_of(me + 1);
	struct probes_options options = {.persistent = true};
	struct probes_session *s;
	struct probes_error e;

	mount_proc();
	if (probes_open_pid(victim, &options, &s, &e) < 0)
		fault_fatal("%s: %s", e.what, e.why);
	for (unsigned long i = 0; i < switches && !fault_count; i++) {
		switch_all(s, PROBES_ENABLE, dice_once_in(&dice, 200));
		switch_all(s, PROBES_DISABLE, dice_once_in(&dice, 200));
	}
	probes_close(s);
	exit(fault_count != 0);
}

int main(int argc, char **argv)
{
	unsigned long switches = argc > 4 ? strtoul(argv[4], NULL, 10) : 8000;
	static struct truth truth;
	pid_t workers[MOUNTS_WORKERS];
	bool skipped = false;
	struct tool tool;
	struct field f;

	if (argc < 4)
		return 99;
	tool_init(&tool, argv[1], argv[3]);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fault_begin("%d of us by a proc mount each, %lu switches in all", MOUNTS_WORKERS, switches);
	field_start(&f, argv[2], "4", NULL);
	tool_aim(&tool, f.pid);
	truth_learn(&truth, &f);
	for (unsigned i = 0; i < MOUNTS_WORKERS; i++) {
		fflush(stdout);
		workers[i] = fork();
		if (workers[i] == 0)
			work(f.pid, i, switches / 2 / MOUNTS_WORKERS);
	}
	for (unsigned i = 0; i < MOUNTS_WORKERS; i++) {
		int status = 99 << 8;

		waitpid(workers[i], &status, 0);
		skipped = skipped || (WIFEXITED(status) && WEXITSTATUS(status) == 77);
		if (status && !skipped)
			fault("worker %u ended with status %x", i, (unsigned)status);
	}
	inspect_helpers(&f);
	inspect_threads(&f);
	inspect_victim(&truth, &f);
	inspect_journals(&tool);
	field_end(&f);
	if (skipped)
		printf("SKIP: no right to mount proc\n");
	else
		printf("%lu switches, %lu faults\n", switches, fault_count);
	return fault_count ? 1 : skipped ? 77 : 0;
}
