/*
 * The ACTIONS of a command line (-enable, -disable-regexp, ...) as the engine's
 * struct probes_action, in the order they were given.
 */
#ifndef UI_ACTIONS_H
#define UI_ACTIONS_H

#include "probes.h"

/* All zero is an empty list. The texts belong to it; actions_done frees them. */
struct actions {
	struct probes_action *items;
	size_t count;
	const char *group; /* the option that decided which group this call uses, or NULL */
};

/*
 * Add what one option asks for. "option" is its name without dash, for error
 * texts; it must outlive the list. The value is a comma separated list of names
 * (PROBES_BY_NAME), two names (PROBES_BY_PAIR), an expression
 * (PROBES_BY_REGEXP) or NULL (PROBES_BY_ALL). Options of two groups in one
 * call, empty names and equal names in a pair are PROBES_USAGE errors.
 */
PROBES_CHECK int actions_add(struct actions *a, const char *option, enum probes_verb verb,
	enum probes_by by, const char *value, struct probes_error *e);

/* The rules over the whole list: no name twice, none to be both enabled and disabled. */
PROBES_CHECK int actions_check(const struct actions *a, struct probes_error *e);

void actions_done(struct actions *a);

#endif
