/* A session on a usual world (script.h); its process, as far as anybody asks, is our own. */
#ifndef UNIT_SESSION_WORLD_H
#define UNIT_SESSION_WORLD_H

#include "script.h"
#include "session/session.h"

struct session_world {
	struct world w;
	struct probes_session s;
	unsigned char *before; /* a snapshot of the beginning */
	char runtime[64];
	char records[80]; /* PROBES_TUI_RECORDS: below runtime */
	char said[600];   /* all notices */
};

void session_begin(struct session_world *x, const char *setup);
void session_end(struct session_world *x);

/* Switch one probe by its name; session_must: which works, or the test ends. */
int session_do(struct session_world *x, enum probes_verb verb, const char *name,
	const struct probes_switch_options *o, struct probes_result **result,
	struct probes_error *e);
void session_must(struct session_world *x, enum probes_verb verb, const char *name);
void session_must_restore(struct session_world *x);

/* The journal of a session that was killed after it had said so of one count (WORLD_DATA). */
void session_leave_record(const struct session_world *x, uint64_t count, enum journal_kind kind,
	unsigned old, unsigned new_);

/* Is all memory as it was at the beginning? */
bool session_as_found(const struct session_world *x);

#endif
