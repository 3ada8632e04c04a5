/*
 * Carrying out a plan: everything is laid out first, then it is looked,
 * written, read back, batch by batch. All or nothing.
 */
#ifndef PATCH_APPLY_H
#define PATCH_APPLY_H

#include "patch/verify.h"

struct apply {
	struct verify verify;
	size_t written; /* how many of the plan's writes are in the process now */
	bool barred;    /* a write to code was forbidden; all is as it was before */
	bool *left;     /* per write: made, and could not be undone. Shared memory, since a
			   helper process may do the work (process/stop.h) */
	struct verify_change
		undone[VERIFY_BATCH]; /* of the counts of one batch, while it is undone */
	size_t bounded; /* counts that could not be undone exactly: others had changed them */
};

/* Lay out batches and buffers; nothing is allocated later. */
int apply_init(struct apply *a, const struct plan *plan, struct probes_error *e);
void apply_done(struct apply *a);

/*
 * Look, write, read back. If a byte is not what the plan expects nothing of its batch is written,
 * and what was written before is undone; likewise when a write fails. The undo removes only our
 * part of a count, never that of a live uprobe, and stays between 0 and the limit. The error says
 * which address held what, and whether the undo is incomplete or not exact.
 */
int apply_run(struct apply *a, struct memory *m, struct probes_error *e);

#endif
