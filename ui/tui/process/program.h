/*
 * The program started under the screen: its pty, the emulator of its terminal, its exit status.
 * At most one.
 *
 * Its terminal has one size, whatever part of it is shown: that of the view of its own (o).
 */
#pragma once

#include "probes.h"
#include "ui/options/options.h"
#include "ui/tui/process/pty_relay.h"
#include "ui/tui/widgets/emulator.h"

struct program {
	bool used; /* a program was started */
	bool ends; /* together with the screen */
	pid_t pid;
	int master; /* of its pty */
	struct pty_relay relay;
	bool output_ended;
	bool ended;
	int status; /* as from waitpid, once ended */
	struct emulator *terminal;
	char *unsent; /* typed, and not taken by the pty yet: a paste is larger than its buffer */
	size_t unsent_count;
	char *unfed; /* output that the emulator has not been fed yet */
	size_t unfed_first, unfed_count;
};

/* Start o->prog on a new pty, held before its first instruction; probes_resume starts it.
 * A launcher is followed to its program first. */
PROBES_CHECK int program_start(struct program *p, const struct options *o,
	const struct probes_options *engine, struct probes_session **session,
	struct probes_error *e);
/* Release the pty. The relay continues, and saves the output or ends the program. */
void program_done(struct program *p);

void program_resize(struct program *p, int rows, int columns);
/* Type some keys at once, as emulator_key takes them. False: the program does not read its input.
 */
bool program_type(struct program *p, const uint32_t *keys, size_t count);
/* Is there something typed that waits for the program to read? Poll `master` for POLLOUT then. */
bool program_unsent(const struct program *p);
/* Read new output, for some milliseconds. True: there was some, or its end. */
bool program_read(struct program *p);
/* Is there output that was read, for which the time of program_read did not last? */
bool program_behind(const struct program *p);
/* Reap the program if it has ended. True: it just ended. */
bool program_reap(struct program *p);
/* "exited with status 3", "was killed by signal 15 (Terminated)". Returns out. */
const char *program_end(const struct program *p, char *out, size_t size);
/* Signal the program's process group: SIGTERM or SIGKILL. */
void program_signal(const struct program *p, int signal);
