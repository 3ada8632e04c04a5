/*
 * Runs a new program, stopped at its exec by the calling thread, to its beginning: every library is
 * mapped and relocated, and none of its own code has run, constructors included. `file` names it in
 * messages.
 */
#pragma once

#include "probes.h"

/*
 * It is held there. -ECHILD: it ended before; -ENOSYS: it is still stopped at its exec, because its
 * dynamic linker has no place to stop at.
 */
int run_to_entry_reach(pid_t pid, const char *file, struct probes_error *e);

/* The error of a program that ended before its beginning: status as from waitpid. Returns -ECHILD.
 */
int run_to_entry_never(const char *file, int status, struct probes_error *e);
