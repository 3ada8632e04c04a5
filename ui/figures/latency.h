/* Latency in figures and words, the same in every face. Pure. */
#pragma once

#include "probes.h"

/* "512 ns", "1.02 us", "33.5 ms", "12.0 s". Returns out. */
const char *latency_time(uint64_t ns, char *out, size_t size);

/* "thread", "arg2". Returns out. */
const char *latency_key(unsigned argument, char *out, size_t size);

/*
 * "1 open, 2 ends without start": what was not matched, each where it is not 0; "" where all is.
 * Returns out.
 */
const char *latency_unmatched(const struct probes_latency *l, char *out, size_t size);

/* The figures of a histogram, in the order in which every face shows them. */
enum latency_figure {
	LATENCY_MIN,
	LATENCY_P50,
	LATENCY_P90,
	LATENCY_P99,
	LATENCY_P999,
	LATENCY_MAX,
	LATENCY_MEAN,
	LATENCY_FIGURES
};
extern const char *const latency_names[LATENCY_FIGURES]; /* "min", "p99.9" */
void latency_figures(const struct probes_latency *l, uint64_t figures[LATENCY_FIGURES]);

/* The powers of 2 between the shortest and the longest duration, for a histogram. */
struct latency_row {
	uint64_t from, to; /* ns; to: the last value is below; UINT64_MAX: there is no end */
	uint64_t count;
};
#define LATENCY_ROWS 48

/* Returns their number; 0: nothing was matched. */
size_t latency_rows(const struct probes_latency *l, struct latency_row rows[LATENCY_ROWS]);
