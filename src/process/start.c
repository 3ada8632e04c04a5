/*
 * fork, seize, exec, then run the program to its beginning (process/run_to_entry.h). Until then it
 * may die with us.
 *
 * A launcher becomes the program by exec. Between its start and its exec it runs its own code, so
 * it must not depend on us: it is seized without EXITKILL, nothing in its memory is changed, and
 * stops are only looked at (tracee_peek), so that the kernel still delivers a signal if we die. At
 * its exec everything that it was has ended, and the new program may die with us again.
 */
#include "process/start.h"

#include "base/error.h"
#include "process/program.h"
#include "process/restart.h"
#include "process/run_to_entry.h"
#include "process/tracee.h"
#include "process/tracer_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct start {
	struct tracer_thread *tracer;
	const struct probes_program *program; /* during start_new */
	sigset_t mask;                        /* of the caller: the program inherits it */
	char name[256];                       /* for messages */
	pid_t pid;
	int ended;                /* status, once the followed program has ended */
	struct probes_error lost; /* of start_follow_work */
	bool held;
};

static void start_child(const struct probes_program *p, const sigset_t *mask, int parent)
{
	char *const plain[] = {(char *)p->file, NULL};
	struct rlimit limit;
	sigset_t none;
	char byte;
	int code;

	/* Wait until we are seized; if the parent dies before, read sees the end. */
	if (read(parent, &byte, 1) != 1)
		_exit(127);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (p->terminal) {
		setsid();
		ioctl(*p->terminal, TIOCSCTTY, 0);
		for (int fd = 0; fd < 3; fd++)
			dup2(*p->terminal, fd);
		if (*p->terminal > 2)
			close(*p->terminal);
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
	if (p->oom_score && *p->oom_score) {
		int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

		if (score >= 0)
			(void)!write(score, p->oom_score, strlen(p->oom_score));
	}
	/* execvp has a shell execute what the kernel cannot: as for a script, but never for an ELF
	   file, whose bytes it would take for commands. */
	if (program_is_elf(p->file))
		execv(p->file, p->argv ? p->argv : plain);
	else
		execvp(p->file, p->argv ? p->argv : plain);
	code = errno;
	_exit(write(parent, &code, sizeof code) < 0 ? 126 : 127);
}

/* ---- the parent ---- */

static int start_run_to_exec(pid_t pid, const char *file, int child, struct probes_error *e)
{
	int code = 0, status, r = 0;

	/* It was seized while it waits for this byte, without a stop: the first stop is at exec. */
	if (send(child, "", 1, MSG_NOSIGNAL) != 1)
		r = -errno;
	do
		r = r ? r : tracee_peek(&pid, &status);
	while (r == 0 && WIFSTOPPED(status) && !tracee_is_exec(status) &&
		!(r = tracee_pass_on(pid, status)));
	if (r < 0)
		return error_set(e, PROBES_GONE, r, "lost the new program %s", file);
	if (WIFSTOPPED(status))
		return 0;
	if (read(child, &code, sizeof code) != sizeof code)
		return run_to_entry_never(file, status, e);
	error_set(e, PROBES_NO_TARGET, -code, "cannot start %s", file);
	if (code == ENOENT && access(file, F_OK) == 0)
		error_why(e, "the interpreter that it names does not exist");
	return error_hint(e, "name a program that you may execute");
}

/* In the tracer's thread: it becomes the parent of the program, and its tracer. */
static int start_work(void *data, struct probes_error *e)
{
	struct start *s = data;
	const char *file = s->program->file;
	int ends[2], code, r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return error_set(e, PROBES_FAILED, -errno, "cannot start %s", file);
	s->pid = fork();
	if (s->pid == 0) {
		close(ends[0]);
		start_child(s->program, &s->mask, ends[1]);
	}
	code = -errno;
	close(ends[1]);
	if (s->pid < 0) {
		close(ends[0]);
		return error_fork(e, code, "cannot start %s", file);
	}
	s->held = true;
	r = tracee_seize_child(s->pid);
	if (r < 0) {
		error_set(e, PROBES_DENIED, r, "cannot trace the new program %s", file);
		error_why(e, "ptrace is denied even for a child (seccomp or a security module)");
		error_hint(e, "in a container: --cap-add SYS_PTRACE");
	} else {
		r = start_run_to_exec(s->pid, file, ends[0], e);
	}
	close(ends[0]);
	return r < 0 ? r : run_to_entry_reach(s->pid, file, e);
}

int start_new(const struct probes_program *program, struct start **start, struct probes_error *e)
{
	struct start *s = calloc(1, sizeof *s);
	int r = s ? tracer_thread_new(&s->tracer) : -ENOMEM;

	*start = NULL;
	if (r < 0) {
		free(s);
		return error_fork(e, r, "cannot start %s", program->file);
	}
	s->program = program;
	snprintf(s->name, sizeof s->name, "%s", program->file);
	pthread_sigmask(SIG_SETMASK, NULL, &s->mask);
	r = tracer_thread_call(s->tracer, start_work, s, e);
	s->program = NULL;
	if (r < 0)
		start_free(s);
	else
		*start = s;
	return r;
}

pid_t start_pid(const struct start *s)
{
	return s->pid;
}

int start_call(struct start *s, int (*work)(void *data, struct probes_error *e), void *data,
	struct probes_error *e)
{
	return tracer_thread_call(s->tracer, work, data, e);
}

/* ---- following ---- */

/*
 * In the tracer's thread, which may be ended while it waits. 1: stopped at exec; 0: the program
 * ended. It reads nothing of the program: other threads of the caller use this library meanwhile.
 */
static int start_follow_work(void *data, struct probes_error *e)
{
	struct start *s = data;

	for (;;) {
		pid_t tid = 0;
		char path[64];
		int status, r;

		tracer_thread_may_exit();
		r = tracee_peek(&tid, &status);
		tracer_thread_must_stay();
		if (r < 0)
			return error_set(e, PROBES_GONE, r, "lost process %d", s->pid);
		if (!WIFSTOPPED(status) && tid == s->pid) {
			s->ended = status;
			return 0;
		}
		if (tid == s->pid && tracee_is_exec(status)) {
			/* ptrace fails as long as an exec by another thread, which changed its tid,
			 * is not consumed (kernel/ptrace.c looks_like_a_spurious_pid). */
			tracee_consume(tid);
			return 1;
		}
		snprintf(path, sizeof path, "/proc/%d/task/%d", s->pid, tid);
		/* A call fails only if a SIGKILL came meanwhile: the next event says so. */
		if (!WIFSTOPPED(status)) {
			tracee_consume(tid);
		} else if (tracee_is_arrival(status) && access(path, F_OK) < 0) {
			/* No thread of it: a child by clone(2) with another exit signal. */
			tracee_detach(tid, 0);
		} else {
			/* It would not have woken for a signal that it ignores. */
			if (tracee_signal(status))
				restart_past_filter(tid);
			tracee_pass_on(tid, status);
		}
	}
}

static int start_begin_work(void *data, struct probes_error *e)
{
	const struct start *s = data;
	int r;

	/* Where we end between these calls, the kernel would deliver a trap that is not consumed.
	 */
	tracee_drop(s->pid);
	r = tracee_begin(s->pid);
	r = r ? r : tracee_continue(s->pid, 0);
	return r < 0 ? error_set(e, PROBES_GONE, r, "cannot resume process %d", s->pid) : 0;
}

static int start_begin_again_work(void *data, struct probes_error *e)
{
	struct start *s = data;
	pid_t pid = s->pid;
	int r = run_to_entry_reach(pid, s->name, e);

	/* No breakpoint is left in it: until start_hold it need not die with us. The trap must be
	 * consumed: the kernel would deliver it. */
	if (r == 0 || r == -ENOSYS) {
		tracee_drop(pid);
		tracee_begin(pid);
	}
	/* It ended: a missing library, a signal. Its parent may reap it. */
	if (r == -ECHILD && tracee_peek(&pid, &s->ended) == 0)
		s->held = false;
	return r;
}

int start_follow(struct start *s, struct probes_error *e)
{
	int r = tracer_thread_call(s->tracer, start_begin_work, s, e);

	if (r < 0)
		return r;
	s->held = false;
	tracer_thread_begin(s->tracer, start_follow_work, s, &s->lost);
	return 0;
}

int start_fd(const struct start *s)
{
	return tracer_thread_fd(s->tracer);
}

int start_wait(struct start *s, int ms, int *status, struct probes_error *e)
{
	int r;

	*status = 0;
	if (!tracer_thread_done(s->tracer, ms, &r))
		return 0;
	if (r <= 0) {
		*status = s->ended;
		error_set(e, PROBES_GONE, r < 0 ? r : -ECHILD, "lost process %d", s->pid);
		return r < 0 ? r : error_why(e, "it has ended");
	}
	s->held = true;
	r = tracer_thread_call(s->tracer, start_begin_again_work, s, e);
	*status = s->ended;
	return r < 0 && r != -ENOSYS ? r : 1;
}

static int start_hold_work(void *data, struct probes_error *e)
{
	const struct start *s = data;

	return tracee_begin_again(s->pid);
}

void start_hold(struct start *s)
{
	struct probes_error unused;

	tracer_thread_call(s->tracer, start_hold_work, s, &unused);
}

static int start_resume_work(void *data, struct probes_error *e)
{
	const struct start *s = data;
	int r = tracee_detach(s->pid, 0);

	return r < 0 ? error_set(e, PROBES_GONE, r, "cannot resume process %d", s->pid) : 0;
}

int start_resume(struct start *s, struct probes_error *e)
{
	int r = tracer_thread_call(s->tracer, start_resume_work, s, e);

	s->held = false;
	start_free(s);
	return r;
}

static int start_kill_work(void *data, struct probes_error *e)
{
	const struct start *s = data;
	siginfo_t info;
	pid_t pid = s->pid;
	int status = 0;

	/* If it was reaped already, its pid may have been recycled. */
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) < 0)
		return 0;
	kill(pid, SIGKILL);
	while (tracee_peek(&pid, &status) == 0 && WIFSTOPPED(status))
		tracee_pass_on(pid, status);
	tracee_consume(pid);
	return 0;
}

void start_free(struct start *s)
{
	struct probes_error unused;

	if (!s)
		return;
	if (s->held)
		tracer_thread_call(s->tracer, start_kill_work, s, &unused);
	tracer_thread_free(s->tracer);
	free(s);
}
