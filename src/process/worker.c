#include "process/worker.h"

#include "base/error.h"
#include "process/procfs.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* PF_IO_WORKER and PF_USER_WORKER, include/linux/sched.h. Older kernels gave these bits to others:
 * virtual CPUs (before 5.10), and whoever loads a module. */
#define WORKER_FLAGS 0x4010ul

/* All signals but SIGKILL and SIGSTOP, which nobody can block (kernel/fork.c, copy_process). */
#define WORKER_BLOCKED ~(UINT64_C(1) << (SIGKILL - 1) | UINT64_C(1) << (SIGSTOP - 1))

int worker_is(int proc, pid_t tid)
{
	struct procfs_stat stat;
	char *status;
	uint64_t blocked, list = 0;
	size_t size;
	int r;

	/* Only code of the process registers such a list. To ask for it costs far less than a file.
	 */
	if (syscall(SYS_get_robust_list, tid, &list, &size) == 0 && list)
		return 0;
	r = procfs_stat(proc, &stat, "task/%d/stat", (int)tid);
	if (r < 0 || !(stat.flags & WORKER_FLAGS))
		return error_is_shortage(r) ? r : 0;
	r = procfs_read(proc, &status, &size, "task/%d/status", (int)tid);
	if (r < 0)
		return error_is_shortage(r) ? r : 0;
	blocked = procfs_status_set(status, "SigBlk");
	free(status);
	return (blocked & WORKER_BLOCKED) == WORKER_BLOCKED;
}
