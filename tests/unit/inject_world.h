/* For tests of process/inject: living children, and system calls that are run in them. */
#ifndef UNIT_INJECT_WORLD_H
#define UNIT_INJECT_WORLD_H

#include "process/inject.h"
#include "process/memory.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#define MS 1000000u /* ns */

/* What children and the test share. */
struct inject_seen {
	int pipe[2], pair[2], event;
	int semaphores;
	sem_t sem;
	_Atomic unsigned word; /* a futex */
	_Atomic int signals;   /* SIGUSR1 that were handled */
	_Atomic bool ready, waited, end, quiet;
	_Atomic int sent;
	_Atomic unsigned long turns, sum;
	struct probes_error late; /* why the thread did not stop in time, the last time */
};

extern struct inject_seen *seen;

void inject_set_up(void);
void inject_tear_down(void);

#define PAGE 4096UL

struct inject_target {
	struct identity who;
	struct memory m;
};

void inject_open(struct inject_target *t, pid_t pid);
void inject_close(struct inject_target *t);

/* inject_run, again and again while the machine is too busy to stop the thread in time. */
int inject_in_time(struct inject_target *t, struct inject_call *calls, size_t count,
	const struct inject_text *texts, size_t text_count, size_t *done, uint64_t *ns,
	struct probes_error *e);

/* Map a page in it, and unmap it. */
int inject_page(struct inject_target *t, struct probes_error *e);
void inject_must(struct inject_target *t, const char *what);

/* A child that ends with 0 if work() returns true. */
pid_t inject_child(bool (*work)(void));
bool inject_loop(void);                             /* for a child: many short waits */
void inject_await_turn(void);                       /* until seen->turns has changed */
void inject_must_end_well(pid_t child);             /* once seen->end is set */
void inject_end(pid_t child);                       /* by SIGKILL */
char inject_state(pid_t pid);                       /* as in /proc/PID/stat */
bool inject_is_mapped(pid_t pid, const char *what); /* in a line of /proc/PID/maps */

/* inject_waits.c: system calls that a process may wait in. */
extern const struct inject_wait {
	const char *name;
	bool (*wait)(void);        /* in the child: did it return as it must? */
	void (*wake)(pid_t child); /* NULL: it ends after `ms` */
	unsigned ms;
	bool longer; /* by its limit, for each round */
} inject_waits[];
extern const int inject_wait_count;

#endif
