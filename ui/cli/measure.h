/* What count, latency and events have in common: processes or a program, the result, the end. */
#ifndef UI_CLI_MEASURE_H
#define UI_CLI_MEASURE_H

#include <stdbool.h>
#include <stdio.h>

#include "probes.h"
#include "ui/options.h"

/* Where the result goes: -output, else standard output, which belongs to a program started here.
 * NULL: it cannot be opened, which is reported. */
FILE *measure_output(const struct options *o);

/* Has the file failed, or has whoever reads it (a pipe) gone? */
bool measure_unread(FILE *file);

/* Was all of it written? If not, report why. code: the errno of an earlier failure, or 0. Returns
 * the exit status. */
int measure_written(FILE *file, const struct options *o, int code);

/* Close the file of -output. Returns `status`; if that is 0, what came of it. */
int measure_close(FILE *file, const struct options *o, int status);

/* Open the processes, or start the program. Returns the exit status. */
int measure_open(
	struct probes_group **group, const struct options *o, const struct probes_options *engine);

/*
 * The probes of the call, as one action that passes over what cannot be counted, or is counted
 * already. Free the indices.
 */
PROBES_CHECK int measure_choose(struct probes_session *session, const struct options *o,
	size_t **indices, struct probes_action *action, struct probes_error *e);

/* The program that was started here: its exit status where it has ended, else `status`. `sig`: what
 * ended the call; `ended`: what the program is no longer, "no longer counted". */
int measure_leave(const struct options *o, pid_t pid, int sig, int status, const char *ended);

#endif
