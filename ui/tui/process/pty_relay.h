/*
 * The keeper of a started program's terminal: a small process of its own that
 * reads what the program writes, so that the program never blocks and never
 * loses its terminal - also while the screen is suspended, and after it has
 * quit, crashed or was killed.
 *
 * It hands what it reads to the screen. Once the screen is gone it writes to a
 * private file instead, which it creates then; or, with -end-program, it ends the
 * program. The keeper ends when the program and its children have closed the terminal.
 */
#ifndef UI_TUI_PROCESS_PTY_RELAY_H
#define UI_TUI_PROCESS_PTY_RELAY_H

#include <stdbool.h>
#include <sys/types.h>

struct pty_relay {
	pid_t pid;
	int channel;    /* output of the program is read from here; at its end: 0 bytes */
	char path[512]; /* the file, should it be needed */
};

/*
 * Start one for a pty's master, whose program is our child `pid`, the leader of its session.
 * `ends`: end the program with the screen. 0 or a negative errno.
 */
int pty_relay_start(struct pty_relay *k, int master, const char *program, pid_t pid, bool ends);

#endif
