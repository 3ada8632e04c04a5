/*
 * From what people write to probes: names, expressions, everything, tags. Pure.
 * Narrowing by provider and object applies to every kind.
 */
#ifndef PROBE_SELECT_H
#define PROBE_SELECT_H

#include "probe/catalog.h"

/* One probe, chosen by one action. */
struct selected {
	size_t probe;
	enum probes_verb verb;
	bool named; /* somebody pointed at it: what would be skipped is an error */
};

/*
 * Resolve actions, in their order, into `chosen` (of struct selected). The session is only handed
 * to predicates. Status PROBES_USAGE: no such probe (with the nearest names), an ambiguous name,
 * a bad expression, one probe named twice, a pair of one probe; a provider or an object that leaves
 * nothing (with those that exist).
 */
int select_actions(const struct catalog *c, const struct probes_session *session,
	const struct probes_action *actions, size_t count,
	const struct probes_switch_options *narrow, struct array *chosen, struct probes_error *e);

/*
 * Append to `found` (of size_t) the probes that one text names, or with PROBES_BY_ALL (no text)
 * all that the narrowing leaves. No probe at all is an error (PROBES_USAGE), as above.
 */
int select_text(const struct catalog *c, enum probes_by by, const char *text,
	const struct probes_switch_options *narrow, struct array *found, struct probes_error *e);

#endif
