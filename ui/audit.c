/*
 * Who did what to which process, for the next engineer.
 *
 * Owns the one line that a change leaves in syslog and in -log FILE: escaped,
 * bounded. Must not decide whether a change is made.
 */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "ui/audit.h"
#include "ui/probe_name.h"
#include "ui/report.h"

/* A syslog message of more than 1024 bytes may be cut by those who carry it. */
#define LINE 960

/* A line that is being written; what does not fit is left out. */
struct tty {
	char text[LINE];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct tty *l, const char *format, ...)
{
	size_t room = sizeof l->text - l->length;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(l->text + l->length, room, format, arguments);
	va_end(arguments);
	if (n > 0)
		l->length += (size_t)n < room ? (size_t)n : room - 1;
}

/* ----------------------------------------------------------------- the file */

static int cannot_log(struct probes_error *e, const char *file, int code, const char *why)
{
	char what[sizeof e->what];

	snprintf(what, sizeof what, "cannot note changes in %s", file);
	return report_set(e, PROBES_FAILED, code, what, "name a regular file, or leave out -log",
		"%s", why ? why : strerror(-code));
}

int audit_open(struct audit *a, const struct options *o, struct probes_error *e)
{
	/* A fifo without a reader must not hold us up; a link could lead anywhere. */
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	struct stat st;

	*a = (struct audit){.syslog = !o->no_syslog, .fd = -1};
	if (a->syslog)
		openlog("probes-tui", LOG_PID, LOG_AUTHPRIV);
	if (!o->log)
		return 0;
	a->fd = open(o->log, flags, 0600);
	if (a->fd < 0)
		return cannot_log(
			e, o->log, -errno, errno == ELOOP ? "it is a symbolic link" : NULL);
	if (fstat(a->fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		audit_close(a);
		return cannot_log(e, o->log, -EINVAL, "it is no regular file");
	}
	return 0;
}

void audit_close(struct audit *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
	if (a->syslog)
		closelog();
	a->syslog = false;
}

static int append(int fd, const char *text, struct probes_error *e)
{
	char line[LINE + 64], when[40];
	time_t now = time(NULL);
	struct tm tm;
	int n;

	strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S%z", localtime_r(&now, &tm));
	n = snprintf(line, sizeof line, "%s %s\n", when, text);
	/* One write, so that the lines of two of us do not mix. */
	if (write(fd, line, (size_t)n) == n)
		return 0;
	return cannot_log(e, "the -log file", errno ? -errno : -EIO, NULL);
}

/* ----------------------------------------------------------------- the line */

/* The person at the login, who may have become root since; else our own uid. */
static uid_t who(void)
{
	unsigned id = (unsigned)-1;
	FILE *f = fopen("/proc/self/loginuid", "re");

	if (f) {
		if (fscanf(f, "%u", &id) != 1)
			id = (unsigned)-1;
		fclose(f);
	}
	return id == (unsigned)-1 ? getuid() : (uid_t)id;
}

static void add_user(struct tty *l)
{
	uid_t login = who();
	struct passwd *pw = getpwuid(login);

	add(l, "user=%s", pw ? pw->pw_name : "?");
	add(l, "(%u)", login);
	if (login != geteuid())
		add(l, " as=%u", geteuid());
}

/* The probes that were switched, as many as fit; room is kept for what follows them. */
static void add_probes(
	struct tty *l, const struct probes_session *session, const struct probes_result *result)
{
	size_t left = result->done;
	char name[200];

	for (size_t i = 0; i < result->item_count && left; i++) {
		const struct probes_item *item = &result->items[i];

		if (item->outcome != PROBES_DONE)
			continue;
		if (l->length > LINE - 260) {
			add(l, " and %zu more", left);
			return;
		}
		probe_name_full(probes_at(session, item->probe), name, sizeof name);
		add(l, " %c%s", item->verb == PROBES_ENABLE ? '+' : '-', name);
		left--;
	}
}

int audit_note(struct audit *a, const char *verb, const struct probes_session *session,
	const struct probes_result *result, struct probes_error *e)
{
	struct tty l = {.length = 0};
	char path[256];

	if (!result || !result->write_count || (!a->syslog && a->fd < 0))
		return 0;
	probes_escape(probes_path(session), path, sizeof path);
	add_user(&l);
	add(&l, " %s pid=%d prog=%s done=%zu skipped=%zu failed=%zu sites=%zu:", verb,
		probes_pid(session), path, result->done, result->skipped, result->not_done,
		result->sites);
	add_probes(&l, session, result);
	if (a->syslog)
		syslog(LOG_AUTHPRIV | LOG_NOTICE, "%s", l.text);
	return a->fd < 0 ? 0 : append(a->fd, l.text, e);
}

int audit_mark(struct audit *a, const struct probes_session *session, const char *text,
	struct probes_error *e)
{
	struct tty l = {.length = 0};
	char safe[LINE];

	if (!a->syslog && a->fd < 0)
		return 0;
	probes_escape(probes_path(session), safe, 256);
	add_user(&l);
	add(&l, " mark pid=%d prog=%s: ", probes_pid(session), safe);
	probes_escape(text, safe, sizeof safe);
	add(&l, "%s", safe);
	if (a->syslog)
		syslog(LOG_AUTHPRIV | LOG_NOTICE, "%s", l.text);
	return a->fd < 0 ? 0 : append(a->fd, l.text, e);
}
