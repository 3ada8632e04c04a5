/*
 * Looking through all processes for those that hold probes, one at a time, so
 * that keys are answered meanwhile. What was learned of a process is kept as
 * long as it stays the same (pid, start, name).
 */
#ifndef UI_TUI_PROCESS_SCAN_H
#define UI_TUI_PROCESS_SCAN_H

#include "probes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scan_kind {
	SCAN_PROBES, /* it holds some, or may: it has objects that could not be read */
	SCAN_NONE,
	SCAN_DENIED, /* may not be looked at */
};

/* Which process, as which program. */
struct scan_identity {
	pid_t pid;
	unsigned long long start; /* clock ticks after boot */
	char comm[16];            /* raw, to compare */
};

/* False: it is not there. */
bool scan_identify(pid_t pid, struct scan_identity *id);
bool scan_same(const struct scan_identity *a, const struct scan_identity *b);

/* Texts are safe for the terminal. Its number in the scan is its identity. */
struct scan_process {
	struct scan_identity id;
	char user[24];
	char command[160];
	char all[224]; /* "pid user command": what filters look at */
	enum scan_kind kind;
	size_t probes;
	bool more;   /* than `probes` */
	bool unread; /* objects: there may be more */
	bool may_read, may_switch;
	bool gone, tagged;
	unsigned round; /* in which it was seen last */
};

struct scan {
	const char *comm; /* only processes of this name, or NULL */
	struct scan_process *all;
	size_t count, capacity;
	pid_t *pids; /* of the round that is under way */
	size_t pid_count, pid_at;
	unsigned rounds;             /* finished */
	int64_t next_ms;             /* when the next round begins */
	size_t listed, none, denied; /* by kind, of those not gone */
	size_t unread;               /* of those listed */
	struct probes_error trouble; /* the shortage of descriptors or memory because of which this
					round skipped processes; code 0: none */
};

void scan_done(struct scan *s);

/* Look at the next process, if there is one to look at now. True: what is shown has changed. */
bool scan_step(struct scan *s, int64_t now_ms);
/* Milliseconds until there is something to do; 0: now. */
int64_t scan_wait(const struct scan *s, int64_t now_ms);

#endif
