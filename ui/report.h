/*
 * What is said on standard error: errors in one form, notices, and why
 * something is not permitted. Everything is escaped here and stays one line.
 */
#ifndef UI_REPORT_H
#define UI_REPORT_H

#include "probes.h"

/*
 * Fill an error; "why" is a printf format. hint may be "". Returns code, which is a negative
 * errno, so that a caller can return it at once.
 */
__attribute__((format(printf, 6, 7))) int report_set(struct probes_error *e,
	enum probes_status status, int code, const char *what, const char *hint, const char *why,
	...);

/* A wrong call: the value of an option, whose name is without dashes; why goes on after the value.
 * Returns -EINVAL. */
int report_bad_value(struct probes_error *e, const char *option, const char *value, const char *why,
	const char *hint);

/* "probes-tui: WHAT: WHY; TRY" */
void report_error(const struct probes_error *e);

/* "probes-tui: TEXT" */
__attribute__((format(printf, 1, 2))) void report_line(const char *format, ...);

/* "  TEXT", a line that belongs to the one before it. */
__attribute__((format(printf, 1, 2))) void report_more(const char *format, ...);

/* What may be done with a process and why not, check by check. */
void report_access(const struct probes_access *access);

/* How loud the engine's log is: for struct probes_options. */
struct report_volume {
	bool quiet;   /* no notices */
	bool verbose; /* debug lines too */
};
/* A log function for struct probes_options; data is a struct report_volume. */
void report_log(void *data, enum probes_log_level level, const char *text);

#endif
