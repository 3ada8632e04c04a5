/*
 * Pairs, seen from names: X_start/X_end, X_begin/X_done, X__entry/X__return...
 * Pure.
 */
#ifndef UI_TUI_ROWS_PAIR_H
#define UI_TUI_ROWS_PAIR_H

#include <stdbool.h>
#include <stddef.h>

enum pair_role { PAIR_NEITHER, PAIR_START, PAIR_END };

/*
 * Which half a name is, by its last word. *stem is the length of what comes
 * before that word.
 */
enum pair_role pair_role(const char *name, size_t *stem);

/*
 * The partner's name: the first of those possible that `exists` accepts.
 * Returns the role of `name`; PAIR_NEITHER if there is no partner.
 */
enum pair_role pair_partner(const char *name, bool (*exists)(void *data, const char *name),
	void *data, char *out, size_t size);

#endif
