/*
 * The hits of a row over time: how many in all, how many a second, and how they came during the
 * last minute. Fed with the total at each reading; allocates nothing. Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TREND_CELLS 12 /* of TREND_CELL_MS each: a minute */
#define TREND_CELL_MS 5000
#define TREND_LEAST_MS 500 /* a shorter interval makes no rate: it would only be noise */
#define TREND_WIDTH 6      /* columns of the sparkline: two cells each, where there is no room */

struct trend {
	uint64_t total;       /* at the last reading */
	double rate;          /* hits a second, over the last interval; negative: not known yet */
	uint64_t sampled;     /* the total at the end of that interval, */
	int64_t first_ms, ms; /* the first reading, and that end; 0: none yet */
	float cells[TREND_CELLS]; /* hits; of the time t in cell t / TREND_CELL_MS % TREND_CELLS */
};

/* Forget what was; the next reading is the first. */
void trend_begin(struct trend *t);

/* A reading at a time of a clock that never goes back, in milliseconds from 1 on. */
void trend_read(struct trend *t, int64_t ms, uint64_t total);

/* There are no more hits to come: until the next reading, there is no rate. */
void trend_rest(struct trend *t);

/* Add a part to a sum that is zeroed at first. The parts are read at the same times. */
void trend_add(struct trend *sum, const struct trend *part);

/* The hits a second, or -1: not known. */
double trend_rate(const struct trend *t);

/*
 * The last minute as a sparkline of `width` columns, the newest hits at its right end; each column
 * is a whole number of cells. Blank: before the first reading. The highest column is as high as the
 * line. Returns out.
 */
const char *trend_spark(const struct trend *t, int width, char *out, size_t size);

/* "0", "0.4", "12", "4.0k", "123M": at most 5 columns. Returns out. */
const char *trend_human(double n, char *out, size_t size);

/* The same, but exactly ("12345678") where that takes at most `width` columns. */
const char *trend_exact(uint64_t n, int width, char *out, size_t size);
