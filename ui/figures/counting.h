/* Counting in figures and words, the same in every face. Pure. */
#pragma once

#include "probes.h"

/* Hits a second, of so many in so many ns; 0 where no time has passed. */
double counting_rate(uint64_t hits, int64_t ns);

/* What these hits cost, at hit_ns each, in this many ns: per cent of one core. */
double counting_overhead(uint64_t hits, double hit_ns, int64_t ns);

/* Is that more than a limit of so many per cent? 0: there is none. */
bool counting_exceeds(uint64_t hits, double hit_ns, int64_t ns, double max_percent);

/*
 * That it is more: "4021 hits/s at about 5 ns each cost an estimated 6.1 % of a core, and
 * -max-overhead is 5". Returns out.
 */
const char *counting_over_text(const char *what, uint64_t hits, double hit_ns, int64_t ns,
	double max_percent, char *out, size_t size);

/* A number that is not negative, with so many decimals after a point, whatever the locale's. */
const char *counting_number(double value, int decimals, char *out, size_t size);

/* A rate for people: "0.2", "31.0", "4021". Both return out. */
const char *counting_rate_text(double rate, char *out, size_t size);

/* What is counted in one process, or would be. */
struct counting {
	pid_t pid;
	size_t probes;
	size_t sites, counted; /* of these probes */
	size_t already;        /* probes that others count: we do not end that */
	size_t stop_sites;     /* that only -stop would count */
	size_t kernel_sites;   /* of the others, those that -kernel may count */
	size_t uprobe_sites;   /* of the counted ones, those that were given a uprobe now */
	size_t mapped_pages;   /* of 4 KiB */
	uint64_t stopped_ns;   /* 0: it was not stopped */
	bool dry_run;
	bool stops; /* dry run: it would be stopped; counting_of does not know */
};

/* From the result of PROBES_COUNT. */
struct counting counting_of(pid_t pid, const struct probes_result *result);

/*
 * "counting 27 of 531 sites of 12 probes in process 12; -stop would count 20 more". Returns out.
 */
const char *counting_text(const struct counting *c, char *out, size_t size);

/* A site that has lost its jump: where, in the process whose counters it counts in. */
struct counting_site {
	pid_t pid;
	uint64_t address;
};

/* The order of two, for qsort(3), bsearch(3) and tsearch(3). */
int counting_site_compare(const void *a, const void *b);

/*
 * Did a forked child lose the jump of a site? Needs its live states. Not where its library is
 * mapped no longer, nor, unless this is the `last` look, where an int3 covers it.
 */
bool counting_child_lost(const struct probes_session *child, size_t probe, size_t site, bool last);
