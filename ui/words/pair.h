/* Pairs by their names: X_start/X_end, X_begin/X_done, X__entry/X__return... Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum pair_role { PAIR_NEITHER, PAIR_START, PAIR_END };

/*
 * Which half of a pair a name is, by its last word. *stem is the length of the name before that
 * word.
 */
enum pair_role pair_role(const char *name, size_t *stem);

/*
 * Write the partner's name to out: the first possible name that `exists` accepts. Returns the role
 * of `name`; PAIR_NEITHER if it has no partner.
 */
enum pair_role pair_partner(const char *name, bool (*exists)(void *data, const char *name),
	void *data, char *out, size_t size);
