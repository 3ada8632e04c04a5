/*
 * Takes the locks of a target (process/lock.c):
 *
 *   locker PID directory|mem|pidfd|both|claims [orphan|namespace]
 *
 * `claims` is every number that a session could claim (process/claim.c);
 * `both` is mem and pidfd, as a session; `orphan` leaves the lock to a child, whose holder cannot
 * be identified; `namespace` first becomes root of a new user namespace. Prints "held PID" and ends
 * at the end of its input.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

static void must(const char *what, int result)
{
	if (result >= 0)
		return;
	printf("failed: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void lock(const char *what, int fd)
{
	must(what, fd);
	must(what, flock(fd, LOCK_EX));
}

static void own_namespace(void)
{
	char map[64];
	int fd;

	snprintf(map, sizeof map, "0 %u 1", geteuid());
	must("a user namespace", unshare(CLONE_NEWUSER));
	fd = open("/proc/self/uid_map", O_WRONLY);
	must("its map", (int)write(fd, map, strlen(map)));
	close(fd);
}

int main(int argc, char **argv)
{
	const char *pid = argc > 2 ? argv[1] : "0", *what = argc > 2 ? argv[2] : "";
	const char *how = argc > 3 ? argv[3] : "";
	char path[64], byte;

	if (!strcmp(how, "namespace"))
		own_namespace();
	snprintf(path, sizeof path, "/proc/%.10s", pid);
	if (!strcmp(what, "directory"))
		lock(path, open(path, O_RDONLY));
	snprintf(path, sizeof path, "/proc/%.10s/mem", pid);
	if (!strcmp(what, "mem") || !strcmp(what, "both"))
		lock(path, open(path, O_RDWR));
	if (!strcmp(what, "pidfd") || !strcmp(what, "both"))
		lock("a pidfd", (int)syscall(SYS_pidfd_open, atoi(pid), 0));
	if (!strcmp(what, "claims")) {
		struct flock all = {.l_type = F_WRLCK};

		must("claims",
			fcntl((int)syscall(SYS_pidfd_open, atoi(pid), 0), F_OFD_SETLK, &all));
	}
	if (!strcmp(how, "orphan") && fork() > 0)
		_exit(0);
	printf("held %d\n", getpid());
	fflush(stdout);
	return read(0, &byte, 1) < 0;
}
