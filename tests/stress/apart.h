/*
 * A victim apart (victims/apart.c), what is known of it, and the sessions that look at it while it
 * does its deeds.
 */
#ifndef STRESS_APART_H
#define STRESS_APART_H

#include "campaign.h"
#include "probes.h"

struct apart {
	struct field f; /* its pid and its memory */
	struct tool tool;
	int in, out;
	struct probes_session *session; /* of the library, that counts it; or NULL */
	bool init;                      /* it is pid 1 */
	bool promised;                  /* to confine itself */
	bool dead;                      /* it has ended, and should not have */
	bool wait;                      /* threads of clone(2) wait for `go` ... */
	bool processes;                 /* ... or processes: nobody may stop it meanwhile */
	bool unlike;  /* some were born while a session counted: hits may be missing */
	bool left;    /* a session may have left something: there is something to repair */
	bool reading; /* a session reads the time: no thread may forbid itself that meanwhile */
	char answer[4096];
};

struct apart_truth {
	unsigned long hits, says;
};

/* What it says itself of its hits and texts so far. */
struct apart_truth apart_truth(struct apart *a);
/* Do a line's command; false: it is dead, which is a fault. */
bool apart_ask(struct apart *a, const char *what);
/* Let go what waits. */
void apart_go(struct apart *a);
/* Some deeds by chance. */
void apart_deeds(struct campaign *c, struct apart *a);

/* A session of the library, from begin to end, or left open; one of the tool, killed or not. */
void apart_counts(struct campaign *c, struct apart *a);
void apart_session(struct campaign *c, struct apart *a);
/* A reading by that session: the probes that are counted as a whole, and their hits. */
struct apart_truth apart_counted(struct probes_session *s, bool *all);

#endif
