/*
 * Children by fork that inherited what this session had switched, and that are
 * no part of the list: shown as a number, taken back on request and at the end.
 */
#ifndef UI_TUI_APP_FORKED_CHILDREN_H
#define UI_TUI_APP_FORKED_CHILDREN_H

#include "ui/tui/app/app.h"

/* What was taken back in them. */
struct forked_children_sum {
	size_t processes, probes;
	size_t kept;   /* probes that could not be taken back: others may count there */
	size_t failed; /* processes where it could not be; `e` says why of the first */
	struct probes_error e;
};

/* One more; takes its session. */
void forked_children_add(struct app *a, struct probes_session *session);
/* There is nothing to undo in those that ended. */
void forked_children_forget_dead(struct app *a);
void forked_children_done(struct app *a);

bool forked_children_has(const struct app *a, pid_t pid);
/* Those that still run and hold something of ours. */
size_t forked_children_count(const struct app *a);
/* Of those, the probes. */
size_t forked_children_changed(const struct app *a);

/* Undo in all heirs what they inherited; adds to the sum. */
void forked_children_restore(struct app *a, const char *verb, struct forked_children_sum *sum);

/*
 * The same in those that are in the list (-follow, -tree): of what they hold only what they
 * inherited. What was switched there since they joined stays: d and u are for that.
 */
void forked_children_restore_joined(
	struct app *a, const char *verb, struct forked_children_sum *sum);
/* How many in the list came by fork with something and still hold something of this session. */
size_t forked_children_joined(const struct app *a);

/* Count a child that probes_sweep reported, with its result. */
void forked_children_count_swept(struct app *a, const struct probes_swept *swept, const char *verb,
	struct forked_children_sum *sum);

/* "swept 2 children: 6 probes", appended. Nothing where there were none. */
void forked_children_say(const struct forked_children_sum *sum, char *out, size_t size);

#endif
