/*
 * Threads and children that the C library did not make, or that confine themselves: a victim of
 * its own (victims/apart.c) does such deeds, while sessions come and go. It may be pid 1 of a pid
 * namespace, and a session may look from in there. It lives, its hits agree to the last one with
 * those of a session that was complete, each child's texts are its own, and in the end its code is
 * that of its file.
 *
 * Not covered: the 0.25 to 0.5 s for which a thread was permitted to make system calls
 * (doc/hazards.md, "Keeping events"): a victim has either promised to confine itself from its
 * start, and installs filters at any moment, or it waits for 0.7 s between a filter and the
 * next text.
 */
#include "apart.h"

#include "deeds.h"
#include "fault.h"
#include "kinds.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART_PATIENCE_MS 30000

/* ------------------------------------------------------------------ victim */

/* Like fork, into a pid namespace where it is pid 1, with a proc mount that says so. */
static pid_t apart_fork(bool init)
{
	pid_t pid = init ? (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, NULL,
				   NULL, NULL, NULL)
			 : fork();

	if (pid == 0 && init &&
		(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
			mount("proc", "/proc", "proc", 0, NULL) < 0))
		_exit(126);
	return pid;
}

/* Up to a line that begins with `last`; false, and it is dead: it has ended, or it hangs. */
static bool apart_read(struct apart *a, const char *last)
{
	long until = field_now() + APART_PATIENCE_MS;
	size_t length = 0;
	int status = 0;

	while (length < sizeof a->answer - 1 && field_now() < until) {
		char *line = a->answer + length;
		ssize_t size;

		if (poll(&(struct pollfd){.fd = a->out, .events = POLLIN}, 1, 1000) <= 0)
			continue;
		size = read(a->out, line, sizeof a->answer - 1 - length);
		if (size <= 0)
			break;
		length += (size_t)size;
		a->answer[length] = '\0';
		for (line = a->answer; line;
			line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
			if (!strncmp(line, last, strlen(last)) && a->answer[length - 1] == '\n')
				return true;
	}
	a->dead = true;
	if (waitpid(a->f.pid, &status, WNOHANG | __WALL) == 0) {
		field_nap(100000); /* what it has said last came a moment before its end */
		if (waitpid(a->f.pid, &status, WNOHANG | __WALL) == 0) {
			fault("the victim %d apart does not answer", a->f.pid);
			kill(a->f.pid, SIGKILL);
			waitpid(a->f.pid, &status, __WALL);
			return false;
		}
	}
	fault("the victim apart ended with status %x", (unsigned)status);
	return false;
}

bool apart_ask(struct apart *a, const char *what)
{
	if (a->dead)
		return false;
	dprintf(a->in, "%s\n", what);
	return apart_read(a, "done");
}

__attribute__((format(printf, 2, 3))) static bool apart_do(struct apart *a, const char *format, ...)
{
	char what[64];
	va_list arguments;
	const char *end;

	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	fault_doing("  %s", what);
	if (!apart_ask(a, what))
		return false;
	end = strstr(a->answer, "child=");
	if (end && !strstr(end, " exit 0\n"))
		fault("a child of the victim: %.*s", (int)strcspn(end, "\n"), end);
	return true;
}

struct apart_truth apart_truth(struct apart *a)
{
	struct apart_truth t = {0};
	int pid;

	if (apart_ask(a, "report") &&
		sscanf(a->answer, "pid=%d hits=%lu says=%lu", &pid, &t.hits, &t.says) != 3)
		fault_fatal("the victim apart says '%s'", a->answer);
	return t;
}

static void apart_start(struct campaign *c, struct apart *a)
{
	int in[2], out[2];
	char path[64];

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		fault_fatal("no pipe");
	fflush(stdout);
	a->f.pid = apart_fork(a->init);
	if (a->f.pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(c->apart, "apart", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	a->in = in[1];
	a->out = out[0];
	if (a->f.pid < 0 || !apart_read(a, "ready"))
		fault_fatal("cannot start %s", c->apart);
	snprintf(path, sizeof path, "/proc/%d/mem", a->f.pid);
	a->f.mem = open(path, O_RDONLY | O_CLOEXEC);
	a->tool = c->tool;
	tool_aim(&a->tool, a->f.pid);
	inspect_tolerate(a->f.pid);
	if (a->promised)
		apart_do(a, "promise");
}

static void apart_end(struct apart *a)
{
	int status = -1;

	close(a->in);
	if (!a->dead && waitpid(a->f.pid, &status, 0) == a->f.pid && status)
		fault("the victim apart ended with status %x", (unsigned)status);
	close(a->out);
	close(a->f.mem);
	inspect_tolerate(0);
}

/* -------------------------------------------------------------------- deeds */

void apart_go(struct apart *a)
{
	if (a->wait)
		apart_do(a, "go");
	a->wait = false;
	a->processes = false;
}

/*
 * With a thread pointer that is another one's. Those that are born while a session counts must have
 * been seen before they hit, or some hits may be missing.
 */
static void apart_clones(struct campaign *c, struct apart *a)
{
	static const char *const words[] = {"shared", "processes", "strict"};
	unsigned which = dice_roll(c->dice, a->reading ? 2 : 3);

	apart_go(a);
	a->processes = which == 1;
	a->wait = apart_do(a, "%s %u %u", words[which], 1 + dice_roll(c->dice, 8),
		1 + dice_roll(c->dice, 50000));
	if (!a->session || dice_once_in(c->dice, 2)) {
		a->unlike = true;
		return;
	}
	fault_doing("  seen");
	for (int i = 0; i < 2; i++) {
		bool all;

		(void)apart_counted(a->session, &all);
		field_nap(60000);
	}
}

static void apart_confines(struct campaign *c, struct apart *a)
{
	const char *at_once = a->promised ? " 1" : "";
	unsigned says = 1 + dice_roll(c->dice, 12);

	/* The promise is the thread's that makes it, and of those that it begets. */
	apart_do(a, dice_once_in(c->dice, 2) ? "kept %u%s" : "confined %u%s", says, at_once);
	kinds_count(c, "filters", 1);
}

/* It must have been seen with it: see the top. */
static void apart_faults(struct campaign *c, struct apart *a)
{
	apart_do(a, "faults");
	if (!strstr(a->answer, "faults=1"))
		return;
	field_nap(700000);
	apart_do(a, "served");
	if (dice_once_in(c->dice, 2)) {
		apart_go(a);
		apart_do(a, "threads 2 1000");
		apart_do(a, "served");
	}
	apart_do(a, "closed");
	kinds_count(c, "faults served", 1);
}

static void apart_deed(struct campaign *c, struct apart *a)
{
	static const long pointers[] = {0, 0, 16, 0x10000, 0x7fffffffe000};

	switch (dice_roll(c->dice, 10)) {
	case 0:
	case 1:
		apart_clones(c, a);
		break;
	case 2:
		apart_go(a);
		break;
	case 3:
	case 9:
		apart_confines(c, a);
		break;
	case 4:
		apart_do(a, "raw %u", 1 + dice_roll(c->dice, 5));
		break;
	case 5:
		apart_go(a);
		apart_do(a, "without %u %ld", 1 + dice_roll(c->dice, 20000),
			pointers[dice_roll(c->dice, 5)]);
		break;
	case 6:
		apart_go(a);
		apart_do(a, "threads %u %u", 1 + dice_roll(c->dice, 8),
			1 + dice_roll(c->dice, 20000));
		break;
	case 7:
		apart_go(a);
		apart_do(a, "vforked %u", 1 + dice_roll(c->dice, 20000));
		break;
	default:
		apart_faults(c, a);
	}
	kinds_count(c, "deeds", 1);
}

void apart_deeds(struct campaign *c, struct apart *a)
{
	unsigned long faults = fault_count;

	for (unsigned n = 1 + dice_roll(c->dice, 3); n && fault_count == faults; n--)
		apart_deed(c, a);
}

/* --------------------------------------------------------------------- kind */

static void apart_repair(struct apart *a)
{
	apart_go(a);
	if (a->dead || !a->left)
		return;
	fault_doing(" repair");
	tool_must(&a->tool, "repair");
	a->left = false;
}

void deed_apart(struct campaign *c)
{
	struct apart a = {.init = dice_once_in(c->dice, 4), .promised = dice_once_in(c->dice, 2)};
	unsigned long faults = fault_count;

	a.init = a.init && killer_own_proc_permitted();
	fault_doing(" a victim apart%s%s", a.init ? ", pid 1 of a namespace" : "",
		a.promised ? ", that has promised to confine itself" : "");
	apart_start(c, &a);
	for (unsigned n = 1 + dice_roll(c->dice, 3); n && fault_count == faults; n--) {
		if (dice_once_in(c->dice, 3))
			apart_counts(c, &a);
		else
			apart_session(c, &a);
		if (dice_once_in(c->dice, 4))
			apart_repair(&a);
	}
	apart_repair(&a);
	if (!a.dead) {
		inspect_code(&a.f, c->apart);
		inspect_descriptors(&a.f);
		inspect_threads(&a.f);
	}
	apart_end(&a);
}
