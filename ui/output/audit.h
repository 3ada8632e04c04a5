/* The audit trail: one line per change in syslog and in -log FILE. */
#pragma once

#include "probes.h"
#include "ui/options/options.h"

struct audit {
	bool syslog;
	int fd; /* of -log FILE, or -1 */
};

/* Open what the options ask for; fails if -log FILE cannot be written or is no regular file. */
PROBES_CHECK int audit_open(struct audit *a, const struct options *o, struct probes_error *e);
void audit_close(struct audit *a);

/*
 * Record one change: user, pid, program, counts, and as many probes as fit. "verb" is the origin
 * of the change: "attach", "trace", "screen", "undo". Records nothing if the result wrote
 * nothing; do not call it for a dry run. Fails only if the log file cannot be written.
 */
PROBES_CHECK int audit_note(struct audit *a, const char *verb, const struct probes_session *session,
	const struct probes_result *result, struct probes_error *e);

/* Record a mark that the user set while watching a process. Errors as for audit_note. */
PROBES_CHECK int audit_mark(struct audit *a, const struct probes_session *session, const char *text,
	struct probes_error *e);
