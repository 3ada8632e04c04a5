/*
 * Messages on standard error: errors, notices, and access checks. Every message is escaped here
 * and takes one line.
 */
#pragma once

#include <stdio.h>

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

/* "probes-tui: WHAT: WHY; TRY"; pid: "probes-tui: pid N: ...". Both return the exit status. */
int report_error(const struct probes_error *e);
int report_error_of(pid_t pid, const struct probes_error *e);

/* "probes-tui: cannot write WHAT: WHY; TRY", of the errno of a write. Returns the exit status. */
int report_unwritten(const char *what, int code);
const char *report_write_hint(int code);

/* "probes-tui: TEXT"; "  TEXT", a continuation of the line above. */
#define report_line(...) report_after("probes-tui: ", __VA_ARGS__)
#define report_more(...) report_after("  ", __VA_ARGS__)
__attribute__((format(printf, 2, 3))) void report_after(
	const char *prefix, const char *format, ...);

/* Where all of these go from now on, line by line, instead of to standard error. */
void report_to(FILE *stream);

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
