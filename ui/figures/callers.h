/* How many hits came from each caller. Pure: the user looks up who lies at an address. */
#pragma once

#include "probes.h"

#define CALLERS_MOST 8192    /* rows */
#define CALLERS_PLACES 65536 /* addresses of all processes */

/* Callers that read the same are one, of all processes unless these are kept apart: those of a tree
 * have their objects at other addresses. */
struct callers_row {
	char *text;                   /* as event_caller prints it, or "?" */
	char *symbol, *line, *object; /* NULL: unknown */
	uint64_t address, pc;         /* in the first process, in the file; 0: unknown */
	uint64_t hits;
	uint32_t process; /* the first one */
};

struct callers {
	bool apart; /* processes are */
	uint64_t hits;
	uint64_t others; /* of these: from callers that found no place */
	bool failed;     /* no memory for some of these */
	struct callers_row *rows;
	size_t count;
	uint32_t *slots; /* a hash table of the rows: 1 + index */
	struct callers_place *places;
	size_t place_count;
	uint64_t secret;
};

/* apart: keep processes apart. False: no memory. */
bool callers_begin(struct callers *c, bool apart);

/*
 * Count a hit from an address (0: unknown) of a process (a number of the user's). False: that is
 * the first one from there, and is not counted: call callers_add.
 */
bool callers_hit(struct callers *c, uint32_t process, uint64_t address);

/* Count the first hit from an address; its caller is copied. */
void callers_add(
	struct callers *c, uint32_t process, uint64_t address, const struct probes_caller *caller);

/* Also of one that has not begun. */
void callers_done(struct callers *c);

/* What part of all hits these are, of 100. */
double callers_share(const struct callers *c, uint64_t hits);

/* The rows, most hits first: as many as count; free the array. NULL: no memory. */
const struct callers_row **callers_sorted(const struct callers *c);
