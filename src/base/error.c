/*
 * The texts of an error. Built here and nowhere else, so that every error has
 * all its parts; never printed here.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct probes_error *e, enum probes_status status, int code, const char *what, ...)
{
	va_list args;

	e->status = status;
	e->code = code;
	va_start(args, what);
	vsnprintf(e->what, sizeof e->what, what, args);
	va_end(args);
	snprintf(e->why, sizeof e->why, "%s", strerror(-code));
	e->hint[0] = '\0';
	return code;
}

int error_why(struct probes_error *e, const char *why, ...)
{
	va_list args;

	va_start(args, why);
	vsnprintf(e->why, sizeof e->why, why, args);
	va_end(args);
	return e->code;
}

int error_hint(struct probes_error *e, const char *hint, ...)
{
	va_list args;

	va_start(args, hint);
	vsnprintf(e->hint, sizeof e->hint, hint, args);
	va_end(args);
	return e->code;
}

int error_memory(struct probes_error *e, const char *what)
{
	return error_set(e, PROBES_FAILED, -ENOMEM, "cannot hold %s", what);
}
