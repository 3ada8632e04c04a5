/*
 * The processes (or the one file) that a call is about, each with a session.
 */
#ifndef UI_TARGETS_H
#define UI_TARGETS_H

#include "probes.h"
#include "ui/options.h"
#include "ui/report.h"

/* One process. session is NULL where it could not be opened; error says why. */
struct target {
	pid_t pid; /* 0: a file */
	struct probes_session *session;
	struct probes_error error;
};

struct targets {
	struct target *items;
	size_t count;
};

/*
 * Open what -pid, -tree, -comm or -prog (as a file: nothing is started) name.
 * Fails only where there is nothing to try (-tree of no process, -comm that none
 * has, no memory); a process that cannot be opened is an item with session NULL.
 * Of a tree or a name, processes without probes are left out, unless none has
 * any: then the first stays. Say targets_close in either case.
 */
PROBES_CHECK int targets_open(struct targets *t, const struct options *o,
	const struct probes_options *engine, struct probes_error *e);
/*
 * What the engine is to be opened with: -read-only, whether changes are meant to
 * stay, and a log that goes to standard error. The volume is filled here and must live as long as a
 * session.
 */
struct probes_options targets_engine(const struct options *o, struct report_volume *volume);

/* One more that was opened elsewhere; it is closed with the others. */
void targets_add(struct targets *t, struct probes_session *session);

/* Give a session up without closing it: what it has on record stays for repair. */
void targets_abandon(struct target *t);

void targets_close(struct targets *t);

#endif
