/* See measure.h. */
#include "ui/cli/measure.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "ui/cli/explain.h"
#include "ui/cli/launch.h"
#include "ui/report.h"

FILE *measure_output(const struct options *o)
{
	FILE *file = o->output ? fopen(o->output, "we") : o->prog ? stderr : stdout;

	if (!file)
		report_line("cannot write to %s: %s", o->output, strerror(errno));
	return file;
}

int measure_open(
	struct probes_group **group, const struct options *o, const struct probes_options *engine)
{
	struct probes_member started = {0};
	struct probes_error e;
	int status = PROBES_OK;

	if (!o->prog) {
		if (targets_open(group, o, engine, &e) == 0)
			return PROBES_OK;
		report_error(&e);
		return (int)e.status;
	}
	status = launch_start(&started, o, engine);
	if (!status && (probes_group_new(engine, group, &e) < 0 ||
			       probes_group_add(*group, started.session, &e) < 0)) {
		report_error(&e);
		status = (int)e.status;
	}
	/* A program that is not resumed dies here, before its first instruction. */
	if (status)
		probes_close(started.session);
	return status;
}

int measure_leave(const struct options *o, pid_t pid, int sig, int status, const char *ended)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid)
		return status ? status : launch_wait(pid);
	/* What a terminal types reaches the program as well. */
	if (sig == SIGTERM || sig == SIGHUP)
		kill(pid, sig);
	else if (!o->quiet)
		report_line("pid %d: it runs on, and is %s", pid, ended);
	return status;
}
