/* How the results of latency are printed. */
#pragma once

#include <stdio.h>

#include "probes.h"
#include "ui/options/options.h"
#include "ui/recording/recording.h"

/* One process. */
struct latency_row_of {
	const struct probes_member *member; /* NULL: it is of a recording */
	size_t start, end;                  /* probes */
	size_t numbers[2];                  /* of these probes, in the recording */
	pid_t pid;
	const char *prog;
	const struct probes_probe *probes[2]; /* start, end: for the next call of latency_print */
	uint32_t sites, counted;              /* of both probes */
	uint32_t sites_lost;                  /* of these: others took their jumps away */
	uint64_t stopped_ns;                  /* for the measuring to begin */
	size_t stop_sites;                    /* that -stop would count besides */
	struct probes_latency now;            /* at the last reading */
	struct probes_latency table;          /* at the last table */
	uint64_t checked;                     /* pairs until the last check of -max-overhead */
	int64_t read; /* ns: of the last reading; its figures are of the time until then */
	bool over;    /* it exceeded -max-overhead */
};

struct latency_list {
	struct latency_row_of *rows;
	size_t count;
	unsigned by;
	int64_t began, now, table; /* ns: all of them did, the last reading, the last table */
	const struct recording_end
		*of; /* of recorded events: what they lack; NULL: it was measured */
};

/* A line, or an object a process, of an interval; or the totals. */
void latency_print(FILE *file, const struct options *o, struct latency_list *all, bool total);
