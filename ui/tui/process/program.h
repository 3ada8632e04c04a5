/*
 * The program started under the screen: its pty, its output, its exit status.
 * At most one.
 */
#ifndef UI_TUI_PROCESS_PROGRAM_H
#define UI_TUI_PROCESS_PROGRAM_H

#include "probes.h"
#include "ui/options.h"
#include "ui/tui/process/pty_relay.h"
#include "ui/tui/widgets/ring.h"

#include <stdbool.h>
#include <sys/types.h>

struct program {
	bool used; /* a program was started */
	bool ends; /* together with the screen */
	pid_t pid;
	int master; /* of its pty */
	struct pty_relay relay;
	bool output_ended;
	bool ended;
	int status; /* as from waitpid, once ended */
	struct ring output;
};

/* Start o->prog on a new pty, held before its first instruction; probes_resume starts it. */
PROBES_CHECK int program_start(struct program *p, const struct options *o,
	const struct probes_options *engine, struct probes_session **session,
	struct probes_error *e);
/* Release the pty. The relay continues, and saves the output or ends the program. */
void program_done(struct program *p);

void program_resize(struct program *p, int rows, int columns);
/* Type one byte. False: the program does not read its input. */
bool program_type(const struct program *p, char byte);
/* Read new output. True: there was some, or its end. */
bool program_read(struct program *p);
/* Reap the program if it has ended. True: it just ended. */
bool program_reap(struct program *p);
/* "exited with status 3", "was ended by signal 15 (Terminated)". Returns out. */
const char *program_end(const struct program *p, char *out, size_t size);
/* Signal the program's process group: SIGTERM or SIGKILL. */
void program_signal(const struct program *p, int signal);

#endif
