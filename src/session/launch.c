/*
 * Programs that are started: held at their start, followed from launcher to program, let go. A
 * launcher is what has no probe to switch and may become, by exec, a program that has: a script's
 * interpreter, env, nice, a shim.
 */
#include "base/error.h"
#include "base/now.h"
#include "process/privilege.h"
#include "process/procfs.h"
#include "process/program.h"
#include "session/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define LAUNCH_MOST 24 /* programs that are remembered */

/* Probes of a library that nothing switches, as in libstdc++, do not count. */
static bool launch_is_program(const struct probes_session *s)
{
	for (size_t i = 0; i < probes_count(s); i++) {
		const struct probes_probe *p = probes_at(s, i);

		if (!kind_no_switch(p) || probes_object_at(s, p->object)->executable)
			return true;
	}
	return false;
}

bool probes_is_launcher(const struct probes_session *s)
{
	return s->start && !(s->held && launch_is_program(s));
}

/* Remember what the process was; a program that repeats itself is counted. */
static void launch_remember(struct probes_session *s, const char *path, const char *why)
{
	char **last =
		s->followed.count ? ARRAY_AT(&s->followed, char *, s->followed.count - 1) : NULL;
	size_t length = strlen(path) + 2 + strlen(why);
	unsigned times;
	char *line;

	if (last && !strncmp(*last, path, strlen(path)) &&
		!strncmp(*last + strlen(path), ": ", 2) &&
		!strncmp(*last + strlen(path) + 2, why, strlen(why))) {
		if (sscanf(*last + length, " (%u times)", &times) != 1)
			times = 1;
		if (asprintf(&line, "%s: %s (%u times)", path, why, times + 1) < 0)
			return;
		free(*last);
		*last = line;
		return;
	}
	if (asprintf(&line, "%s: %s", path, why) < 0)
		return;
	/* If there are very many, keep the first and the last ones. */
	if (s->followed.count == LAUNCH_MOST) {
		free(*last);
		*last = line;
	} else if (!array_push(&s->followed, &line)) {
		free(line);
	}
}

static void launch_describe(struct probes_session *s, const struct probes_session *image)
{
	const char *why = "no probe notes";
	char text[300];

	for (size_t i = 0; i < probes_object_count(image); i++) {
		const struct probes_object *o = probes_object_at(image, i);

		if (o->executable && o->why)
			why = o->why;
	}
	snprintf(text, sizeof text, "%s", why);
	if (probes_count(image))
		snprintf(text, sizeof text,
			"%zu probe%s in its libraries, none of which can be switched",
			probes_count(image), probes_count(image) == 1 ? "" : "s");
	launch_remember(s, probes_path(image), text);
}

/* Open the program that is held now. */
static int launch_open(struct probes_session *s, pid_t pid, struct probes_error *e)
{
	struct privilege_facts facts;
	const char *slash;
	char lost[300];
	int r = session_open(s, pid, e);

	if (r < 0)
		return r;
	slash = strrchr(s->path, '/');
	/* The program runs with other rights than without a tracer. */
	if (privilege_gather(&s->who, &facts) && privilege_lost(&facts, lost, sizeof lost))
		log_say(&s->log, PROBES_LOG_NOTICE, "%.80s %s", slash ? slash + 1 : s->path, lost);
	return 0;
}

int probes_start(const struct probes_program *program, const struct probes_options *options,
	struct probes_session **session, struct probes_error *e)
{
	struct probes_session *s = session_new(options, e);
	char *const plain[] = {(char *)program->file, NULL};
	struct probes_program found = *program;
	char *path = NULL;
	int r;

	*session = NULL;
	if (!s)
		return e->code;
	r = program_find(program->file, &path, e);
	found.file = path;
	found.argv = program->argv ? program->argv : plain;
	if (r == 0)
		r = start_new(&found, &s->start, e);
	free(path);
	if (r == 0) {
		s->held = true;
		r = launch_open(s, start_pid(s->start), e);
		if (r < 0 && e->status == PROBES_DENIED)
			/* The program has ended: no pid for a hint. */
			error_hint(e, "start it by itself and attach as root");
	}
	return session_finish(s, r, session);
}

int probes_resume(struct probes_session *s, struct probes_error *e)
{
	struct start *start = s->start;
	bool held = s->held;

	s->start = NULL;
	s->held = false;
	if (start && held)
		return start_resume(start, e);
	start_free(start);
	return 0;
}

/*
 * The followed process has called exec, and is held. 1: *next is a program; 0: it is a launcher
 * again, which is remembered; a negative errno: a shortage.
 */
static int launch_look(struct probes_session *s, const struct probes_error *linker,
	struct probes_session **next, struct probes_error *e)
{
	const struct probes_options options = {.read_only = s->read_only,
		.persistent = s->persistent,
		.log = s->log.sink,
		.log_data = s->log.data};
	struct probes_session *image = session_new(&options, e);
	struct array followed = s->followed;
	char name[64];
	int r = image ? launch_open(image, s->who.pid, e) : e->code;

	if (r < 0 && !error_is_shortage(r)) {
		procfs_name(s->who.pid, name, sizeof name);
		launch_remember(s, name, e->why);
		r = 0;
	} else if (r == 0 && linker->code == -ENOSYS) {
		launch_remember(s, probes_path(image), linker->why);
	} else if (r == 0 && !launch_is_program(image)) {
		launch_describe(s, image);
	} else if (r == 0) {
		image->start = s->start;
		image->held = true;
		s->start = NULL;
		s->held = false;
		start_hold(image->start);
		s->followed = image->followed;
		image->followed = followed;
		*next = image;
		return 1;
	}
	probes_close(image);
	return r;
}

int probes_follow(
	struct probes_session *s, int wait_ms, struct probes_session **next, struct probes_error *e)
{
	int64_t end = (int64_t)now_ms() + wait_ms, left;
	struct probes_error linker;
	int r = 0, status;

	*next = NULL;
	if (!s->start) {
		error_set(e, PROBES_USAGE, -EINVAL, "cannot follow process %d", s->who.pid);
		return error_why(e, "probes_start did not start it, or it was let go");
	}
	do {
		if (s->held) {
			if (!s->followed.count)
				launch_describe(s, s);
			s->held = false;
			r = start_follow(s->start, e);
			if (r < 0)
				return r;
		}
		left = end - (int64_t)now_ms();
		linker.code = 0;
		r = start_wait(s->start,
			wait_ms < 0 ? -1
			: left > 0  ? (int)left
				    : 0,
			&status, &linker);
		if (r == -ECHILD) {
			error_set(e, PROBES_NO_TARGET, r, "no program with probes was started");
			if (WIFSIGNALED(status))
				error_why(e,
					"process %d was killed by signal %d (%s) before it became "
					"one",
					s->who.pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
			else
				error_why(e,
					"process %d exited with status %d and never became one",
					s->who.pid, WEXITSTATUS(status));
			return error_hint(e,
				"programs that a launcher forks are not followed: name the program "
				"itself, or attach to it when it runs");
		}
		if (r < 0) {
			*e = linker;
			return r;
		}
		if (r == 0)
			return 0;
		s->held = true;
		r = launch_look(s, &linker, next, e);
	} while (r == 0);
	return r < 0 ? r : 0;
}

int probes_follow_fd(const struct probes_session *s)
{
	return s->start && !s->held ? start_fd(s->start) : -1;
}

size_t probes_follow_count(const struct probes_session *s)
{
	return s->followed.count;
}

const char *probes_follow_at(const struct probes_session *s, size_t index)
{
	return *ARRAY_AT(&s->followed, char *, index);
}
