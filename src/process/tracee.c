/* The only file that calls ptrace(2). x86-64 registers. */
#include "process/tracee.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

static int tracee_call(enum __ptrace_request request, pid_t pid, uintptr_t address, uintptr_t data)
{
	return ptrace(request, pid, (void *)address, (void *)data) < 0 ? -errno : 0;
}

int tracee_seize_child(pid_t pid)
{
	return tracee_call(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
}

int tracee_begin(pid_t pid)
{
	return tracee_call(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE);
}

int tracee_begin_again(pid_t pid)
{
	return tracee_call(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
}

int tracee_continue(pid_t pid, int signal)
{
	return tracee_call(PTRACE_CONT, pid, 0, (uintptr_t)signal);
}

int tracee_step(pid_t pid, int signal)
{
	return tracee_call(PTRACE_SINGLESTEP, pid, 0, (uintptr_t)signal);
}

/* A stop or an end as waitpid would report it. */
static int tracee_status(const siginfo_t *info)
{
	switch (info->si_code) {
	case CLD_EXITED:
		return info->si_status << 8;
	case CLD_KILLED:
		return info->si_status;
	case CLD_DUMPED:
		return info->si_status | WCOREFLAG;
	default:
		return info->si_status << 8 | 0x7f;
	}
}

int tracee_peek(pid_t *tid, int *status)
{
	const int how = WEXITED | WSTOPPED | WNOWAIT | __WALL | __WNOTHREAD;
	siginfo_t info = {0};

	while (waitid(*tid ? P_PID : P_ALL, (id_t)*tid, &info, how) < 0)
		if (errno != EINTR)
			return -errno;
	*tid = info.si_pid;
	*status = tracee_status(&info);
	return 0;
}

void tracee_consume(pid_t tid)
{
	while (waitpid(tid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

void tracee_drop(pid_t tid)
{
	waitpid(tid, NULL, __WALL | WNOHANG);
}

int tracee_pass_on(pid_t tid, int status)
{
	return tracee_is_group_stop(status) ? tracee_call(PTRACE_LISTEN, tid, 0, 0)
					    : tracee_continue(tid, tracee_signal(status));
}

int tracee_is_exec(int status)
{
	return WIFSTOPPED(status) && status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8);
}

int tracee_is_arrival(int status)
{
	return WIFSTOPPED(status) && status >> 8 == (SIGTRAP | PTRACE_EVENT_STOP << 8);
}

int tracee_is_group_stop(int status)
{
	return WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP &&
	       WSTOPSIG(status) != SIGTRAP;
}

int tracee_is_trap(int status)
{
	return WIFSTOPPED(status) && status >> 8 == SIGTRAP;
}

int tracee_signal(int status)
{
	/* A PTRACE_EVENT_* stop (also the EVENT_STOP of a group-stop) has its event in the upper
	 * bits. */
	return WIFSTOPPED(status) && status >> 16 == 0 ? WSTOPSIG(status) : 0;
}

int tracee_get_pc(pid_t pid, uint64_t *pc)
{
	long value;

	errno = 0;
	value = ptrace(PTRACE_PEEKUSER, pid, (void *)offsetof(struct user_regs_struct, rip), NULL);
	*pc = (uint64_t)value;
	return errno ? -errno : 0;
}

int tracee_set_pc(pid_t pid, uint64_t pc)
{
	return tracee_call(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, rip), pc);
}

int tracee_seize(pid_t tid)
{
	return tracee_call(PTRACE_SEIZE, tid, 0, 0);
}

int tracee_interrupt(pid_t tid)
{
	return tracee_call(PTRACE_INTERRUPT, tid, 0, 0);
}

int tracee_wait_once(pid_t tid, bool block, int *status)
{
	const int how = WEXITED | WSTOPPED | WNOWAIT | __WALL;
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)tid, &info, block ? how : how | WNOHANG) < 0)
		return -errno;
	if (info.si_pid == 0)
		return -EAGAIN;
	if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) {
		*status = tracee_status(&info);
		return 0;
	}
	return waitpid(tid, status, __WALL | WNOHANG) < 0 ? -errno : 0;
}

int tracee_detach(pid_t pid, int signal)
{
	return tracee_call(PTRACE_DETACH, pid, 0, (uintptr_t)signal);
}

int tracee_seize_calls(pid_t tid)
{
	return tracee_call(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACESYSGOOD);
}

int tracee_hold_calls(pid_t tid)
{
	return tracee_call(PTRACE_SETOPTIONS, tid, 0,
		PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
}

int tracee_to_call(pid_t tid, int signal)
{
	return tracee_call(PTRACE_SYSCALL, tid, 0, (uintptr_t)signal);
}

bool tracee_is_call(int status)
{
	return WIFSTOPPED(status) && status >> 8 == (SIGTRAP | 0x80);
}

int tracee_get_registers(pid_t tid, struct user_regs_struct *registers)
{
	return tracee_call(PTRACE_GETREGS, tid, 0, (uintptr_t)registers);
}

int tracee_set_registers(pid_t tid, const struct user_regs_struct *registers)
{
	return tracee_call(PTRACE_SETREGS, tid, 0, (uintptr_t)registers);
}

int tracee_get_xstate(pid_t tid, void *buffer, size_t *size)
{
	struct iovec to = {buffer, *size};
	int r = tracee_call(PTRACE_GETREGSET, tid, NT_X86_XSTATE, (uintptr_t)&to);

	*size = to.iov_len;
	return r;
}

int tracee_get_mask(pid_t tid, uint64_t *mask)
{
	return tracee_call(PTRACE_GETSIGMASK, tid, sizeof *mask, (uintptr_t)mask);
}

int tracee_set_mask(pid_t tid, uint64_t mask)
{
	return tracee_call(PTRACE_SETSIGMASK, tid, sizeof mask, (uintptr_t)&mask);
}

uint64_t tracee_rseq(pid_t tid)
{
	struct { /* struct ptrace_rseq_configuration, <linux/ptrace.h> */
		uint64_t address;
		uint32_t size, signature, flags, pad;
	} rseq = {0};

	/* Returns the number of bytes; fails before Linux 5.13. */
	return ptrace(0x420f, tid, (void *)sizeof rseq, &rseq) < 0 ? 0 : rseq.address;
}

bool tracee_dispatches(pid_t tid)
{
	struct { /* struct ptrace_sud_config, <linux/ptrace.h> */
		uint64_t mode, selector, offset, length;
	} dispatch = {0};

	/* Fails before Linux 6.4. */
	return ptrace(0x4211, tid, (void *)sizeof dispatch, &dispatch) == 0 && dispatch.mode;
}

int tracee_get_filter(pid_t tid, unsigned index, struct sock_filter *out)
{
	long count = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, (void *)(uintptr_t)index, out);

	return count < 0 ? -errno : (int)count;
}
