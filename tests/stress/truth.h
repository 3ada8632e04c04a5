/*
 * What must be so in the victim: a count for each probe, and the bytes that follow from it. The
 * addresses are learnt once from the engine; all else is read without it.
 */
#ifndef STRESS_TRUTH_H
#define STRESS_TRUTH_H

#include "field.h"

struct truth_probe {
	char name[64];
	bool sdt;
	size_t site_count, place; /* place in the victim's table */
	uint64_t sites[STORM_SITES], semaphore;
	unsigned count;  /* what our switching must have made of it */
	unsigned theirs; /* uprobes on its first site; the kernel counts them too where it is sdt */
	char account[256]; /* how the count came about, since truth_open_accounts */
};

struct truth {
	size_t count;
	struct truth_probe probes[STORM_PLACES];
};

typedef unsigned truth_counts[STORM_PLACES];

/* All probes of the victim, off; fatal where the engine finds others than the victim has. */
void truth_learn(struct truth *t, const struct field *f);

/* The counts in memory now, without those of uprobes. */
void truth_read(const struct truth *t, const struct field *f, truth_counts counts);
void truth_get(const struct truth *t, truth_counts counts);
void truth_set(struct truth *t, const truth_counts counts);
bool truth_equal(const struct truth *t, const truth_counts a, const truth_counts b);

/* Each count's account begins anew; what changes it is entered there, and told with a fault. */
void truth_open_accounts(struct truth *t);
void truth_enter(struct truth_probe *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What a session holds and will take back: what it added to each count. */
typedef int truth_hold[STORM_PLACES];

/*
 * Somebody switches one probe, as the tool does: what the count becomes. False: the tool refuses,
 * since it would do nothing, or take what a uprobe holds.
 */
bool truth_act(struct truth_probe *p, const char *who, bool up, bool force);

/*
 * The hold is taken back: each count goes back by what was added, never below 0. Where it would
 * go below what uprobes hold it stays, and so does the hold; likewise where it would go below 0 and
 * an `other` session (NULL: none) holds it down. How many stay.
 */
size_t truth_take_back(struct truth *t, truth_hold hold, const truth_hold other);

/* Every count and every byte of the memory is what it must be; of a forked child, say. The name
   of the first probe of which that is not so, or NULL. */
const char *truth_differs(const struct truth *t, const struct field *f);

/* Every count and every byte is what it must be: in memory as we read it, and as it does. */
void truth_check(const struct truth *t, const struct field *f, const struct field_report *r);

/*
 * Between two reports nothing was switched: handlers of what is on ran at each pass, of what is
 * off never.
 */
void truth_check_hits(
	const struct truth *t, const struct field_report *before, const struct field_report *after);

/* The index of a probe by its name. */
size_t truth_find(const struct truth *t, const char *name);

#endif
