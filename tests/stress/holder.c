/* The holders. What they hold is chosen here; what becomes of it is the account's. */
#include "holder.h"

#include "deeds.h"
#include "fault.h"
#include "kinds.h"
#include "probes.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const holder_words[] = {
	[HOLDER_TERM] = "-for ends by a signal",
	[HOLDER_KILLED] = "-for is killed, repair",
	[HOLDER_SCREEN] = "a session restores",
	[HOLDER_UNDO] = "a session undoes",
};

/* ---------------------------------------------------------------- choosing */

/* Those that the kernel counts in, half of the time. */
static size_t holder_pick(struct campaign *c)
{
	static const char *const shared[] = {"wire", "gate"};

	if (dice_once_in(c->dice, 2))
		return truth_find(&c->truth, shared[dice_roll(c->dice, 2)]);
	return dice_roll(c->dice, (unsigned)c->truth.count);
}

static bool holder_has(const struct holder *h, size_t probe)
{
	for (size_t i = 0; i < h->count; i++)
		if (h->which[i] == probe)
			return true;
	return false;
}

static void holder_choose(struct campaign *c, struct holder *h)
{
	unsigned number = 1 + dice_roll(c->dice, HOLDER_PROBES);
	unsigned lowest = DEED_HIGHEST, highest = 0;

	h->way = (enum holder_way)dice_roll(c->dice, 4);
	h->count = 0;
	while (number--) {
		size_t probe = holder_pick(c);
		unsigned count = c->truth.probes[probe].count;

		if (holder_has(h, probe))
			continue;
		h->which[h->count++] = probe;
		lowest = count < lowest ? count : lowest;
		highest = count > highest ? count : highest;
	}
	h->up = !lowest || (highest < DEED_HIGHEST && !dice_once_in(c->dice, 3));
	/* By force nothing may change at all: then nobody would hold anything. */
	h->force = h->up && highest > 1 && !c->uprobe_count && dice_once_in(c->dice, 2);
}

/* -------------------------------------------------------- a run of the tool */

static pid_t holder_start_tool(struct campaign *c, const struct holder *h)
{
	struct deed_call call = {.words = "attach"};

	deed_add(&call, " -%s ", h->up ? "enable" : "disable");
	for (size_t i = 0; i < h->count; i++)
		deed_add(&call, "%s%s", i ? "," : "", c->truth.probes[h->which[i]].name);
	deed_add(&call, "%s -for 1h", h->force ? " -force" : "");
	fault_doing("  held (%s): %s", holder_words[h->way], call.words);
	return tool_start(&c->tool, call.words);
}

/* It takes a signal by sigtimedwait(2), and nothing of it is under way then. */
static bool holder_waits(const struct holder *h)
{
	char path[64];
	long call = -1;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/syscall", h->pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%ld", &call) != 1)
		call = -1;
	if (f)
		fclose(f);
	return call == SYS_rt_sigtimedwait;
}

/* ------------------------------------------------- a session of the library */

static void holder_say(const struct campaign *c, const struct probes_error *e)
{
	FILE *f = fopen(c->tool.output, "ae");

	if (f) {
		fprintf(f, "a session: %s: %s; %s\n", e->what, e->why, e->hint);
		fclose(f);
	}
}

static int holder_switch(const struct campaign *c, const struct holder *h, struct probes_session *s,
	struct probes_result **result, struct probes_error *e)
{
	const struct probes_switch_options o = {.force = h->force};
	struct probes_action actions[HOLDER_PROBES];

	for (size_t i = 0; i < h->count; i++)
		actions[i] = (struct probes_action){.verb = h->up ? PROBES_ENABLE : PROBES_DISABLE,
			.by = PROBES_BY_NAME,
			.text = c->truth.probes[h->which[i]].name};
	return probes_switch(s, actions, h->count, &o, result, e);
}

/* The child: it holds until SIGTERM; status 0: all is taken back, 1: not all. */
static void holder_run_session(const struct campaign *c, const struct holder *h)
{
	struct probes_result *done = NULL, *back = NULL;
	struct probes_session *s;
	struct probes_error e;
	sigset_t set;
	int signal, status;

	/* A uprobe goes with its last descriptor. */
	for (size_t i = 0; i < c->truth.count; i++)
		if (c->uprobes[i] >= 0)
			close(c->uprobes[i]);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (probes_open_pid(c->field.pid, NULL, &s, &e) < 0 ||
		holder_switch(c, h, s, &done, &e) < 0) {
		holder_say(c, &e);
		_exit(2);
	}
	do {
		const struct timespec tick = {0, 100000000};

		signal = sigtimedwait(&set, NULL, &tick);
	} while (signal != SIGTERM && getppid() != 1);
	status = h->way == HOLDER_UNDO ? probes_revert(s, done, &back, &e)
				       : probes_restore(s, &back, &e);
	if (status < 0)
		holder_say(c, &e);
	status = status < 0 || (back && back->not_done);
	probes_result_free(done);
	probes_result_free(back);
	probes_close(s);
	_exit(status);
}

static pid_t holder_start_session(struct campaign *c, const struct holder *h)
{
	struct deed_call names = {.words = ""};
	pid_t pid;

	for (size_t i = 0; i < h->count; i++)
		deed_add(&names, " %s", c->truth.probes[h->which[i]].name);
	fault_doing("  held (%s): %s%s%s", holder_words[h->way], h->up ? "enable" : "disable",
		names.words, h->force ? " by force" : "");
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		holder_run_session(c, h);
	return pid;
}

/* ----------------------------------------------------------------- the life */

static bool holder_by_tool(const struct holder *h)
{
	return h->way == HOLDER_TERM || h->way == HOLDER_KILLED;
}

void holder_begin(struct campaign *c, struct holder *h)
{
	long deadline = field_now() + DEED_PATIENCE_MS;
	siginfo_t info;

	holder_choose(c, h);
	memset(h->hold, 0, sizeof h->hold);
	h->pid = holder_by_tool(h) ? holder_start_tool(c, h) : holder_start_session(c, h);
	for (info.si_pid = 0; !holder_waits(h) && !info.si_pid && field_now() < deadline;) {
		field_nap(100);
		waitid(P_PID, (id_t)h->pid, &info, WEXITED | WNOHANG | WNOWAIT);
	}
	if (info.si_pid || !holder_waits(h)) {
		fault("the holder never got there");
		return;
	}
	for (size_t i = 0; i < h->count; i++) {
		struct truth_probe *p = &c->truth.probes[h->which[i]];
		unsigned before = p->count;

		if (!truth_act(p, "the holder", h->up, h->force))
			fault("%s: the tool should have refused", p->name);
		h->hold[h->which[i]] = (int)p->count - (int)before;
	}
	kinds_count(c, holder_words[h->way], 1);
}

void holder_tell(struct campaign *c, struct holder *h)
{
	static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
	int signal = signals[dice_roll(c->dice, 4)];

	if (h->way == HOLDER_KILLED)
		signal = SIGKILL;
	if (!holder_by_tool(h))
		signal = SIGTERM;
	fault_doing("  the holder gets signal %d", signal);
	kill(h->pid, signal);
	if (h->way == HOLDER_KILLED) {
		/* What takes back is the repair. */
		waitpid(h->pid, NULL, 0);
		h->pid = tool_start(&c->tool, "repair");
	}
}

bool holder_end(struct campaign *c, struct holder *h)
{
	int status = -1, code;
	bool left;

	waitpid(h->pid, &status, 0);
	code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	left = code == PROBES_FAILED || code == PROBES_REFUSED;
	if (h->way == HOLDER_TERM ? !(code > 128 || left) : !(code == 0 || left))
		fault("the holder ended with status %x", (unsigned)status);
	if (left && !tool_journals(&c->tool))
		fault("the holder ended with status %d, and left no record", code);
	return !left;
}
