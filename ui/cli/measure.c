/* See measure.h. */
#include "ui/cli/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ui/cli/explain.h"
#include "ui/cli/launch.h"
#include "ui/output/outbuf.h"
#include "ui/words/now.h"
#include "ui/words/report.h"
#include "ui/words/values.h"

#define INTERVAL_MS 1000 /* between two tables on a terminal */
#define READ_MS                                                                                  \
	200           /* between two readings: hits in counters of an earlier run, which are not \
			 mapped here, are lost from the last one on when a process ends */
#define CHECK_MS 1000 /* between two comparisons with -max-overhead */

/* Is it the recording that this call writes or reads? It has been opened before. */
static bool is_recording(const char *path, const struct options *o)
{
	const char *recording = o->record ? o->record : o->recording;
	struct stat a, b;

	return recording && stat(path, &a) == 0 && stat(recording, &b) == 0 && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* The descriptor that "-" or a name in /dev stands for; -1: it is another file. */
static int inherited_descriptor(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		size_t length = strlen(folders[i]);
		unsigned fd;

		if (!strncmp(path, folders[i], length) &&
			values_number(path + length, 0, INT_MAX, &fd))
			return (int)fd;
	}
	return -1;
}

/* May anybody have put this file there, for us to write to it? As fs.protected_regular judges. */
static bool may_be_planted(const char *path, const struct stat *file)
{
	struct stat folder;
	char *copy = strdup(path);
	bool planted = !copy || stat(dirname(copy), &folder) < 0 ||
		       (folder.st_mode & S_ISVTX && folder.st_mode & S_IWOTH &&
			       file->st_uid != geteuid() && file->st_uid != folder.st_uid);

	free(copy);
	return planted;
}

/*
 * Open the file of -output. A new one is for its owner alone; one that exists is emptied. No link
 * is followed: whoever may write to the folder could let it lead to any file of ours. -1: *why not.
 */
static int open_output(const char *path, const char **why)
{
	int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
	int fd = inherited_descriptor(path);
	struct stat st;

	/* To open it by its name would empty what `>>` appends to. */
	fd = fd < 0 ? open(path, flags, 0600) : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	*why = errno == ELOOP ? "it is a symbolic link; name the file that it leads to"
			      : strerror(errno);
	if (fd < 0 || inherited_descriptor(path) >= 0)
		return fd;
	if (fstat(fd, &st) < 0)
		*why = strerror(errno);
	else if ((S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode)) && may_be_planted(path, &st))
		*why = "it belongs to another user, in a folder where anybody may create files; "
		       "name a new file";
	else if (S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0)
		*why = strerror(errno);
	else
		return fd;
	close(fd);
	return -1;
}

FILE *measure_output(const struct options *o)
{
	const char *why;
	FILE *file;
	int fd;

	if (!o->output)
		return o->prog ? stderr : stdout;
	/* To open it would empty it. */
	if (is_recording(o->output, o)) {
		report_line("cannot write to %s: it is the recording; name another file",
			outbuf_safe(o->output));
		return NULL;
	}
	fd = open_output(o->output, &why);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		report_line("cannot write to %s: %s", outbuf_safe(o->output),
			fd < 0 ? why : strerror(errno));
	if (!file && fd >= 0)
		close(fd);
	return file;
}

bool measure_reader_gone(FILE *file)
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
	if (!o->output && outbuf_hung_up(file, code))
		return outbuf_hung_up(file, code);
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

int measure_count(const struct measure *m, const struct probes_member *member,
	const struct probes_action *action, struct probes_result **result)
{
	struct probes_switch_options how = options_switch(m->options);
	struct probes_error e;

	*result = NULL;
	if (probes_refresh(member->session, NULL, 0, &e) == 0 &&
		probes_switch(member->session, action, 1, &how, result, &e) == 0)
		return PROBES_OK;
	if (*result && !m->options->quiet)
		explain_items(member, *result, m->options, true);
	probes_result_free(*result);
	return explain_error(member, &e, m->act.many);
}

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

int measure_wait(struct measure *m)
{
	const struct measure_ops *ops = m->ops;
	int64_t start = now_ms(), table = m->interval_ms ? start + m->interval_ms : INT64_MAX;
	int64_t end = m->options->for_ms ? start + (int64_t)m->options->for_ms : INT64_MAX;
	const char *over;
	int sig = 0;

	m->checked = m->checked ? m->checked : now_ns();
	while (!sig && now_ms() < end && run_until_goes_on(&m->hold) &&
		!(ops->over && ops->over(m->data)) && !measure_reader_gone(m->file)) {
		int64_t next = now_ms() + (m->pause_ms ? m->pause_ms : READ_MS);
		int64_t check = m->checked / 1000000 + CHECK_MS + 1, now;

		sig = run_until_wait(&m->hold, least(least(table, check), least(next, end)));
		ops->read(m->data);
		now = now_ns();
		if (now - m->checked >= (int64_t)CHECK_MS * 1000000) {
			ops->check(m->data, now - m->checked);
			m->checked = now;
		}
		if (now_ms() < table)
			continue;
		ops->table(m->data);
		/* Late by more than an interval: no table for what was missed. */
		table += m->interval_ms * (1 + (now_ms() - table) / m->interval_ms);
	}
	over = ops->over ? ops->over(m->data) : NULL;
	m->how = sig                            ? strsignal(sig)
		 : over                         ? over
		 : now_ms() >= end              ? "the -for time was up"
		 : !run_until_goes_on(&m->hold) ? "the process ended"
						: "the output could not be written";
	return sig;
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
		report_line("pid %d: it keeps running, and is no longer %s", pid, held);
	return status;
}

/* From the opened targets to the end. Returns the exit status. */
static int measure_all(struct measure *m)
{
	const struct measure_ops *ops = m->ops;
	const struct options *o = m->options;
	struct tally tally = {.found = options_search(o)};
	int status, measured, sig = 0;
	sigset_t before;

	run_until_prepare(o->prog);
	act_hold_signals(&before);
	for (size_t i = 0; i < probes_group_count(m->group); i++)
		explain_count(&tally, ops->begin(m->data, probes_group_at(m->group, i)));
	act_restore_signals(&before);
	status = explain_status(&tally);
	if (o->dry_run)
		return status;
	if (!tally.good || (ops->any && !ops->any(m->data))) {
		run_until_undo(&m->hold);
		return tally.good ? PROBES_FAILED : status;
	}
	measured = ops->measure(m->data, &sig);
	if (!measured)
		measured = explain_status(&m->hold.tally);
	if (!measured)
		measured = measure_written(m->file, o, m->code);
	if (!measured && sig)
		measured = 128 + sig;
	if (!measured)
		measured = explain_status(&m->hold.ends);
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
	m->ops = ops;
	m->data = data;
	m->interval_ms = ops->table ? (int64_t)o->interval_ms : 0;
	if (ops->table && !m->interval_ms && o->format <= FORMAT_TEXT && isatty(fileno(m->file)))
		m->interval_ms = INTERVAL_MS;
	m->hold = (struct run_until){.act = &m->act,
		.held = ops->held,
		.undone = "no longer counted",
		.undo = "uncount",
		.child = o->prog,
		.measures = true,
		.looks = ops->looks,
		.ends.found = options_search(o)};
	outbuf_outlive();
	status = act_begin(&m->act, ops->verb, o, m->file, options_many(o));
	if (!status) {
		status = measure_open(&m->group, o, &engine);
		m->hold.group = m->group;
		if (!status)
			status = measure_all(m);
		status = act_end(&m->act, status);
	}
	probes_group_close(m->group);
	return measure_close(m->file, o, status);
}
