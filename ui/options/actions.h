/*
 * The ACTIONS of a command line (-enable, -disable-regexp, ...) as struct
 * probes_action, in the order given.
 */
#pragma once

#include "probes.h"

/* All zero is an empty list. actions_done frees the texts. */
struct actions {
	struct probes_action *items;
	size_t count;
	const char *group; /* the first option; it decides which group this call uses; NULL: none
			      yet, or words that are no option */
};

/*
 * Add the actions of one option. "option" is its name without dash, for error
 * texts; it must outlive the list; NULL: probes named by a word that is no option. The value is a
 * comma separated list of names (PROBES_BY_NAME), two names (PROBES_BY_PAIR), an expression
 * (PROBES_BY_REGEXP) or NULL (PROBES_BY_ALL). PROBES_USAGE errors: options of two
 * groups in one call, a second expression for one verb, empty names, equal names in a pair.
 */
PROBES_CHECK int actions_add(struct actions *a, const char *option, enum probes_verb verb,
	enum probes_by by, const char *value, struct probes_error *e);

/* Check the whole list: no name appears twice. */
PROBES_CHECK int actions_check(const struct actions *a, struct probes_error *e);

void actions_done(struct actions *a);
