/* The command line of a process, for people. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/*
 * The words of a process with blanks between, the first without its directory; "[COMM]", as ps(1),
 * where there are none. Raw: the process chose it. Cut to fit.
 */
void cmdline_read(pid_t pid, const char *comm, char *out, size_t size);
