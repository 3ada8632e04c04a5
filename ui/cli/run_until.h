/*
 * What attach -for and count have in common: changes that last until a term, a signal or the end of
 * the processes, and are undone then, whatever ended them.
 */
#pragma once

#include "ui/cli/act.h"
#include "ui/cli/explain.h"

struct run_until {
	struct act *act;
	struct probes_group *group;
	const char *held;   /* what the probes are meanwhile: "switched" */
	const char *undone; /* and after the undo: "switched back" */
	const char *undo;   /* in the audit */
	bool child;         /* the process is a child: its end is noticed at once */
	bool watches;       /* wait although no process holds a change: jumps of others are read */
	/* Of forked children: the first is named, the others are summed up unless -verbose. */
	struct run_until_sum {
		size_t processes, probes, sites;
	} born, undone_in;
	int64_t look;       /* when forked children are searched for again: now_ms */
	struct tally tally; /* of the undo: one exit status a process */
	bool measures;      /* there are results, which end with their process */
	bool looks;         /* whoever measures looks for children, and says itself which jumps
			       are gone */
	struct tally ends;  /* of the processes: PROBES_GONE if it was cut short */
	void *lost;         /* tsearch(3): sites whose jumps were once found to be gone, */
	size_t lost_count;  /* so many: their hits from then on are missing */
	size_t next;        /* of the group: the child whose jumps are looked at next */
	bool child_lost;    /* one that lost a jump was named */
};

/* Is there anything to wait for? */
bool run_until_goes_on(const struct run_until *h);

/*
 * Wait until now_ms reaches `end`, or run_until_goes_on is false. Reports forked children that
 * inherited changes. Returns the signal that came, or 0.
 */
int run_until_wait(struct run_until *h, int64_t end);

/* Search for forked children that inherited the changes. */
void run_until_look(struct run_until *h);

/* Look for jumps that are gone, and report them; unless looks. The last look is that of the undo.
 */
void run_until_look_at_jumps(struct run_until *h, bool last);

/* How many sites of a probe were found to have lost their jump, in the process or in a forked child
 * that counts in its counters. */
uint32_t run_until_lost(
	const struct run_until *h, const struct probes_member *member, size_t probe);

/* Undo in all processes, and report it. The exit status is explain_status of the tally. */
void run_until_undo(struct run_until *h);

void run_until_done(struct run_until *h);

/* "30", "0.25": milliseconds as seconds. Returns out. */
const char *run_until_seconds(uint64_t ms, char *out, size_t size);
