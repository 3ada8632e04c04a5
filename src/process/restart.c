/* x86-64. What interrupted calls return: include/linux/errno.h. */
#include "process/restart.h"

#include "process/filter.h"
#include "process/procfs.h"
#include "process/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

#define RESTART_STATUS_BYTES 8192 /* of /proc/PID/status */
#define RESTART_FILTERED 2        /* "Seccomp:", proc_pid_status(5) */
#define RESTART_CODE_64 0x33      /* cs of 64-bit code */

enum {
	RESTART_NO_HANDLER = -514,
	RESTART_BLOCK = -516
}; /* ERESTARTNOHAND, ERESTART_RESTARTBLOCK */

/* Also if that cannot be found out. No memory is allocated: a signal handler may call this. */
static bool restart_is_filtered(pid_t tid)
{
	int fd = procfs_open(AT_FDCWD, O_RDONLY, "/proc/%d/status", tid);
	char text[RESTART_STATUS_BYTES];
	ssize_t size = -1;

	if (fd >= 0) {
		size = read(fd, text, sizeof text - 1);
		close(fd);
	}
	if (size < 0)
		return true;
	text[size] = '\0';
	return procfs_status(text, "Seccomp", RESTART_FILTERED) == RESTART_FILTERED;
}

int restart_past_filter(pid_t tid)
{
	struct user_regs_struct at;
	int r = tracee_get_registers(tid, &at), allowed = -ENOTSUP;

	/* One that was resumed before can only be resumed again. */
	if (r < 0 || (int64_t)at.rax != RESTART_BLOCK || at.orig_rax == SYS_restart_syscall)
		return r;
	if (at.cs == RESTART_CODE_64)
		allowed = filter_allows(tid, SYS_restart_syscall,
			(uint64_t[]){at.rdi, at.rsi, at.rdx, at.r10, at.r8, at.r9}, at.rip);
	if (allowed >= 0 ? allowed : !restart_is_filtered(tid))
		return 0;
	at.rax = (uint64_t)(int64_t)RESTART_NO_HANDLER;
	return tracee_set_registers(tid, &at);
}
