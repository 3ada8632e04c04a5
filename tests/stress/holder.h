/*
 * Somebody of us who has switched probes and is to take that back: a run of the tool with -for, or
 * a session of the library, as the screen has one. It ends in order, or is killed and repaired.
 */
#ifndef STRESS_HOLDER_H
#define STRESS_HOLDER_H

#include "campaign.h"

#define HOLDER_PROBES 6

enum holder_way {
	HOLDER_TERM,   /* -for, ended by a signal */
	HOLDER_KILLED, /* -for, killed; repair takes back */
	HOLDER_SCREEN, /* a session that restores all at its end */
	HOLDER_UNDO,   /* a session that undoes its one change */
};

struct holder {
	enum holder_way way;
	pid_t pid;
	bool up, force;
	size_t which[HOLDER_PROBES], count;
	truth_hold hold; /* what is to be taken back */
};

/* Choose, switch, and wait until it is so and the holder waits, too. */
void holder_begin(struct campaign *c, struct holder *h);
/* Ask it to take back; it may still be at it. */
void holder_tell(struct campaign *c, struct holder *h);
/*
 * Wait for its end. True: it says that all was taken back; false: that something stays on record.
 * Anything else is a fault.
 */
bool holder_end(struct campaign *c, struct holder *h);

#endif
