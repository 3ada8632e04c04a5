/*
 * How people see the states of a probe: one row a state, the same in every face. Programs see
 * probes_state_name.
 */
#ifndef UI_STATES_H
#define UI_STATES_H

#include "probes.h"
#include "ui/style.h"

#define STATES_COUNT (PROBES_UNLOADED + 1)

struct states_row {
	const char *mark; /* "[*]", in narrow columns */
	const char *word; /* "on", where there is room */
	const char *help; /* what mark and word mean */
	enum style style;
	int order;  /* in a list sorted by state: from 0, what needs attention first */
	int weight; /* in a sum over processes or rows the heaviest state wins; 0: on, off; -1:
		       counts only where nothing else is */
};

extern const struct states_row states[STATES_COUNT];

#endif
