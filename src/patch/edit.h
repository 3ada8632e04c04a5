/*
 * The edit (struct probes_edit, probes.h): one change of a process's memory. A plan computes edits,
 * verify compares them with the process, apply writes and undoes them, a journal records them, a
 * repair reads them back. The role alone decides how an edit is verified and undone.
 *
 * An edit holds at most PROBES_EDIT_BYTES. A trampoline is longer: it will have a role of its own,
 * and keep its bytes outside the edit.
 */
#pragma once

#include "probes.h"

/* The two bytes of a count. */
static inline unsigned edit_value(const uint8_t bytes[2])
{
	return bytes[0] | (unsigned)bytes[1] << 8;
}

/* What an edit adds to a count; 0 for every role that does not count. */
static inline int32_t edit_delta(const struct probes_edit *edit)
{
	if (edit->role != PROBES_ROLE_SEMAPHORE)
		return 0;
	return (int32_t)edit_value(edit->new_) - (int32_t)edit_value(edit->old);
}

static inline struct probes_edit edit_semaphore(uint64_t address, unsigned from, unsigned to)
{
	return (struct probes_edit){.address = address,
		.length = 2,
		.role = PROBES_ROLE_SEMAPHORE,
		.old = {(uint8_t)from, (uint8_t)(from >> 8)},
		.new_ = {(uint8_t)to, (uint8_t)(to >> 8)}};
}
