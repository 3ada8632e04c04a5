/*
 * A tracer in a process of its own. PTRACE_SEIZE does not stop a thread, but a running tracee
 * cannot be detached, and stopping it for that would fail some of its system calls
 * (doc/hazards.md): the exit of the tracer detaches it.
 */
#include "process/tracer.h"

#include "base/error.h"
#include "process/procfs.h"
#include "process/restart.h"
#include "process/tracee.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACER_SECOND 1000000000u

/* What the child returns, in shared memory. */
struct tracer_answer {
	bool finished;
	int result;
	struct probes_error error;
};

int tracer_fork(pid_t target, int (*work)(void *data, struct probes_error *e), void *data,
	struct probes_error *e)
{
	struct tracer_answer *answer = mmap(
		NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid(), child;
	sigset_t all;
	int r, status;

	if (answer == MAP_FAILED)
		return error_memory(e, "a helper process");
	child = fork();
	if (child == 0) {
		/* It must not continue to write while the next run repairs what we left. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);
		signal(SIGCHLD, SIG_DFL);
		answer->result = work(data, &answer->error);
		answer->finished = true;
		/* The kernel detaches all remaining tracees. */
		_exit(0);
	}
	r = child < 0 ? error_fork(e, -errno, "cannot take hold of process %d", target) : 0;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child > 0 && !answer->finished) {
		error_set(e, PROBES_FAILED, -ECHILD, "lost hold of process %d", target);
		r = error_why(e, "the helper that held it was killed");
	} else if (child > 0) {
		r = answer->result;
		if (r < 0)
			*e = answer->error;
	}
	munmap(answer, sizeof *answer);
	return r;
}

void tracer_kill_at(uint64_t when)
{
	static timer_t timer;
	static bool set;
	struct sigevent kill = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	struct itimerspec at = {
		.it_value = {(time_t)(when / TRACER_SECOND), (long)(when % TRACER_SECOND)}};

	if (set)
		timer_delete(timer);
	set = when && timer_create(CLOCK_MONOTONIC, &kill, &timer) == 0 &&
	      timer_settime(timer, TIMER_ABSTIME, &at, NULL) == 0;
}

struct tracer {
	const struct identity *who;
	int (*work)(void *data, struct probes_error *e);
	void *data;
};

static pid_t tracer_tid; /* in the child: the thread it has seized */

/* A seized thread stops at each signal until its tracer passes that on. Leave job control alone. */
static void tracer_pass_on(int number)
{
	int status, saved = errno;

	while (tracee_wait_once(tracer_tid, false, &status) == 0 && tracee_signal(status)) {
		restart_past_filter(tracer_tid);
		tracee_continue(tracer_tid, tracee_signal(status));
	}
	errno = saved;
}

static void tracer_handle_signals(int how)
{
	const struct sigaction action = {.sa_handler = tracer_pass_on, .sa_flags = SA_RESTART};
	sigset_t only;

	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&only);
	sigaddset(&only, SIGCHLD);
	sigprocmask(how, &only, NULL);
}

static int tracer_seize_and_work(void *data, struct probes_error *e)
{
	const struct tracer *a = data;
	const struct identity *who = a->who;
	int r = tracee_seize(who->tid), status;
	char name[64];
	pid_t other;

	/* Its tid may have been recycled before it was seized. The memory was opened through the
	 * thread that ended: only the tracer of that one could write. */
	if (!identity_thread_lives(who)) {
		if (!identity_alive(who))
			return identity_gone(who, e);
		error_set(e, PROBES_FAILED, -EAGAIN, "cannot write to the code of process %d",
			who->pid);
		error_why(e, "only its tracer may, and the thread it was opened by has ended");
		return error_hint(e, "open it again");
	}
	if (r < 0) {
		other = procfs_tracer(who->task, name, sizeof name, "status");
		error_set(e, PROBES_DENIED, r, "cannot write to the code of process %d", who->pid);
		if (!other)
			return error_why(e, "only its tracer may, and it must not be traced");
		error_why(e, "only its tracer may, and that is process %d (%s)", other, name);
		return error_hint(e, "let the other tool go first");
	}
	tracer_tid = who->tid;
	tracer_handle_signals(SIG_UNBLOCK);
	r = a->work(a->data, e);
	tracer_handle_signals(SIG_BLOCK);
	if (tracee_wait_once(tracer_tid, false, &status) == 0 && tracee_signal(status)) {
		restart_past_filter(tracer_tid);
		tracee_detach(tracer_tid, tracee_signal(status));
	}
	return r;
}

int tracer_run(const struct identity *who, int (*work)(void *data, struct probes_error *e),
	void *data, struct probes_error *e)
{
	struct tracer a = {who, work, data};

	return tracer_fork(who->pid, tracer_seize_and_work, &a, e);
}
