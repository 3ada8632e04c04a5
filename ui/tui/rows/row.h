/* One line of the list: a probe of one object, summed over all processes that have it. Pure. */
#pragma once

#include "probes.h"
#include "ui/tui/rows/trend.h"
#include "ui/words/states.h"

#include <stdbool.h>
#include <stdint.h>

/* What all rows of one provider in one object share. Belongs to the model. */
struct row_family {
	/* texts are safe for the terminal */
	const char *provider;
	const char *path;       /* of the object */
	const char *object;     /* its file name */
	size_t provider_length; /* of its text */
	bool deleted;           /* the file was removed or replaced */
};

/* Kept small: there are as many as probes. */
struct row {
	const char *label; /* "provider:name", safe for the terminal; belongs to the model */
	const struct row_family *family;
	const char *arguments; /* of its first site, raw as noted; belongs to a session */
	uint32_t member;       /* first of the model's members */
	uint32_t tag;          /* 0: not tagged; else the order of tagging, from 1 */
	struct trend *trend;   /* its hits; NULL: never counted. Belongs to the model */

	/* summed over its members */
	uint32_t processes; /* how many are alive */
	uint32_t sites;
	uint32_t sites_on;         /* PROBES_NONE: sites have no switch of their own */
	uint32_t sites_counted;    /* sites whose hits are counted, by whomever */
	uint32_t sites_lost;       /* that this session counted: their jumps are gone */
	uint32_t ref_min, ref_max; /* PROBES_NONE: none or not read */
	uint32_t others;           /* in some process, how much of ref_max is not this session's */
	enum probes_state state : 8;
	enum probes_holder holder : 8;
	bool mine;         /* this session's net change raised it in some process */
	bool mine_enabled; /* ... and not only to count its hits */
	bool mine_counted; /* this session counts the hits of a site */
	bool shared;       /* in some process its hits are those of another one, too: left out */
	bool missed_sites; /* a process has ended of which not all sites were counted, */
	bool missed_end;   /* or hits of whose last moment may be missing: until counting ends */
	bool missed_child; /* or those of a forked child, which lost a jump: likewise */
	bool missed_jump;  /* or those since this session lost a jump: likewise */
	bool counted;      /* the trend goes on, or its process has ended: there are hits to show */
	bool switchable;   /* a process has something to switch in it, whatever its state */
	bool recorded;     /* of a recording: it has no state */
};

/* The name of the probe: the label without the provider. */
const char *row_name(const struct row *r);

/* Start a sum. */
void row_clear(struct row *r);
/* Add the probe of one process to a sum. */
void row_add(struct row *r, const struct probes_live *live, uint32_t sites);

/* The same of a recorded process: its sites, and those whose hits are events; are there any? */
void row_add_recorded(struct row *r, uint32_t kept, uint32_t sites, bool events);

/* Add a row to the sum of a group; begin: the first one. The group is tagged if all rows are. */
void row_include(struct row *sum, const struct row *r, bool begin);

/* How its state is shown: that of what is counted alone is states_counted, of what is recorded
 * states_recorded. */
const struct states_row *row_state(const struct row *r);

/* Is it shown beside the state that its hits are counted, too? */
bool row_counted_too(const struct row *r);

/* The hits that come are those of a part of its sites, or processes. */
bool row_hits_partial(const struct row *r);

/* So are those that came, or hits of a process that has ended are missing. */
bool row_total_partial(const struct row *r);

/* Is it on only because this session counts its hits? */
bool row_on_to_count(const struct row *r);

/* Does another party hold it, wholly or in part? */
bool row_held_by_others(const struct row *r);

/* Would switching it disturb what another party holds? force: as probes_switch_options. */
bool row_loses(const struct row *r, enum probes_verb verb, bool force);

/* Were the live states of a row other ones? */
bool row_differs(const struct row *r, const struct row *before);
