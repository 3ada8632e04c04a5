/* One campaign: a victim, what must be so in it, chance, and what was done so far. */
#ifndef STRESS_CAMPAIGN_H
#define STRESS_CAMPAIGN_H

#include "dice.h"
#include "inspect.h"

#define CAMPAIGN_PLACES 64

struct campaign_kills {
	const char *place;
	char name[32];
	unsigned long count;
};

struct campaign {
	const char *storm, *folder;
	char file[512]; /* what the victim was started from */
	struct tool tool;
	struct field field;
	struct truth truth;
	struct dice dice;
	bool leader_dies;
	int uprobes[STORM_PLACES]; /* descriptors, -1: none */
	size_t uprobe_count;
	unsigned long sent; /* signals, to this victim */

	/* what was done */
	unsigned long rounds, victims, switches, stops, repairs, kept, undone, held, together;
	unsigned long replaced, uprobed, no_uprobe, signals, job_stops, ended, born;
	struct campaign_kills kills[CAMPAIGN_PLACES];
	size_t kill_places;
};

/* A new victim, and the end of one; counts of what was switched in it go with it. */
void campaign_begin(struct campaign *c);
void campaign_end(struct campaign *c);

/* Do one thing, chosen by the dice. Nothing is left running, but the counts may have changed. */
void deed_one(struct campaign *c);
/* Take every uprobe away. */
void deed_no_uprobes(struct campaign *c);

#endif
