/*
 * Mapping an arena into a process: the process makes a memfd, we fill it, the process maps it and
 * closes its descriptor. No code of the process is changed.
 */
#pragma once

#include "count/arena.h"
#include "process/identity.h"

#define INSTALL_MAPPINGS 4 /* that an arena needs, besides those of its landings */

struct start;

struct install {
	const struct identity *who;
	struct memory *memory;
	struct start *held;            /* as in struct inject_process */
	bool interrupts;               /* likewise */
	size_t mappings_left;          /* that the process may add: see space_read */
	uint64_t serial;               /* of the arena that is installed */
	struct recorder_sealed sealed; /* likewise */
	uint64_t *held_ns;             /* NULL, or to add how long a thread was held for that */
};

/*
 * Install a planned arena. On failure what was mapped so far is unmapped: nothing points to it.
 * -EEXIST: the process has mapped memory itself where the arena or a landing was planned. Status
 * PROBES_REFUSED: limits of the process, or no thread on which system calls can be run.
 * *left_open: a descriptor of the process could not be closed.
 */
int install_arena(const struct install *in, const struct tactics *t, struct arena *w,
	bool *left_open, struct probes_error *e);

/*
 * Ask a thread what a recorder must know. *pointer: its thread pointer. Refused if it may not read
 * the time stamp counter: the recorder would crash it. Runs system calls on one thread.
 */
int install_ask(
	const struct install *in, const struct arena *w, uint64_t *pointer, struct probes_error *e);

/*
 * Close the memfds that a session left open because it was killed while it installed an arena. A
 * memfd of the same name that is the program's own stays open. The caller must exclude other
 * sessions.
 */
int install_tidy(const struct install *in, struct probes_error *e);
