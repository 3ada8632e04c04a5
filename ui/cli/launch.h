/* What trace and count have in common: a program that is started here, and its end. */
#pragma once

#include "ui/cli/act.h"

/*
 * Start the program of the call, and hold it before any instruction that could hit a probe; a
 * launcher is followed to its program. Returns the exit status, with all of it reported; t->session
 * may be set in either case: close it.
 */
int launch_start(
	struct probes_member *t, const struct options *o, const struct probes_options *engine);

/* Wait for the program's end; its exit status, 128 + the signal where one ended it. */
int launch_wait(pid_t pid);
