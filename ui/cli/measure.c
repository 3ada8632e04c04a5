/* See measure.h. */
#include "ui/cli/measure.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "ui/cli/explain.h"
#include "ui/cli/launch.h"
#include "ui/outbuf.h"
#include "ui/report.h"

/* Is it the recording that this call writes or reads? It has been opened before. */
static bool is_recording(const char *path, const struct options *o)
{
	const char *recording = o->record ? o->record : o->recording;
	struct stat a, b;

	return recording && stat(path, &a) == 0 && stat(recording, &b) == 0 && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

FILE *measure_output(const struct options *o)
{
	FILE *file;

	if (!o->output)
		return o->prog ? stderr : stdout;
	/* To open it would empty it. */
	if (is_recording(o->output, o)) {
		report_line("cannot write to %s: it is the recording; name another file",
			outbuf_safe(o->output));
		return NULL;
	}
	file = fopen(o->output, "we");
	if (!file)
		report_line("cannot write to %s: %s", outbuf_safe(o->output), strerror(errno));
	return file;
}

bool measure_unread(FILE *file)
{
	struct pollfd reader = {.fd = fileno(file)};

	return ferror(file) || (poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR));
}

int measure_written(FILE *file, const struct options *o, int code)
{
	char what[300] = "the output";

	if (o->output)
		snprintf(what, sizeof what, "to %s", outbuf_safe(o->output));
	if (!code && fflush(file) != 0)
		code = errno;
	/* An earlier error, whose reason nobody kept. */
	if (!code && ferror(file))
		report_line("cannot write %s", what);
	else if (code)
		report_line("cannot write %s: %s", what, strerror(code));
	return code || ferror(file) ? PROBES_FAILED : PROBES_OK;
}

/* Open the processes, or start the program. Returns the exit status. */
static int measure_open(
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

int measure_choose(struct probes_session *session, const struct options *o, size_t **indices,
	struct probes_action *action, struct probes_error *e)
{
	struct probes_switch_options narrow = options_switch(o);
	int r = 0;

	*action = (struct probes_action){.verb = PROBES_COUNT, .by = PROBES_BY_INDEX};
	*indices = NULL;
	for (size_t i = 0; r == 0 && i < o->actions.count; i++) {
		const struct probes_action *one = &o->actions.items[i];
		size_t *some, *all, count;

		r = probes_find(session, one->by, one->text, &narrow, &some, &count, e);
		if (r < 0)
			break;
		all = reallocarray(*indices, action->count + count + 1, sizeof *all);
		if (all) {
			memcpy(all + action->count, some, count * sizeof *all);
			action->indices = *indices = all;
			action->count += count;
		} else {
			r = report_set(e, PROBES_FAILED, -ENOMEM, "cannot count the hits", "", "%s",
				strerror(ENOMEM));
		}
		free(some);
	}
	return r;
}

int measure_resume(const struct measure *m)
{
	struct probes_error e;

	for (size_t i = 0; i < probes_group_count(m->group); i++) {
		const struct probes_member *t = probes_group_at(m->group, i);

		if (t->session && probes_held(t->session) && probes_resume(t->session, &e) < 0)
			return explain_error(t, &e, m->act.many);
	}
	return PROBES_OK;
}

/* The program that was started here: its exit status where it has ended, else `status`. `sig`: what
 * ended the call; `held`: what the program is no longer. */
static int measure_leave(const struct options *o, pid_t pid, int sig, int status, const char *held)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid)
		return status ? status : launch_wait(pid);
	/* What a terminal types reaches the program as well. */
	if (sig == SIGTERM || sig == SIGHUP)
		kill(pid, sig);
	else if (!o->quiet)
		report_line("pid %d: it runs on, and is no longer %s", pid, held);
	return status;
}

/* From the opened targets to the end. Returns the exit status. */
static int measure_all(struct measure *m, const struct measure_ops *ops, void *data)
{
	const struct options *o = m->options;
	struct tally tally = {.found = options_search(o)};
	int status, measured, sig = 0;
	sigset_t before;

	hold_prepare(o->prog);
	act_hold_signals(&before);
	for (size_t i = 0; i < probes_group_count(m->group); i++)
		explain_count(&tally, ops->begin(data, probes_group_at(m->group, i)));
	act_restore_signals(&before);
	status = explain_status(&tally);
	if (o->dry_run)
		return status;
	if (!tally.good || (ops->any && !ops->any(data))) {
		hold_undo(&m->hold);
		return tally.good ? PROBES_FAILED : status;
	}
	measured = ops->measure(data, &sig);
	if (!measured)
		measured = explain_status(&m->hold.tally);
	if (!measured)
		measured = measure_written(m->file, o, m->code);
	if (!measured && sig)
		measured = 128 + sig;
	status = measured ? measured : status;
	return o->prog ? measure_leave(o, probes_group_at(m->group, 0)->pid, sig, status, ops->held)
		       : status;
}

int measure_close(FILE *file, const struct options *o, int status)
{
	if (!o->output || fclose(file) == 0 || status)
		return status;
	report_line("cannot write to %s: %s", outbuf_safe(o->output), strerror(errno));
	return PROBES_FAILED;
}

int measure_run(
	struct measure *m, const struct options *o, const struct measure_ops *ops, void *data)
{
	struct report_volume volume;
	struct probes_options engine = targets_engine(o, &volume);
	int status;

	m->options = o;
	m->hold = (struct hold){.act = &m->act,
		.held = ops->held,
		.undone = "no longer counted",
		.undo = "uncount",
		.child = o->prog};
	outbuf_outlive();
	status = act_begin(&m->act, ops->verb, o, m->file, options_many(o));
	if (!status) {
		status = measure_open(&m->group, o, &engine);
		m->hold.group = m->group;
		if (!status)
			status = measure_all(m, ops, data);
		status = act_end(&m->act, status);
	}
	probes_group_close(m->group);
	return measure_close(m->file, o, status);
}
