/*
 * The scan for processes with probes: in rounds over all processes, one process per step,
 * so that the screen stays responsive. A result is kept while the process stays the same
 * (pid, start time, name).
 */
#ifndef UI_TUI_PROCESS_SCAN_H
#define UI_TUI_PROCESS_SCAN_H

#include "probes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scan_kind {
	SCAN_PROBES, /* has probes, or objects that could not be read */
	SCAN_NONE,
	SCAN_DENIED, /* may not be inspected */
};

/* One process running one program. */
struct scan_identity {
	pid_t pid;
	unsigned long long start; /* clock ticks after boot */
	char comm[16];            /* raw, to compare */
};

/* False, with errno: no such process, or a shortage of descriptors or memory. */
bool scan_identify(pid_t pid, struct scan_identity *id);
bool scan_same(const struct scan_identity *a, const struct scan_identity *b);

/* A process that was scanned. Texts are safe for the terminal. Its index is its identity. */
struct scan_process {
	struct scan_identity id;
	char user[24];
	char command[160];
	char all[224]; /* "pid user command", for filters and searches */
	enum scan_kind kind;
	size_t probes;
	bool more;   /* there are more than `probes` */
	bool unread; /* has unread objects: there may be more probes */
	bool may_read;
	bool may_switch; /* and there is something to switch, as far as is known */
	bool gone, tagged;
	unsigned round; /* the last one that saw it */
};

struct scan {
	const char *comm; /* only processes of this name, or NULL */
	struct scan_process *all;
	size_t count, capacity;
	pid_t *pids; /* of the current round; NULL between rounds */
	size_t pid_count, pid_at;
	unsigned rounds;              /* completed */
	int64_t next_ms;              /* start of the next round */
	size_t listed, none, denied;  /* processes by kind, except gone ones */
	size_t unread;                /* listed processes with unread objects */
	struct probes_error shortage; /* of descriptors or memory: this round skipped processes;
					 code 0: none */
};

void scan_done(struct scan *s);

/* Look at the next process of the round, or start a round if it is due. True: the list or the
 * counts changed. */
bool scan_step(struct scan *s, int64_t now_ms);
/* Milliseconds until scan_step has work to do; 0: now. */
int64_t scan_wait(const struct scan *s, int64_t now_ms);

#endif
