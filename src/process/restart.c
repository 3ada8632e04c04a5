/* x86-64. What interrupted calls return: include/linux/errno.h. */
#include "process/restart.h"

#include "process/filter.h"
#include "process/procfs.h"
#include "process/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
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
	char path[64], text[RESTART_STATUS_BYTES];
	ssize_t size = -1;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/status", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		size = read(fd, text, sizeof text - 1);
		close(fd);
	}
	if (size < 0)
		return true;
	text[size] = '\0';
	return procfs_status(text, "Seccomp", RESTART_FILTERED) == RESTART_FILTERED;
}

static bool restart_may_resume(pid_t tid, const struct user_regs_struct *r)
{
	const uint64_t arguments[6] = {r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9};
	int allowed = r->cs == RESTART_CODE_64
			      ? filter_allows(tid, SYS_restart_syscall, arguments, r->rip)
			      : -ENOTSUP;

	return allowed >= 0 ? allowed : !restart_is_filtered(tid);
}

int restart_past_filter(pid_t tid)
{
	struct user_regs_struct registers;
	int r = tracee_get_registers(tid, &registers);

	/* One that was resumed before can only be resumed again. */
	if (r < 0 || (int64_t)registers.rax != RESTART_BLOCK ||
		registers.orig_rax == SYS_restart_syscall || restart_may_resume(tid, &registers))
		return r;
	registers.rax = (uint64_t)(int64_t)RESTART_NO_HANDLER;
	return tracee_set_registers(tid, &registers);
}
