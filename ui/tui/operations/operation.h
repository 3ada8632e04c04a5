/*
 * An operation: probes switched in every process that has them, kept so that it
 * can be undone. Knows rows and sessions, not the screen.
 */
#pragma once

#include "probes.h"
#include "ui/options/options.h"
#include "ui/tui/rows/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows that are switched one after the other. */
struct operation_step {
	uint32_t *ids;
	size_t count;
};

#define OPERATION_STEPS 2

struct operation_plan {
	enum probes_verb verb;
	struct operation_step steps[OPERATION_STEPS]; /* two: the halves of a pair */
	bool named; /* the user pointed at these probes: skipping one is an error */
	struct probes_switch_options options;
	/* instead of steps and options: those of a command line, and its text */
	struct options *command;
	const char *text;
};

/* The outcome in all processes. */
struct operation_sum {
	size_t processes;        /* where it was carried out */
	size_t written;          /* of these, where something was written */
	size_t idle_processes;   /* where a named probe had nothing to do (-EALREADY) */
	size_t failed_processes; /* that refused all of it */
	size_t done, refused;    /* probes */
	size_t skips[PROBES_SKIPS];
	size_t already;                   /* left out: this session holds them enabled */
	size_t sites, semaphores;         /* written */
	size_t counted, uncounted;        /* probes whose counting began, ended */
	size_t sites_counted, sites_left; /* of those: sites, and sites that are not counted */
	size_t stop_sites;                /* of these, those that a stop would count */
	size_t kernel_sites;              /* of the others, those that the kernel may count */
	size_t uprobe_sites;              /* of the counted ones, those that the kernel counts */
	size_t pages;                     /* that were mapped for it */
	bool numbered;                    /* its name says of how many probes, not which */
	uint64_t stopped_ns, held_ns;     /* of the process that waited longest */
	bool force_helps;                 /* an inconsistent or partial probe is among them */
	char why[128];                    /* of the first probe refused */
};

struct operation {
	struct probes_result **results; /* one for each of the model's processes, or NULL */
	size_t count;
	struct operation_sum sum;
	char what[160];         /* "on req_start,req_done", safe for the terminal */
	bool force, keep, pair; /* as planned */
	bool reverts;           /* it takes back what was done before */
	bool continues;         /* the operation before it is undone and redone with it */
	char *line;             /* of a command line: its options, quoted, and a newline; or NULL */
};

/*
 * Switch what the plan says in all processes. 0, or the negative errno of the first process that
 * failed, with its error; -EALREADY only if none failed otherwise. The operation then holds what
 * was done in the others. *operation is the caller's, never NULL.
 */
PROBES_CHECK int operation_do(struct model *m, const struct operation_plan *plan,
	struct operation **operation, struct probes_error *e);

/* Revert an operation (probes_revert); the reversal is an operation, too. */
PROBES_CHECK int operation_revert(struct model *m, const struct operation *done,
	struct operation **operation, struct probes_error *e);

/* An operation without results, to be filled by operation_undone. */
struct operation *operation_new(const struct model *m);

/*
 * Take what probes_group_restore reports of a member, with its result. 0, or the negative errno of
 * the error, which is copied if it is the first. A process that has ended leaves nothing to undo:
 * 0.
 */
int operation_undone(struct operation *d, const struct model *m, struct probes_undone *u,
	struct probes_error *first);

/* A result of the first process, as an operation; takes the result. */
struct operation *operation_of(
	const struct model *m, struct probes_result *result, const char *what);

void operation_free(struct operation *d);
/* Did it write anything? */
bool operation_wrote(const struct operation *d);

/* "on a,b,c +2 more" of the steps, into what. */
void operation_name(
	const struct model *m, const struct operation_plan *plan, char *what, size_t size);
/* Why sites are not counted, most first: "3: no free page ...; 1: ...", or "". Returns out. */
const char *operation_left(
	const struct model *m, const struct operation *d, char *out, size_t size);

/* What is done to probes: "on", "off", "count", "uncount". */
const char *operation_verb(enum probes_verb verb);

/* "8 sites, target not stopped" */
const char *operation_say(const struct operation_sum *s, char *out, size_t size);
