/*
 * Hand-over: command lines with which other tools trace a probe, above all one that has nothing to
 * switch here.
 */
#pragma once

#include "probes.h"

#define HANDOVER_MOST 16 /* probes of one command */

/* Some probes of one object of a process, and how other tools reach that object. */
struct handover {
	pid_t pid;
	const char *path;       /* as in /proc/PID/maps, raw */
	bool executable;        /* the program itself, not a library */
	bool deleted;           /* nothing has this path any more, or another file */
	bool elsewhere;         /* in the root of the process only, as in a container */
	unsigned long long map; /* the start and the end of one of its mappings; 0: not known */
	unsigned long long map_end;
	const struct probes_probe *probes[HANDOVER_MOST];
	size_t count;
};

enum handover_tool { HANDOVER_BPFTRACE, HANDOVER_GDB, HANDOVER_PERF, HANDOVER_COUNT };

/* What to know of a tool's command: what it does, and what it does to the process. */
const char *handover_about(const struct handover *h, enum handover_tool tool);

/*
 * The command line, quoted for a shell; the caller frees it. gdb and perf: of the first probe.
 * NULL: the tool cannot reach the object, or does not take the names. Pure.
 */
char *handover_command(const struct handover *h, enum handover_tool tool);

/* Fill all but the probes, for the object of one of them; looks into /proc. False: it is no
 * process. */
bool handover_look(struct handover *h, const struct probes_session *session, size_t probe);
