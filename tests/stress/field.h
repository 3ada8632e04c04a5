/*
 * The victim as the campaign sees it: started, asked through its pipes, and looked at from outside,
 * by /proc alone and not by the engine that is tested.
 */
#ifndef STRESS_FIELD_H
#define STRESS_FIELD_H

#include "storm.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct field {
	pid_t pid;
	FILE *in, *out;
	int mem;        /* /proc/PID/task/TID/mem */
	uint64_t table; /* where its struct storm_table lies */
};

/* A byte of its code that differs from what it was at its start, as the victim itself sees it. */
struct field_code {
	uint64_t address;
	unsigned was, is;
};

struct field_report {
	struct storm_table said; /* by the program: counts of its places alone */
	struct storm_table read; /* out of its memory */
	struct field_code code[256];
	size_t code_count;
};

/* Start the program at `file`; one more option, or NULL. */
void field_start(struct field *f, const char *file, const char *threads, const char *option);
/* After it has begun anew (STORM_EXEC). */
void field_again(struct field *f);
/* After it was killed. */
void field_forget(struct field *f);
/* Let it end; a fault unless its exit status is 0. */
void field_end(struct field *f);

/* Hold all its threads between two rounds, by its own means, and let them go. */
void field_pause(struct field *f);
void field_go(struct field *f);
/* What it counted; while it pauses. Both ways of counting must agree. */
void field_report(struct field *f, struct field_report *r);

/* Forked children, one each `pace_us`; they live on. */
void field_fork(struct field *f, unsigned number, unsigned pace_us);
/* No more of them are born: their pids, `most` at most; how many. */
size_t field_calm(struct field *f, pid_t *pids, size_t most);
/* Each makes a round, and ends; a fault unless all do as they should. */
void field_gather(struct field *f);

/* While it pauses: its library of that number is mapped, or none (0); where its code lies. */
uint64_t field_load(struct field *f, unsigned number);

/* Its memory; false if it cannot be read. */
bool field_peek(const struct field *f, uint64_t address, void *to, size_t size);
/* One counter, while it runs. */
unsigned long field_rounds(const struct field *f);
unsigned long field_signals(const struct field *f);

/*
 * The states of its threads: `stopped` of them by job control or a tracer, `traced` by anybody.
 * Threads that end meanwhile are no threads. False: it has no thread any more.
 */
bool field_threads(const struct field *f, size_t *all, size_t *stopped, size_t *traced);
/* The state letter of its first thread; whether any of its threads is in a state. */
char field_first_state(const struct field *f);
bool field_has_state(const struct field *f, char state);
/* Another than its first, or 0. */
pid_t field_other_thread(const struct field *f);

/* Milliseconds of a clock that only goes forward. */
long field_now(void);
void field_nap(long us);

#endif
