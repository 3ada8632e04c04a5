/* How the results of histogram are printed. */
#pragma once

#include <stdio.h>

#include "probes.h"
#include "ui/figures/distribution.h"
#include "ui/options/options.h"

/* One process. */
struct histogram_row {
	const struct probes_member *member;
	size_t probe;
	uint32_t sites, counted;
	uint32_t sites_lost;         /* whose jumps others took away */
	struct distribution part;    /* since the last table */
	struct distribution total;   /* until then */
	uint64_t lost, lost_table;   /* events; at the last table */
	uint64_t only_counted;       /* hits after -max-overhead was exceeded */
	uint64_t only_counted_table; /* at the last table */
	bool over;                   /* it was */
};

struct histogram_list {
	struct histogram_row **rows;
	size_t count;
	unsigned argument;           /* from 1 on */
	int64_t began, now, table;   /* ns: all of them did, the last reading, the last table */
	bool started;                /* something was printed */
	uint64_t lost, only_counted; /* of a recording as a whole; */
	uint64_t sites_lost;         /* the same */
};

/* The distributions since the last table, or the totals. Text sums up processes; JSON and CSV keep
 * them apart. */
void histogram_print(FILE *file, const struct options *o, struct histogram_list *all, bool total);
