/* A line is escaped, and of bounded length. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "ui/output/audit.h"
#include "ui/words/line.h"
#include "ui/words/probe_name.h"
#include "ui/words/report.h"

/* Syslog daemons may truncate messages of more than 1024 bytes. */
#define LINE 960

static int cannot_log(struct probes_error *e, const char *file, int code, const char *why)
{
	char what[sizeof e->what];

	snprintf(what, sizeof what, "cannot note changes in %s", file);
	return report_set(e, PROBES_FAILED, code, what, "name a regular file, or leave out -log",
		"%s", why ? why : strerror(-code));
}

int audit_open(struct audit *a, const struct options *o, struct probes_error *e)
{
	/* O_NONBLOCK: do not wait for a fifo's reader. O_NOFOLLOW: a link could point anywhere. */
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
		return cannot_log(e, o->log, -EINVAL, "it is not a regular file");
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

/* The login uid survives su and sudo; without one, use the real uid. */
static void add_user(struct line *l)
{
	unsigned login = (unsigned)-1;
	FILE *f = fopen("/proc/self/loginuid", "re");
	struct passwd *pw;

	if (f) {
		if (fscanf(f, "%u", &login) != 1)
			login = (unsigned)-1;
		fclose(f);
	}
	if (login == (unsigned)-1)
		login = getuid();
	pw = getpwuid(login);
	line_add(l, "user=%s", pw ? pw->pw_name : "?");
	line_add(l, "(%u)", login);
	if (login != geteuid())
		line_add(l, " as=%u", geteuid());
}

/* Write a finished line to syslog and to the log file. */
static int emit(const struct audit *a, const struct line *l, struct probes_error *e)
{
	char stamped[LINE + 64], when[40];
	time_t now = time(NULL);
	struct tm tm;
	int n;

	if (a->syslog)
		syslog(LOG_AUTHPRIV | LOG_NOTICE, "%s", l->text);
	if (a->fd < 0)
		return 0;
	strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S%z", localtime_r(&now, &tm));
	n = snprintf(stamped, sizeof stamped, "%s %s\n", when, l->text);
	/* One write(2), so that lines of concurrent sessions do not interleave. */
	if (write(a->fd, stamped, (size_t)n) == n)
		return 0;
	return cannot_log(e, "the -log file", errno ? -errno : -EIO, NULL);
}

int audit_note(struct audit *a, const char *verb, const struct probes_session *session,
	const struct probes_result *result, struct probes_error *e)
{
	static const char *const marks[] = {
		[PROBES_ENABLE] = "+",
		[PROBES_DISABLE] = "-",
		[PROBES_COUNT] = "+#",
		[PROBES_UNCOUNT] = "-#",
	};
	char whole[LINE], text[256];
	struct line l = {whole, sizeof whole, 0};
	size_t unlisted;

	if (!result || !result->edit_count || (!a->syslog && a->fd < 0))
		return 0;
	probes_escape(probes_path(session), text, sizeof text);
	add_user(&l);
	line_add(&l, " %s pid=%d prog=%s done=%zu skipped=%zu failed=%zu sites=%zu:", verb,
		probes_pid(session), text, result->done, result->skipped, result->not_done,
		result->sites);
	unlisted = result->done;
	for (size_t i = 0; i < result->item_count && unlisted; i++) {
		const struct probes_item *item = &result->items[i];

		if (item->outcome != PROBES_DONE)
			continue;
		if (l.length > LINE - 260) { /* keep room for one name and the count */
			line_add(&l, " and %zu more", unlisted);
			break;
		}
		probe_name_full(probes_at(session, item->probe), text, 200);
		line_add(&l, " %s%s", marks[item->verb], text);
		unlisted--;
	}
	return emit(a, &l, e);
}

int audit_mark(struct audit *a, const struct probes_session *session, const char *text,
	struct probes_error *e)
{
	char whole[LINE], safe[LINE];
	struct line l = {whole, sizeof whole, 0};

	if (!a->syslog && a->fd < 0)
		return 0;
	probes_escape(probes_path(session), safe, 256);
	add_user(&l);
	line_add(&l, " mark pid=%d prog=%s: ", probes_pid(session), safe);
	probes_escape(text, safe, sizeof safe);
	line_add(&l, "%s", safe);
	return emit(a, &l, e);
}
