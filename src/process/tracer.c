/*
 * PTRACE_SEIZE does not stop. A running tracee cannot be detached from, and to stop it for that
 * would fail some of its system calls (doc/hazards.md): so the tracer is a helper that ends.
 */
#include "process/tracer.h"

#include "base/error.h"
#include "process/helper.h"
#include "process/procfs.h"
#include "process/tracee.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

struct tracer {
	const struct identity *who;
	int (*work)(void *data, struct probes_error *e);
	void *data;
};

static pid_t tracer_tid; /* in the helper: the thread it has seized */

/* It stops at each of its signals until we pass that on. A stop by job control is left alone. */
static void tracer_pass_on(int number)
{
	int status, saved = errno;

	(void)number;
	while (tracee_wait_once(tracer_tid, false, &status) == 0 && tracee_signal(status))
		tracee_continue(tracer_tid, tracee_signal(status));
	errno = saved;
}

static void tracer_hear(int how)
{
	const struct sigaction action = {.sa_handler = tracer_pass_on, .sa_flags = SA_RESTART};
	sigset_t only;

	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&only);
	sigaddset(&only, SIGCHLD);
	sigprocmask(how, &only, NULL);
}

static int tracer_denied(const struct identity *who, int code, struct probes_error *e)
{
	char name[64];
	pid_t tracer = procfs_tracer(who->task, "status", name, sizeof name);

	error_set(e, PROBES_DENIED, code, "cannot write to the code of process %d", who->pid);
	if (!tracer)
		return error_why(e, "only its tracer may, and it must not be traced");
	error_why(e, "only its tracer may, and that is process %d (%s)", tracer, name);
	return error_hint(e, "let the other tool go first");
}

/* Its memory was opened through a thread that has ended: only that one's tracer would count. */
static int tracer_ended(const struct identity *who, struct probes_error *e)
{
	if (!identity_alive(who))
		return identity_gone(who, e);
	error_set(e, PROBES_FAILED, -EAGAIN, "cannot write to the code of process %d", who->pid);
	error_why(e, "only its tracer may, and the thread it was opened by has ended");
	return error_hint(e, "open it again");
}

static int tracer_help(void *data, struct probes_error *e)
{
	const struct tracer *a = data;
	int r = tracee_seize(a->who->tid), status;

	/* Seized by its number: is it the one we know? */
	if (!identity_thread_lives(a->who))
		return tracer_ended(a->who, e);
	if (r < 0)
		return tracer_denied(a->who, r, e);
	tracer_tid = a->who->tid;
	tracer_hear(SIG_UNBLOCK);
	r = a->work(a->data, e);
	tracer_hear(SIG_BLOCK);
	if (tracee_wait_once(tracer_tid, false, &status) == 0 && tracee_signal(status))
		tracee_detach(tracer_tid, tracee_signal(status));
	return r;
}

int tracer_run(const struct identity *who, int (*work)(void *data, struct probes_error *e),
	void *data, struct probes_error *e)
{
	struct tracer a = {who, work, data};

	return helper_run(who->pid, tracer_help, &a, e);
}
