/* One campaign: a victim, what must be so in it, chance, and what was done so far. */
#ifndef STRESS_CAMPAIGN_H
#define STRESS_CAMPAIGN_H

#include "dice.h"
#include "inspect.h"

#define CAMPAIGN_PLACES 64
#define CAMPAIGN_KINDS 24
#define CAMPAIGN_TALLIES 16

struct campaign_kills {
	char name[32];
	unsigned long count;
};

/* A figure that a kind of deed keeps of itself. */
struct campaign_tally {
	const char *what;
	unsigned long count;
};

/* What one kind of deed did so far. */
struct campaign_kind {
	struct dice dice;   /* its own: what it chooses does not depend on what else is done */
	const char *cannot; /* why this machine does not permit it, or NULL */
	bool chosen;
	unsigned long times, faults;
	struct campaign_tally tallies[CAMPAIGN_TALLIES];
};

struct campaign {
	const char *storm, *crowd, *apart, *folder;
	char file[512]; /* what the victim was started from */
	struct tool tool;
	struct field field;
	struct truth truth;
	struct dice *dice; /* of the deed that is being done */
	bool leader_dies;
	int uprobes[STORM_PLACES]; /* descriptors, -1: none */
	size_t uprobe_count;
	unsigned long sent; /* signals, to this victim */

	/* what was done */
	unsigned long rounds, faulty, victims, born;
	struct campaign_kind kinds[CAMPAIGN_KINDS];
	size_t kind; /* that is being done */
	struct campaign_kills kills[CAMPAIGN_PLACES];
	size_t kill_places;
};

#endif
