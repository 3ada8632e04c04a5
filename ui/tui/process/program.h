/*
 * The program that was started under the screen: its terminal, its output, its
 * end. One at most.
 */
#ifndef UI_TUI_PROCESS_PROGRAM_H
#define UI_TUI_PROCESS_PROGRAM_H

#include "probes.h"
#include "ui/tui/process/pty_relay.h"
#include "ui/tui/widgets/ring.h"

#include <stdbool.h>
#include <sys/types.h>

struct program {
	bool used; /* there is one */
	bool ends; /* with the screen */
	pid_t pid;
	int master;
	struct pty_relay keeper;
	bool output_ended;
	bool ended;
	int status; /* as waitpid gives it, once ended */
	struct ring output;
};

/* Start it, held at its beginning, on a terminal of its own. `ends`: end it with the screen. */
PROBES_CHECK int program_start(struct program *p, const char *file, char *const *args,
	const struct probes_options *options, bool ends, struct probes_session **session,
	struct probes_error *e);
/* Forget it. It keeps running, with its output going to the keeper's file; or the keeper ends it.
 */
void program_done(struct program *p);

void program_resize(struct program *p, int rows, int columns);
/* A byte for its keyboard. False: it does not read them. */
bool program_type(const struct program *p, char byte);
/* Take what it has written since. True if there was something. */
bool program_read(struct program *p);
/* Look whether it has ended. True if it just did. */
bool program_reap(struct program *p);
/* "exited with status 3", "was ended by signal 15 (Terminated)". Returns out. */
const char *program_end(const struct program *p, char *out, size_t size);
/* Ask it (SIGTERM) or force it (SIGKILL) to end. */
void program_signal(const struct program *p, int signal);

#endif
