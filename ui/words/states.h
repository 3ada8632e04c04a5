/*
 * How people see the states of probes, and why probes were skipped: the same in every face.
 * Programs see probes_state_name.
 */
#pragma once

#include "probes.h"
#include "ui/words/style.h"

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
/* Of a probe that has nothing to switch, while its hits are counted. */
extern const struct states_row states_counted;
/* Of a probe of a recording. */
extern const struct states_row states_recorded;
/* After the word of any other state: the hits are counted as well. */
#define STATES_COUNTED_MARK " #"

#define STATES_SKIPS 160 /* enough for states_skips */

/* "28 probes are off already, 2 have no semaphore"; "" where none was skipped. Returns out. */
const char *states_skips(const size_t skips[PROBES_SKIPS], char *out, size_t size);

/* Why a process is gone ("it has ended") after its noun: "has ended". Returns out. */
const char *states_end(const char *why, char *out, size_t size);
