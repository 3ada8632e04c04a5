/* The readings of counted probes, and how the tables of count are printed. */
#pragma once

#include <stdio.h>

#include "probes.h"
#include "ui/options/options.h"
#include "ui/words/reasons.h"

/* One site. */
struct counts_site {
	uint64_t hits; /* since this call began to count, at the last reading */
	bool counted;
	bool lost;          /* its jump was once found to be gone: hits may be missing */
	bool lost_in_child; /* the same, in a forked child that counts here, too */
	bool held;          /* an int3 covers its jump, which may come back */
	enum probes_tactic tactic;
	const char *why; /* it is not counted, or NULL */
};

/* Hits up to a time of CLOCK_MONOTONIC, in ns. */
struct counts_mark {
	uint64_t hits;
	int64_t ns;
};

/* One probe in one process. The marks are of the hits since this call began to count. */
struct counts_row {
	const struct probes_member *member;
	size_t probe;
	struct counts_site *sites;    /* as many as the probe has */
	bool later;                   /* its library was opened after the process began */
	uint32_t counted;             /* sites */
	uint32_t lost;                /* of these */
	uint32_t gone;                /* of these, those that the process itself lost */
	bool unguarded;               /* a semaphore was seen to be 0: hits may be missing */
	char *why;                    /* no site is counted; NULL: see the sites */
	struct counts_mark began;     /* where time begins; hits while it was armed came before */
	struct counts_mark table;     /* at the last table */
	struct counts_mark check;     /* at the last comparison with -max-overhead */
	struct counts_mark now;       /* at the last reading in its time, which rates are of */
	uint64_t hits;                /* at the last reading of all */
	uint64_t stopped_ns, held_ns; /* of its process, for the counting to begin */
	pid_t shared;                 /* struct probes_hits: they are not its own */
	bool over;                    /* it exceeded -max-overhead: its time has ended */
};

/* All zero is an empty list. */
struct counts {
	struct counts_row *rows; /* those of one process follow each other */
	size_t count;
	int64_t began;       /* the first process did, ns; 0: none */
	bool ended;          /* the time of all has: hits of the undo are in no rate */
	bool stop;           /* -stop was given */
	size_t stop_sites;   /* not counted, but -stop would count them */
	size_t kernel_sites; /* the same, of the others: -kernel */
};

/* Add the probes of a result of PROBES_COUNT, each once; `later` where the process has begun. */
PROBES_CHECK int counts_add(struct counts *c, const struct probes_member *member,
	const struct probes_result *result, bool later, struct probes_error *e);
/* Begin the time of what was added of a process: these probes are counted, and it runs. */
void counts_begin(struct counts *c, const struct probes_member *member);
/* Read the hits of a process. What was read stays, also when its sites are no longer counted. */
void counts_read(struct counts *c, const struct probes_member *member);
/*
 * Look for jumps of a process that others removed: a uprobe, or the session that counted first.
 * Needs the live states. With `last`, jumps that an int3 covers now are lost, too. Returns how many
 * probes lost their first jump since the last call; *first: one of them.
 */
size_t counts_look(struct counts *c, const struct probes_member *member, bool last,
	const struct counts_row **first);
/* The same, for a forked child, which counts in the counters of its parent. */
size_t counts_look_child(struct counts *c, const struct probes_session *child, bool last,
	const struct counts_row **first);
/* A probe whose semaphore is 0, so that the process skips it; each once, then NULL. */
const struct counts_row *counts_unguarded(struct counts *c, const struct probes_member *member);
/* Is a site of the process still counted? */
bool counts_go_on(const struct counts *c, const struct probes_member *member);
void counts_done(struct counts *c);

/* ---------------------------------------------------------------- the tables */

enum counts_kind { COUNTS_INTERVAL, COUNTS_TOTAL };

/* Where and how to print. */
struct counts_output {
	FILE *file;
	enum format format;
	bool quiet;   /* no explanations in the text */
	size_t most;  /* rows of a table of an interval; SIZE_MAX: all */
	bool started; /* something was printed */
};

/* Print what moved since the last table, or the totals. */
void counts_print(struct counts_output *out, struct counts *c, enum counts_kind kind);

/*
 * Of the first row of a process that shares its counters with another one: "the hits of 2 probes
 * (p:a, p:b) are unknown: ...". False: it is not the first, or shares none.
 */
#define COUNTS_SHARED 1000
bool counts_shared(const struct counts *c, size_t row, char *out, size_t size);

/* Why sites are not counted. */
struct reasons counts_reasons(const struct counts *c);
