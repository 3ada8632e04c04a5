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
