/*
 * The distribution of a value: how many lie between two powers of 2, and which values are the most
 * frequent ones. Pure.
 */
#pragma once

#include "probes.h"

#define DISTRIBUTION_VALUES 65536 /* different ones that are told apart */

/* Of buckets: below 2^LOW a number counts as 0, and there is none above 2^HIGH. */
#define DISTRIBUTION_LOW (-64)
#define DISTRIBUTION_HIGH 127
#define DISTRIBUTION_POWERS (DISTRIBUTION_HIGH - DISTRIBUTION_LOW + 1)
#define DISTRIBUTION_BUCKETS (2 * DISTRIBUTION_POWERS + 1)

struct distribution_value {
	struct probes_value value; /* its text, if it has one, belongs to the distribution */
	uint64_t count;
};

/* All zero is empty. */
struct distribution {
	uint64_t count;               /* values: texts, and numbers */
	uint64_t texts;               /* of these */
	uint64_t nan;                 /* of these: floats that are no number, and in no bucket */
	uint64_t unreadable;          /* besides these */
	bool real;                    /* a float is among them */
	long double sum;              /* of what is in buckets, as the next two */
	struct probes_value min, max; /* PROBES_VALUE_UNREADABLE: there is none */
	uint64_t buckets[DISTRIBUTION_BUCKETS];
	/* In the order in which they came first. */
	struct distribution_value *values;
	size_t value_count, value_capacity;
	uint64_t others; /* of count: values that are not in the table, which is full */
	uint32_t *slots; /* the hash table: 1 + index of a value */
	size_t slot_count;
	uint64_t secret;
};

/* Add a value of an event, with a copy of its text. One that was asked for as a text is a text. */
void distribution_add(struct distribution *d, const struct probes_value *value);

/* Add what another one has. */
void distribution_merge(struct distribution *d, const struct distribution *other);

void distribution_done(struct distribution *d);

/* Numbers that are in buckets. */
uint64_t distribution_numbers(const struct distribution *d);

/* Their mean; NAN: there is none. */
double distribution_mean(const struct distribution *d);

/* A part of the histogram: numbers with from <= number < to, but the last one before infinity. */
struct distribution_row {
	double from, to;
	uint64_t count;
};

/*
 * From the first bucket that is not empty to the last one, the least number first. Where many in a
 * row are empty, they are one row. Returns their number; 0: no numbers.
 */
size_t distribution_rows(
	const struct distribution *d, struct distribution_row rows[DISTRIBUTION_BUCKETS]);

/* "0", "-512", "4K" (4096), "0.25", "inf": a bound of a row. Returns out. */
const char *distribution_bound(double bound, char *out, size_t size);

/*
 * The values of the table, the most frequent one first; of one frequency, the least one. As many as
 * value_count; free the array. NULL: no memory.
 */
const struct distribution_value **distribution_sorted(const struct distribution *d);
