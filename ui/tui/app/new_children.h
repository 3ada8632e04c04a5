/*
 * Processes that are born while the screen runs. Under -tree and -follow descendants with probes
 * join the list. Otherwise forked children that inherited what this session had switched are kept
 * apart (probes_group_look): shown as a number, undone on request and at the end.
 */
#pragma once

#include "ui/tui/app/app.h"

/* Look for births: once a second at most; and now, as before every switch and undo. */
void new_children_poll(struct app *a);
void new_children_look(struct app *a);

/* The children kept apart that run and hold a change of this session; *probes: in all of them. */
size_t new_children_children(const struct app *a, size_t *probes);

/*
 * Members of the list, from the model's process `from` on, that have inherited something and hold a
 * change of this session.
 */
size_t new_children_inheritors(const struct app *a, size_t from);

/* What was undone in children. */
struct new_children_sum {
	size_t processes, probes;
	size_t kept;   /* probes that could not be undone: others may count there */
	size_t failed; /* processes where the undo failed; `e` says why of the first */
	struct probes_error e;
};

/* Count a child that a call on the group reported, and note it in audit and record. */
void new_children_undone(struct app *a, const struct probes_undone *u, const char *verb,
	struct new_children_sum *sum);

/* "undone in 2 forked children: 6 probes. ", appended. Nothing where there were none. */
void new_children_say(const struct new_children_sum *sum, char *out, size_t size);
