/* Conditions on events: parsing and deciding (probes_condition_parse and so on). Pure. */
#ifndef PROBE_CONDITION_H
#define PROBE_CONDITION_H

#include "probes.h"

/* A comparison of an argument with a whole number, which must be true. */
struct condition_test {
	unsigned argument; /* from 1 on */
	enum probes_compare compare;
	bool negative;
	uint64_t number; /* its bits, as a signed or unsigned number of 64 bits */
};

/* Those that are known, at most `most`; the condition may hold more than these. */
size_t condition_tests(
	const struct probes_condition *condition, struct condition_test *tests, size_t most);

/*
 * Is it neither true nor false of an event because something could not be read: a text, or the
 * process or thread of a child that has ended? Arguments that the probe does not have do not count.
 */
bool condition_undecided(const struct probes_condition *condition, const struct probes_event *event,
	const struct probes_probe *probe);

#endif
