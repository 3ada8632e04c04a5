/*
 * From actions to probes: by name, expression, pair, index or predicate, or all. Narrowing by
 * provider and object applies to each but the index. Pure.
 */
#pragma once

#include "probe/catalog.h"

/* One probe, selected by one action. */
struct selected {
	size_t probe;
	enum probes_verb verb;
	bool named; /* by hand: what would be skipped is an error */
};

/*
 * Append what the actions select, in their order, to `chosen` (struct selected). The session is
 * passed on to predicates. Status PROBES_USAGE: no such probe (with similar names), an ambiguous
 * name, a bad expression, one probe named twice, a pair of one probe, a provider or an object that
 * leaves no probe (with those that exist).
 */
int select_actions(const struct catalog *c, const struct probes_session *session,
	const struct probes_action *actions, size_t count,
	const struct probes_switch_options *narrow, struct array *chosen, struct probes_error *e);

/*
 * Append to `found` (size_t) the probes that one name or (PROBES_BY_REGEXP) expression selects, or
 * with PROBES_BY_ALL (text is ignored) all that the narrowing leaves. Fails like select_actions.
 */
int select_text(const struct catalog *c, enum probes_by by, const char *text,
	const struct probes_switch_options *narrow, struct array *found, struct probes_error *e);

/* Write up to three names like this one, "a:x, b:y", into out; "" if none is similar. */
void select_nearest(const struct catalog *c, const char *text, char *out, size_t size);
