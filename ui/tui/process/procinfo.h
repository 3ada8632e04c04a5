/*
 * What /proc says about a process: name, start time, uptime, threads.
 */
#ifndef UI_TUI_PROCESS_PROCINFO_H
#define UI_TUI_PROCESS_PROCINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct procinfo {
	char comm[16];            /* raw */
	unsigned long long start; /* clock ticks after boot */
	long up_seconds;          /* since the start; -1: unknown */
	long threads;             /* -1: unknown */
};

/* Read /proc/PID/stat. False: no such process, or errno if the file could not be opened. */
bool procinfo_read(struct procinfo *info, pid_t pid);

/* Read the beginning of /proc/PID/NAME, NUL-terminated. Returns its length; 0 and errno if the file
 * could not be opened. */
size_t procinfo_file(pid_t pid, const char *name, char *out, size_t size);

/* "9d 4h", "3h 12m", "5m", "<1m" or "-". Returns out. */
const char *procinfo_span(long seconds, char *out, size_t size);

#endif
