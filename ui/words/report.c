/* The form: "probes-tui: WHAT: WHY; TRY". */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/words/report.h"
#include "ui/words/shell.h"

/* Fits the three texts of an error, each fully escaped. */
#define LINE 8192

#define REPORT_CALL 1000 /* a longer call is not repeated */

/* The call that was typed, quoted for a shell and safe for a terminal; NULL: unknown. */
static char *report_typed;

static FILE *report_stream; /* NULL: standard error */

void report_to(FILE *stream)
{
	report_stream = stream;
}

static FILE *report_file(void)
{
	return report_stream ? report_stream : stderr;
}

void report_after(const char *prefix, const char *format, ...)
{
	char text[LINE / 4], safe[LINE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	probes_escape(text, safe, sizeof safe);
	/* One call, so that lines of concurrent processes do not interleave. */
	fprintf(report_file(), "%s%s\n", prefix, safe);
}

int report_set(struct probes_error *e, enum probes_status status, int code, const char *what,
	const char *hint, const char *why, ...)
{
	va_list arguments;

	*e = (struct probes_error){.status = status, .code = code};
	snprintf(e->what, sizeof e->what, "%s", what);
	snprintf(e->hint, sizeof e->hint, "%s", hint);
	va_start(arguments, why);
	vsnprintf(e->why, sizeof e->why, why, arguments);
	va_end(arguments);
	return code;
}

int report_bad_value(struct probes_error *e, const char *option, const char *value, const char *why,
	const char *hint)
{
	char what[32] = "-";

	strncat(what, option, sizeof what - 2);
	return report_set(e, PROBES_USAGE, -EINVAL, what, hint, "\"%s\" %s", value, why);
}

void report_call(int argc, char *const *argv)
{
	size_t size;
	FILE *out = open_memstream(&report_typed, &size);

	for (int i = 0; out && i < argc; i++) {
		if (i)
			fputc(' ', out);
		shell_quote_any(out, argv[i]);
	}
	if (!out || fclose(out) != 0)
		return;
	if (size > REPORT_CALL) {
		free(report_typed);
		report_typed = NULL;
	}
}

const char *report_try(const char *as, const char *hint, char *out, size_t size)
{
	if (*as && report_typed)
		snprintf(out, size, "%s %s", as, report_typed);
	else
		probes_escape(hint, out, size);
	return out;
}

int report_error_of(pid_t pid, const struct probes_error *e)
{
	char text[LINE / 4], safe[LINE], hint[LINE / 2], of[32] = "";

	if (pid)
		snprintf(of, sizeof of, "pid %d: ", pid);
	snprintf(text, sizeof text, "%s%s%s%s", of, e->what, *e->why ? ": " : "", e->why);
	probes_escape(text, safe, sizeof safe);
	report_try(e->as, e->hint, hint, sizeof hint);
	fprintf(report_file(), "probes-tui: %s%s%s\n", safe, *hint ? "; " : "", hint);
	return (int)e->status;
}

int report_error(const struct probes_error *e)
{
	return report_error_of(0, e);
}

const char *report_write_hint(int code)
{
	switch (code) {
	case ENOSPC:
	case EDQUOT:
		return "free disk space, or write to another disk";
	case EFBIG:
		return "raise the limit on the size of files (ulimit -f)";
	case EPIPE:
		return "its reader closed the pipe before the end";
	case EBADF:
		return "it is closed, or read-only: redirect it to a file (> FILE)";
	case ENOMEM:
		return "free some memory";
	default:
		return "write to a file on another disk";
	}
}

int report_unwritten(const char *what, int code)
{
	struct probes_error e;
	char cannot[400];

	snprintf(cannot, sizeof cannot, "cannot write %s", what);
	report_set(&e, PROBES_FAILED, -code, cannot, report_write_hint(code), "%s", strerror(code));
	return report_error(&e);
}

void report_access(const struct probes_access *access)
{
	static const char *const marks[] = {
		[PROBES_ACCESS_OK] = "ok",
		[PROBES_ACCESS_FAIL] = "FAIL",
		[PROBES_ACCESS_WHY] = "why",
		[PROBES_ACCESS_TRY] = "try",
	};

	char text[LINE / 2];

	for (size_t i = 0; i < access->count; i++) {
		const struct probes_access_check *check = &access->checks[i];

		fprintf(report_file(), "  %-4s  %s\n", marks[check->mark],
			report_try(check->as, check->text, text, sizeof text));
	}
}

void report_log(void *data, enum probes_log_level level, const char *text)
{
	const struct report_volume *volume = data;

	if (level == PROBES_LOG_DEBUG ? volume->verbose : !volume->quiet)
		report_line("%s", text);
}

void report_leftovers(struct probes_session *session)
{
	struct probes_leftover *all;
	struct probes_error e;
	int pid = probes_pid(session);
	size_t count;

	if (probes_leftovers(session, &all, &count, &e) < 0) {
		report_error(&e);
		return;
	}
	for (const struct probes_leftover *l = all; l < all + count; l++) {
		if (*l->unjudged)
			report_line("pid %d: changes of an earlier session may remain: could not "
				    "check %s",
				pid, l->unjudged);
		else if (!l->owner)
			report_line("pid %d: a session that has ended left counters at %zu site%s; "
				    "to remove them: probes-tui repair -pid %d",
				pid, l->changes, l->changes == 1 ? "" : "s", pid);
		else if (l->changes)
			report_line("pid %d: an interrupted session (pid %d) left %zu change%s%s; "
				    "undo them with: probes-tui repair -pid %d",
				pid, l->owner, l->changes, l->changes == 1 ? "" : "s",
				l->interrupted ? " and a switch half done" : "", pid);
		else if (l->interrupted)
			report_line("pid %d: a session (pid %d) was interrupted in the middle of a "
				    "switch; undo what it did with: probes-tui repair -pid %d",
				pid, l->owner, pid);
	}
	free(all);
}
