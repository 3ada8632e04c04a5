/*
 * Carrying out a plan: batch by batch, verify, write, read back. All or nothing. Everything is laid
 * out in advance.
 */
#pragma once

#include "patch/verify.h"

struct apply {
	struct verify verify;
	size_t written;   /* how many of the plan's edits are in the process now */
	bool barred;      /* a write to code was forbidden; all is as it was before */
	bool *unreverted; /* per edit: made, and could not be undone. Shared memory, since a helper
			     process may do the work (process/stop.h) */
	/* Of the semaphores of one batch, while the batch is undone. */
	struct verify_change undone[VERIFY_BATCH];
	size_t bounded; /* counts that could not be undone exactly: others had changed them */
};

/* Lay out the batches of a plan, which must outlive them; apply_run allocates nothing. */
int apply_init(struct apply *a, const struct plan *plan, struct probes_error *e);
void apply_done(struct apply *a);

/*
 * Verify, write and read back. If a byte is not what the plan expects, nothing of its batch is
 * written, and what was written before is undone; likewise when a write fails. Code is undone by
 * its old bytes. The undo of a semaphore removes only our part of the count, never that of a live
 * uprobe, and stays between 0 and the limit. The error says which address held what, and whether
 * the undo is incomplete or not exact.
 */
int apply_run(struct apply *a, struct memory *m, struct probes_error *e);
