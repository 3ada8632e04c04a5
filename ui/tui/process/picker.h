/*
 * The processes with probes. The scan goes in rounds over all processes, one process per step, so
 * that the screen stays responsive; a result is kept while the process stays the same (pid, start
 * time, name). The list: these results, filtered, with a cursor, a search and tags. No curses.
 */
#pragma once

#include "probes.h"
#include "ui/tui/rows/filter.h"
#include "ui/tui/widgets/input.h"
#include "ui/tui/widgets/rowlist.h"
#include "ui/tui/widgets/search.h"

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
	bool may_count;
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

/* Look at the next process of the round, or start a round if it is due. True: the list or the
 * counts changed. */
bool scan_step(struct scan *s, int64_t now_ms);
/* Milliseconds until scan_step has work to do; 0: now. */
int64_t scan_wait(const struct scan *s, int64_t now_ms);

struct picker {
	bool used; /* the command line named no process */
	struct scan scan;
	struct rowlist rows; /* indices of scan.all */
	struct filter *filter;
	struct search search;
	bool changed;     /* since it was drawn */
	int64_t drawn_ms; /* when that was */
};

void picker_init(struct picker *p, const char *comm);
void picker_done(struct picker *p);

/* List the results of the scan, by pid. */
void picker_update(struct picker *p);
/* Set the filter. -1: `why` explains, and the old one stays. */
int picker_filter(struct picker *p, const char *text, char *why, size_t size);

/* The process under the cursor, or NULL. */
const struct scan_process *picker_current(const struct picker *p);
/* The tagged processes in the list, else the one under the cursor. The caller frees the array. */
size_t picker_chosen(const struct picker *p, struct scan_identity **chosen);
/* Tag or untag it, and move down. */
void picker_tag(struct picker *p);
/* Tag all that are listed; untag all, listed or not. */
void picker_tag_shown(struct picker *p);
void picker_untag(struct picker *p);
