/*
 * A stranger: a process without rights on the victim locks all of it that it can open, for long.
 * Switching and taking back go on as if it were not there.
 */
#include "deeds.h"
#include "fault.h"
#include "holder.h"
#include "kinds.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRANGER_UID 65534

const char *cannot_stranger(struct campaign *c)
{
	(void)c;
	return geteuid() == 0 ? NULL : "only root can be another user, too";
}

static bool stranger_lock(int fd)
{
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* The files that anybody may open; "" is the directory. */
static unsigned char stranger_locks(pid_t victim)
{
	static const char *const files[] = {
		"", "/stat", "/status", "/task", "/mem", "/maps", "/auxv", "/exe", "/ns/pid"};
	unsigned char locked = 0;
	char path[64];

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "/proc/%d%s", victim, files[i]);
		locked += stranger_lock(open(path, O_RDONLY | O_CLOEXEC));
	}
	return locked + stranger_lock((int)syscall(SYS_pidfd_open, victim, 0));
}

/* It lives until it is killed. */
static pid_t stranger_start(struct campaign *c)
{
	unsigned char locked = 0;
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		fault_fatal("no pipe");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (setresgid(STRANGER_UID, STRANGER_UID, STRANGER_UID) < 0 ||
			setresuid(STRANGER_UID, STRANGER_UID, STRANGER_UID) < 0)
			_exit(1);
		locked = stranger_locks(c->field.pid);
		if (write(fds[1], &locked, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]);
	if (pid < 0 || read(fds[0], &locked, 1) != 1)
		fault_fatal("no other user can be had");
	close(fds[0]);
	inspect_tolerate(pid);
	fault_doing("  another user holds %d locks on the victim", locked);
	kinds_count(c, "locks", locked);
	return pid;
}

static void stranger_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	inspect_tolerate(0);
}

/* It comes while somebody holds, who takes back all the same. */
static void stranger_meets_holder(struct campaign *c)
{
	struct holder h;
	pid_t stranger;
	size_t stay;
	bool all;

	holder_begin(c, &h);
	stranger = stranger_start(c);
	holder_tell(c, &h);
	all = holder_end(c, &h);
	stay = truth_take_back(&c->truth, h.hold, NULL);
	if (!all || stay)
		fault("something is left on record because of a stranger");
	stranger_end(stranger);
}

void deed_stranger(struct campaign *c)
{
	pid_t stranger;

	if (dice_once_in(c->dice, 3)) {
		stranger_meets_holder(c);
		return;
	}
	stranger = stranger_start(c);
	switch (dice_roll(c->dice, 4)) {
	case 0:
		deed_hold(c);
		break;
	case 1:
		deed_switch_killed(c);
		break;
	default:
		deed_switch(c);
		break;
	}
	stranger_end(stranger);
}
