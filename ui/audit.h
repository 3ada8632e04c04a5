/*
 * The trace that a change leaves for the next engineer: syslog and -log FILE.
 */
#ifndef UI_AUDIT_H
#define UI_AUDIT_H

#include "probes.h"
#include "ui/options.h"

struct audit {
	bool syslog;
	int fd; /* of -log FILE, or -1 */
};

/* Open what the options ask for; fails where -log FILE cannot be written or is no regular file. */
PROBES_CHECK int audit_open(struct audit *a, const struct options *o, struct probes_error *e);
void audit_close(struct audit *a);

/*
 * Note that something was done with a process: user, pid, program, the probes
 * (as many as fit) and how it went. "verb" is what asked for it: "attach",
 * "trace", "screen", "undo". Says nothing where the result wrote nothing; do
 * not call it for a dry run. Fails only where the log file cannot be written.
 */
PROBES_CHECK int audit_note(struct audit *a, const char *verb, const struct probes_session *session,
	const struct probes_result *result, struct probes_error *e);

/* Note a mark that somebody put while looking at a process. */
PROBES_CHECK int audit_mark(struct audit *a, const struct probes_session *session, const char *text,
	struct probes_error *e);

#endif
