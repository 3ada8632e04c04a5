/*
 * fork, seize, exec, then run the dynamic linker up to the point where it announces that everything
 * is mapped: the function that debuggers know as r_debug.r_brk, _dl_debug_state. It is called with
 * r_state = RT_CONSISTENT after relocation and before the first constructor (glibc 2.36 elf/rtld.c
 * dl_main; musl 1.2 ldso/dynlink.c __dls3). The breakpoint there exists only before the program has
 * begun: until then the program may die with us.
 */
#include "process/start.h"

#include "arch/arch.h"
#include "base/error.h"
#include "process/mapped.h"
#include "process/procfs.h"
#include "process/tracee.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the linker announces its map, in the new process; 0: unknown. */
struct start_point {
	uint64_t announce; /* address of _dl_debug_state */
	uint64_t state;    /* address of r_debug.r_state */
};

/* ---- the child ---- */

static void start_child(const struct probes_program *p, int parent)
{
	char *const plain[] = {(char *)p->file, NULL};
	struct rlimit limit;
	sigset_t none;
	char byte;
	int code;

	/* Wait until we are seized; if the parent dies before, read sees the end. */
	if (read(parent, &byte, 1) != 1)
		_exit(127);
	if (p->terminal >= 0) {
		setsid();
		ioctl(p->terminal, TIOCSCTTY, 0);
		for (int fd = 0; fd < 3; fd++)
			dup2(p->terminal, fd);
		if (p->terminal > 2)
			close(p->terminal);
		/* The screen blocks and ignores signals for itself; its program must not inherit
		 * that. */
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
	}
	/* A program that uses select(2) breaks on descriptors beyond 1023: undo our raised limit.
	 */
	if (p->files && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = p->files < limit.rlim_max ? p->files : limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	execvp(p->file, p->argv ? p->argv : plain);
	code = errno;
	_exit(write(parent, &code, sizeof code) < 0 ? 126 : 127);
}

/* ---- the parent ---- */

static int start_ended(const char *file, int status, struct probes_error *e)
{
	error_set(e, PROBES_GONE, -ECHILD, "cannot start %s", file);
	if (WIFSIGNALED(status))
		error_why(e, "it was killed by signal %d (%s) before it began", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else
		error_why(e, "it exited with status %d before it began", WEXITSTATUS(status));
	return error_hint(e, "run it by itself to see what it needs");
}

static int start_run_to_exec(pid_t pid, const char *file, int child, struct probes_error *e)
{
	int code = 0, status, r = 0;

	/* It was seized while it waits for this byte, without a stop: the first stop is at exec. */
	if (send(child, "", 1, MSG_NOSIGNAL) != 1)
		r = -errno;
	do
		r = r ? r : tracee_wait(pid, &status);
	while (r == 0 && WIFSTOPPED(status) && !tracee_is_exec(status) &&
		!(r = tracee_continue(pid, tracee_signal(status))));
	if (r < 0)
		return error_set(e, PROBES_GONE, r, "lost the new program %s", file);
	if (WIFSTOPPED(status))
		return 0;
	if (read(child, &code, sizeof code) != sizeof code)
		return start_ended(file, status, e);
	error_set(e, PROBES_NO_TARGET, -code, "cannot start %s", file);
	if (code == ENOENT && strchr(file, '/') && access(file, F_OK) == 0)
		error_why(e, "the interpreter that it names does not exist");
	return error_hint(e, "name a program that you may execute");
}

/*
 * Find the announcement in the dynamic linker that the kernel has mapped (AT_BASE; *base is 0:
 * static). Fails only for a shortage: 0 or a negative errno.
 */
static int start_find_point(const struct identity *who, uint64_t *base, struct start_point *point)
{
	uint64_t value;
	const struct mapping *m;
	struct probes_error ignored;
	struct array mappings;
	size_t size, malformed;
	struct object *linker;
	bool exact;
	char *text;
	int fd = -ENOENT, r;

	*point = (struct start_point){0};
	r = procfs_auxv(who->task, AT_BASE, base);
	if (r < 0 || !*base)
		return r;
	r = procfs_read_lines(who->task, "maps", maps_drop_anonymous, &text, &size);
	if (r < 0)
		return error_is_shortage(r) ? r : 0;
	array_init(&mappings, sizeof(struct mapping));
	if (!maps_parse(text, &mappings, &malformed))
		fd = -ENOMEM;
	else if ((m = maps_find(&mappings, *base)))
		fd = mapped_open(who, m, &exact);
	if (fd >= 0 && (fd = object_read(fd, "the dynamic linker", &linker, &ignored)) == 0) {
		value = object_symbol(linker, "_dl_debug_state");
		point->announce = value ? *base + value : 0;
		value = object_symbol(linker, "_r_debug");
		point->state = value ? *base + value + offsetof(struct r_debug, r_state) : 0;
		object_free(linker);
	}
	array_done(&mappings);
	free(text);
	return error_is_shortage(fd) ? fd : 0;
}

static int start_put(struct memory *m, uint64_t address, unsigned char byte)
{
	return m->ops->write(m, address, &byte, 1);
}

/* Run to the announcement that everything is mapped; signals on the way are passed on. */
static int start_run_to_announcement(pid_t pid, const char *file, struct memory *m,
	const struct start_point *point, struct probes_error *e)
{
	int state, status, signal = 0, r;
	bool consistent = false;
	unsigned char own;
	uint64_t pc;

	r = memory_read(m, point->announce, &own, 1) ? 0 : -EFAULT;
	if (r == 0)
		r = start_put(m, point->announce, ARCH_BREAKPOINT);
	while (r == 0 && !consistent) {
		r = tracee_continue(pid, signal);
		if (r == 0)
			r = tracee_wait(pid, &status);
		if (r < 0)
			return error_set(e, PROBES_GONE, r, "lost the new program %s", file);
		if (!WIFSTOPPED(status))
			return start_ended(file, status, e);
		signal = tracee_is_trap(status) ? 0 : tracee_signal(status);
		if (!tracee_is_trap(status))
			continue;
		r = tracee_get_pc(pid, &pc);
		if (r < 0 || pc != point->announce + 1)
			continue;
		/* A linker whose state cannot be read is taken as consistent. */
		consistent = !point->state || !memory_read(m, point->state, &state, sizeof state) ||
			     state == RT_CONSISTENT;
		r = tracee_set_pc(pid, point->announce);
		if (r == 0)
			r = start_put(m, point->announce, own);
		if (r < 0 || consistent)
			continue;
		/* Step over the original instruction, and set the breakpoint again. */
		r = tracee_step(pid);
		if (r == 0)
			r = tracee_wait(pid, &status);
		if (r == 0 && !tracee_is_trap(status))
			r = -ECHILD;
		if (r == 0)
			r = start_put(m, point->announce, ARCH_BREAKPOINT);
	}
	return r < 0 ? error_set(e, PROBES_FAILED, r, "cannot hold %s at its start", file) : 0;
}

static int start_run_to_beginning(pid_t pid, const char *file, struct probes_error *e)
{
	struct start_point point;
	struct identity who;
	struct memory memory;
	uint64_t base;
	int r = identity_open(&who, pid, e);

	if (r < 0)
		return r;
	memory_open(&memory, who.task, who.tid, true);
	r = start_find_point(&who, &base, &point);
	if (r < 0) {
		error_set(e, PROBES_FAILED, r, "cannot hold %s at its start", file);
	} else if (base && !point.announce) {
		error_set(e, PROBES_FAILED, -ENOSYS, "cannot hold %s at its start", file);
		error_why(e, "its dynamic linker has no _dl_debug_state to stop at");
		r = error_hint(e, "start it by itself and use attach");
	} else if (point.announce) {
		r = start_run_to_announcement(pid, file, &memory, &point, e);
	}
	memory_close(&memory);
	identity_close(&who);
	return r;
}

int start_hold(const struct probes_program *p, pid_t *pid, struct probes_error *e)
{
	int ends[2], code, r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return error_set(e, PROBES_FAILED, -errno, "cannot start %s", p->file);
	*pid = fork();
	if (*pid == 0) {
		close(ends[0]);
		start_child(p, ends[1]);
	}
	code = -errno;
	close(ends[1]);
	if (*pid < 0) {
		close(ends[0]);
		return error_fork(e, code, "cannot start %s", p->file);
	}
	r = tracee_seize_child(*pid);
	if (r < 0) {
		error_set(e, PROBES_DENIED, r, "cannot trace the new program %s", p->file);
		error_why(e, "ptrace is denied even for a child (seccomp or a security module)");
		error_hint(e, "in a container: --cap-add SYS_PTRACE");
	} else {
		r = start_run_to_exec(*pid, p->file, ends[0], e);
	}
	close(ends[0]);
	if (r == 0)
		r = start_run_to_beginning(*pid, p->file, e);
	if (r < 0)
		start_kill(*pid);
	return r;
}

int start_resume(pid_t pid, struct probes_error *e)
{
	int r = tracee_detach(pid, 0);

	return r < 0 ? error_set(e, PROBES_GONE, r, "cannot let process %d begin", pid) : 0;
}

void start_kill(pid_t pid)
{
	siginfo_t info;
	int status;

	/* If it was reaped already, its pid may have been recycled. */
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) < 0)
		return;
	kill(pid, SIGKILL);
	while (tracee_wait(pid, &status) == 0 && WIFSTOPPED(status))
		;
}
