/* One pass over /proc, of a microsecond or two a process. */
#include "process/sharing.h"

#include "base/error.h"
#include "process/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHARING_LINKS 3 /* of /proc/PID/task where there is one thread */

static bool sharing_same(pid_t a, pid_t b)
{
	return syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0) == 0;
}

/* `tid`: a live thread of `who`; 0: kcmp does not work. 1, 0, or a negative errno. */
static int sharing_look(const struct identity *who, int proc, pid_t tid, pid_t pid)
{
	struct stat links;
	char path[32];
	pid_t other;
	int dir;

	if (!tid)
		return identity_program(pid) == who->program;
	if (sharing_same(tid, pid))
		return 1;
	/* A leader that has ended has no memory, but its threads have. */
	snprintf(path, sizeof path, "%d/task", pid);
	if (fstatat(proc, path, &links, 0) < 0 || links.st_nlink <= SHARING_LINKS)
		return 0;
	dir = procfs_open(proc, O_RDONLY | O_DIRECTORY, "%d", pid);
	if (dir < 0)
		return error_is_shortage(dir) ? dir : 0;
	other = identity_find_thread(dir, false);
	close(dir);
	return other < 0 ? other : other > 0 && other != pid && sharing_same(tid, other);
}

pid_t sharing_find(const struct identity *who)
{
	pid_t tid = identity_thread(who);
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	if (!proc)
		return -errno;
	if (tid < 0 || !sharing_same(tid, tid))
		tid = 0;
	while (!found && (entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);
		int r = pid > 0 && pid != who->pid ? sharing_look(who, dirfd(proc), tid, pid) : 0;

		found = r > 0 ? pid : r;
	}
	closedir(proc);
	return found;
}
