#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

bool error_is_shortage(int code)
{
	return code == -EMFILE || code == -ENFILE || code == -ENOMEM;
}

void error_explain_shortage(int code, char *why, size_t why_size, char *hint, size_t hint_size)
{
	struct rlimit limit = {0};

	snprintf(hint, hint_size, "%s", "");
	if (code == -EMFILE) {
		getrlimit(RLIMIT_NOFILE, &limit);
		snprintf(why, why_size, "%s has no file descriptors left (limit %llu)",
			program_invocation_short_name, (unsigned long long)limit.rlim_cur);
		if (limit.rlim_cur < limit.rlim_max)
			snprintf(hint, hint_size, "raise the limit: ulimit -n %llu",
				(unsigned long long)limit.rlim_max);
		else
			snprintf(hint, hint_size, "have root raise the hard limit (ulimit -Hn)");
	} else if (code == -ENFILE) {
		snprintf(why, why_size, "this machine has no file descriptors left");
		snprintf(hint, hint_size,
			"raise fs.file-max, or end a process that holds many files");
	} else {
		snprintf(why, why_size, "%s has no memory left", program_invocation_short_name);
		if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
			snprintf(hint, hint_size, "its limit is %llu MiB (ulimit -v)",
				(unsigned long long)limit.rlim_cur >> 20);
	}
}

int error_set(struct probes_error *e, enum probes_status status, int code, const char *what, ...)
{
	va_list args;

	e->status = error_is_shortage(code) ? PROBES_FAILED : status;
	e->code = code;
	va_start(args, what);
	vsnprintf(e->what, sizeof e->what, what, args);
	va_end(args);
	snprintf(e->why, sizeof e->why, "%s", strerror(-code));
	e->hint[0] = e->as[0] = '\0';
	if (error_is_shortage(code))
		error_explain_shortage(code, e->why, sizeof e->why, e->hint, sizeof e->hint);
	return code;
}

int error_why(struct probes_error *e, const char *why, ...)
{
	va_list args;

	if (error_is_shortage(e->code))
		return e->code;
	va_start(args, why);
	vsnprintf(e->why, sizeof e->why, why, args);
	va_end(args);
	return e->code;
}

int error_hint(struct probes_error *e, const char *hint, ...)
{
	va_list args;

	if (error_is_shortage(e->code))
		return e->code;
	e->as[0] = '\0';
	va_start(args, hint);
	vsnprintf(e->hint, sizeof e->hint, hint, args);
	va_end(args);
	return e->code;
}

int error_remains(struct probes_error *e, const char *hint, ...)
{
	size_t used = strlen(e->hint);
	va_list args;

	e->as[0] = '\0';
	if (used)
		used += (size_t)snprintf(e->hint + used, sizeof e->hint - used, "; ");
	va_start(args, hint);
	if (used < sizeof e->hint)
		vsnprintf(e->hint + used, sizeof e->hint - used, hint, args);
	va_end(args);
	return e->code;
}

int error_fork(struct probes_error *e, int code, const char *what, ...)
{
	char text[sizeof e->what];
	va_list args;

	va_start(args, what);
	vsnprintf(text, sizeof text, what, args);
	va_end(args);
	error_set(e, PROBES_FAILED, code, "%s", text);
	if (code != -EAGAIN)
		return code;
	/* fork(2), EAGAIN: which limit was met is not told. */
	error_why(e, "no more processes can be started");
	return error_hint(
		e, "raise ulimit -u or pids.max of the cgroup, or end some of your processes");
}

int probes_failed(struct probes_error *e, int code, const char *what)
{
	return error_set(e, PROBES_FAILED, code, "%s", what);
}

bool probes_is_shortage(const struct probes_error *e)
{
	return error_is_shortage(e->code);
}

int error_memory(struct probes_error *e, const char *what)
{
	return error_set(e, PROBES_FAILED, -ENOMEM, "cannot hold %s", what);
}
