/*
 * A victim with little room: in a memory cgroup of its own, whose limit leaves it less than, about,
 * or more than what switching costs it. To be refused with 6 is fine, and then nothing has changed;
 * a victim that is killed is a fault.
 */
#include "cgroup.h"
#include "crowd.h"
#include "deeds.h"
#include "fault.h"
#include "kinds.h"
#include "probes.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The victim, and what it is to have. */
struct room {
	struct cgroup group;
	struct tool tool;
	pid_t pid;
	FILE *in, *out;
	unsigned long sites, count;
	long usage, left; /* bytes when the limit was set */
};

const char *cannot_room(struct campaign *c)
{
	struct cgroup g;

	(void)c;
	if (!cgroup_make(&g))
		return "no memory cgroup can be made here";
	cgroup_remove(&g);
	return NULL;
}

/* ------------------------------------------------------------------ victim */

static void room_start(struct campaign *c, struct room *r)
{
	int in[2], out[2], pid;
	char line[128] = "";

	if (!cgroup_make(&r->group) || pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		fault_fatal("no room can be made");
	fflush(stdout);
	r->pid = fork();
	if (r->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (cgroup_enter(&r->group))
			execl(c->crowd, "crowd", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	r->in = fdopen(in[1], "w");
	r->out = fdopen(out[0], "r");
	if (!r->in || !r->out || !fgets(line, sizeof line, r->out) ||
		sscanf(line, "ready %d %lx %lx", &pid, &r->sites, &r->count) != 3)
		fault_fatal("the victim in its cgroup says '%s'", line);
	r->tool = c->tool;
	tool_aim(&r->tool, r->pid);
	r->usage = cgroup_usage(&r->group);
}

static void room_end(struct room *r)
{
	int status = -1;

	fclose(r->in);
	waitpid(r->pid, &status, 0);
	if (status)
		fault("the victim with %ld KiB left, of %ld used, ended with status %x",
			r->left / 1024, r->usage / 1024, (unsigned)status);
	fclose(r->out);
	cgroup_remove(&r->group);
}

static bool room_lives(const struct room *r)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0;
}

/* All on, or all off: its memory, and its handlers. */
static void room_check(struct room *r, bool on)
{
	unsigned long hits = 0, calls = 0;
	unsigned short count = 0;
	char path[64], line[64];
	int mem;

	snprintf(path, sizeof path, "/proc/%d/mem", r->pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; i < CROWD_SITES; i++) {
		unsigned char byte = 0;

		calls += pread(mem, &byte, 1, (off_t)(r->sites + i * CROWD_PAGE + 1)) == 1 &&
			 byte == 0xe8;
	}
	if (pread(mem, &count, 2, (off_t)r->count) != 2 || count != on ||
		calls != (on ? CROWD_SITES : 0))
		fault("its count is %u, and %lu of %d sites are on: it should be %s", count, calls,
			CROWD_SITES, on ? "on" : "off");
	close(mem);
	fprintf(r->in, "hit\n");
	fflush(r->in);
	if (!fgets(line, sizeof line, r->out) || sscanf(line, "hit %lu", &hits) != 1)
		fault("the victim with %ld KiB left does not answer", r->left / 1024);
	else if (hits != calls)
		fault("%lu sites are on, %lu handlers ran", calls, hits);
}

/* -------------------------------------------------------------------- deed */

/* All the room that switching needs is CROWD_SITES pages, and a little for what the kernel adds. */
static void room_narrow(struct campaign *c, struct room *r)
{
	bool upper = dice_once_in(c->dice, 2);

	r->left = (long)dice_roll(c->dice, 2 * CROWD_SITES) * CROWD_PAGE;
	fault_doing("  a victim with %ld KiB in use, and %ld KiB left%s; all is %d KiB",
		r->usage / 1024, r->left / 1024, upper ? " to the cgroup above its own" : "",
		CROWD_SITES * CROWD_PAGE / 1024);
	if (!cgroup_limit(&r->group, upper, r->usage + r->left))
		fault_fatal("no limit can be set");
}

/* On, in one of the ways there are; is it on then? */
static bool room_switch(struct campaign *c, struct room *r)
{
	static const char *const ways[] = {"attach -enable-all",
		"attach -enable-all -stop -max-stop 20000", "attach -enable-all -for 1ms"};
	unsigned way = dice_roll(c->dice, 3);
	struct killer_end end;
	int code;

	fault_doing("  %s", ways[way]);
	end = tool_run(&r->tool, ways[way], NULL);
	code = WIFEXITED(end.status) ? WEXITSTATUS(end.status) : -1;
	if (code != 0 && code != PROBES_REFUSED)
		fault("%s: status %x", ways[way], (unsigned)end.status);
	kinds_count(c, code == 0 ? "switched" : code == PROBES_REFUSED ? "refused" : "failed", 1);
	return code == 0 && way != 2;
}

void deed_room(struct campaign *c)
{
	struct room r;
	bool on;

	room_start(c, &r);
	room_narrow(c, &r);
	on = room_switch(c, &r);
	if (room_lives(&r))
		room_check(&r, on);
	if (on && room_lives(&r)) {
		fault_doing("  attach -disable-all");
		tool_must(&r.tool, "attach -disable-all");
		room_check(&r, false);
	}
	room_end(&r);
}
