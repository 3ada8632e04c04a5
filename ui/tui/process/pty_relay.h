/*
 * The pty relay: a small process of its own that reads the pty of the started program. The
 * program never blocks on output and never loses its terminal, also while the screen is
 * suspended, and after the screen has quit, crashed or was killed.
 *
 * The relay passes the output to the screen. Once the screen is gone, the relay creates a private
 * file and writes the output there; with -end-program it ends the program instead. The relay
 * ends when the program and its children have closed the pty.
 */
#pragma once

#include <sys/types.h>

struct options;

struct pty_relay {
	pid_t pid;
	int channel;    /* read the program's output here; 0 bytes at its end */
	char path[512]; /* the file, if it is needed */
};

/*
 * Start a relay for the master of a pty. The program is our child `pid` and leads its session.
 * 0 or a negative errno.
 */
int pty_relay_start(struct pty_relay *r, int master, const struct options *o, pid_t pid);
