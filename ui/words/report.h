/*
 * Messages on standard error: errors, notices, and access checks. Every message is escaped here
 * and takes one line.
 */
#ifndef UI_WORDS_REPORT_H
#define UI_WORDS_REPORT_H

#include "probes.h"

/* Fill an error; "why" is a printf format, hint may be "". Returns code, a negative errno. */
__attribute__((format(printf, 6, 7))) int report_set(struct probes_error *e,
	enum probes_status status, int code, const char *what, const char *hint, const char *why,
	...);

/* Fill an error about an option's value: "-OPTION: "VALUE" WHY". Returns -EINVAL. */
int report_bad_value(struct probes_error *e, const char *option, const char *value, const char *why,
	const char *hint);

/* Remember the call that was typed, which report_try repeats. At most once. */
void report_call(int argc, char *const *argv);

/*
 * What to try, safe for a terminal: the call that was typed, after `as` if that is not empty
 * ("sudo"), else the hint. Returns out.
 */
const char *report_try(const char *as, const char *hint, char *out, size_t size);

/* "probes-tui: WHAT: WHY; TRY"; pid: "probes-tui: pid N: ...". */
void report_error(const struct probes_error *e);
void report_error_of(pid_t pid, const struct probes_error *e);

/* "probes-tui: TEXT" */
__attribute__((format(printf, 1, 2))) void report_line(const char *format, ...);

/* "  TEXT", a continuation of the line above. */
__attribute__((format(printf, 1, 2))) void report_more(const char *format, ...);

/* Which access to a process is permitted, and why not: one line per check. */
void report_access(const struct probes_access *access);

/* Which lines of the engine's log are printed. */
struct report_volume {
	bool quiet;   /* no notices */
	bool verbose; /* debug lines too */
};
/* A log function for struct probes_options; data is a struct report_volume. */
void report_log(void *data, enum probes_log_level level, const char *text);

/* Report, one line each, the killed sessions that left changes in this process. */
void report_leftovers(struct probes_session *session);

#endif
