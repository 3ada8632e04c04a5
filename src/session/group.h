/* The inside of a group of sessions; for group.c, fork.c and sweep.c alone. */
#pragma once

#include "process/tree.h"
#include "session/session.h"

/*
 * The session that a process is a copy of by fork, of those that had switched before the fork; the
 * session of its parent pid is preferred. NULL: none. *program: as in struct identity; 0: the
 * process could not be examined (errno), and only its parent pid and start time speak for the
 * answer.
 */
const struct probes_session *fork_origin(struct probes_session *const *sessions, size_t count,
	const struct tree_link *link, uint64_t *program);

/* Is it a forked child of the parent session's process, with memory of its own? */
bool fork_is_child(const struct probes_session *child, const struct probes_session *parent);

/*
 * Make the changes that a forked child inherited of the parent session's net change changes of the
 * child's session, and record them: switch_restore_until undoes them there. A count is taken over
 * only if it is the same in both, or if it is a value that the parent session's last change read or
 * wrote (the fork may fall into the middle of that change; `after`: it does not). Appends every
 * other count to `doubt` (struct probes_edit: its value without and with the session's part).
 * *count: probes taken over; 0 if it is no forked child.
 */
int fork_inherit(struct probes_session *child, struct probes_session *parent, bool after,
	struct array *doubt, size_t *count, struct probes_error *e);

/* Was the child born after the parent session's last change? */
bool fork_is_after(uint64_t start_time, const struct probes_session *parent);

/* Did the parent's session ever count there? */
bool fork_counted(const struct probes_session *parent);

/* Append to `doubt` all that a child of the parent may have inherited. False: no memory. */
bool fork_doubt_all(const struct probes_session *parent, struct array *doubt);

/*
 * Undo, after an undo in the sessions, what their forked children inherited: see
 * probes_group_sweep. `options`: to open the children with.
 */
int sweep_run(struct probes_session *const *sessions, size_t count,
	const struct probes_options *options, probes_undone_fn *each, void *data,
	struct probes_error *e);
