/*
 * Sessions that count a victim, which counts itself, too. What goes wrong is a fault; what the
 * engine refuses is none, and is told.
 */
#ifndef STRESS_HITS_H
#define STRESS_HITS_H

#include "dice.h"
#include "probes.h"
#include "storm.h"

#include <sys/types.h>

struct probes_session *hits_open(pid_t pid);

/* Count or uncount all, or each by chance (PROBES_BY_PREDICATE). False: refused. */
bool hits_act(struct probes_session *s, enum probes_verb verb, enum probes_by by, struct dice *dice,
	bool stop);
void hits_restore(struct probes_session *s);
/* What others left, in a session of its own. */
void hits_repair(pid_t pid);

struct hits_sum {
	unsigned long probes, hits;
};

/*
 * Of every probe that is counted as a whole, in counters of the victim alone: the hits are what the
 * victim counted between two reports, to the last one. `guarded`: a site of sys/sdt.h is passed
 * where `ran` is counted. `except`: probes whose names it refuses are not compared; NULL: all are.
 */
struct hits_sum hits_compare(struct probes_session *s, const struct storm_table *before,
	const struct storm_table *after, bool guarded, bool (*except)(void *data, const char *name),
	void *data);

#endif
