/*
 * What the header says about a process beside its probes: how long it runs,
 * how many threads it has.
 */
#ifndef UI_TUI_PROCESS_PROCINFO_H
#define UI_TUI_PROCESS_PROCINFO_H

#include <stddef.h>
#include <sys/types.h>

struct procinfo {
	long up_seconds; /* -1: not known */
	long threads;    /* -1: not known */
};

void procinfo_read(struct procinfo *info, pid_t pid);
/* "9d 4h", "3h 12m", "5m", "<1m" or "-". Returns out. */
const char *procinfo_span(long seconds, char *out, size_t size);

#endif
