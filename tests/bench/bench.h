/*
 * Measuring: one program, one kind of measurement a call. Every figure is a line
 *
 *	ROW <tab> SIZE <tab> WHO <tab> UNIT <tab> VALUE
 *
 * on stdout; WHO is ours, a peer, or bare: the least that the kernel lets the
 * same work cost. What is compared is measured in turns, in one call.
 */
#ifndef BENCH_H
#define BENCH_H

#include "probes.h"

#include <stdint.h>
#include <stdio.h>

#define BENCH_TURNS 11 /* of each measurement in a call */

uint64_t bench_now(void); /* ns */

void bench_put(const char *row, const char *size, const char *who, const char *unit, double value);

/* A number in the environment, or else this one. */
unsigned long bench_setting(const char *name, unsigned long otherwise);

/* End with this error. */
void bench_die(const char *what, const char *why) __attribute__((noreturn));
void bench_must(int result, const struct probes_error *e);

/* A program of target.c, or one that answers lines as that does, running. */
struct bench_target {
	pid_t pid;
	pid_t of; /* what is looked at: this process, or the one that it named behind "ready" */
	FILE *to, *from;
};
void bench_start(struct bench_target *t, const char *file, const char *threads, const char *mode);
void bench_end(struct bench_target *t);
void bench_reset_gaps(struct bench_target *t);
uint64_t bench_gap(struct bench_target *t); /* ns */
void bench_line(struct bench_target *t, const char *command, char *line, size_t size);

/* Act on all probes (of an object, or NULL), with every site that a stop allows. */
struct probes_result *bench_act(
	struct probes_session *s, enum probes_verb verb, const char *object, uint64_t *took);

/* The loops of hits.c: the ns of one pass; how many threads: one, and one for each processor. */
#define BENCH_THREADS 2
int bench_threads(int i);
double bench_pass(struct bench_target *t, const char *loop, int threads);
void bench_put_threads(const char *row, int threads, const char *who, double ns);
size_t bench_probe(const struct probes_session *s, const char *name);

/*
 * Trace probes of `target` with a script of bpftrace. Returns its pid; 0: it is not here, not
 * permitted, or not ready within a minute. `site`: an address that it changes.
 */
pid_t bench_bpftrace(const struct bench_target *t, const char *probes, uint64_t site);
void bench_bpftrace_end(pid_t bpftrace);

/* Each is a verb; they end the program where something does not work. */
void bench_run(char **args);     /* ROW SIZE WHO COMMAND...: its time and memory */
void bench_notes(char **args);   /* FILE SIZE: the bare read of the notes of a file */
void bench_sparse(char **args);  /* FROM TO GIB: add that much debug section, all hole */
void bench_read(char **args);    /* TARGET SIZE: states of a running target */
void bench_switch(char **args);  /* TARGET SIZE THREADS MODE: switch all, running and stopped */
void bench_stop(char **args);    /* TARGET SIZE THREADS MODE: stop and resume */
void bench_screen(char **args);  /* PROBES_TUI TARGET SIZE SECONDS: start, idle, keys */
void bench_hits(char **args);    /* TARGET: what one hit costs at each kind of site */
void bench_measure(char **args); /* TARGET: what a pair that is measured costs, and an event */
void bench_cover(char **args);   /* PID OBJECT SIZE: how many sites of it can be counted */
void bench_arm(char **args);     /* PID OBJECT SIZE: begin and end to count them */
void bench_tally(char **args);   /* TARGET SIZE: read all counters of a running target */
void bench_loss(char **args);    /* PROGRAM OBJECT PROBES SIZE: what counting takes of its work */

#endif
