/* The table of states. Pure data. */
#include "ui/states.h"

const struct states_row states[STATES_COUNT] = {
	[PROBES_UNKNOWN] = {"[?]", "unknown", "not read", STYLE_DIM, 6, 1},
	[PROBES_OFF] = {"[ ]", "off", "not enabled", STYLE_PLAIN, 4, 0},
	[PROBES_ON] = {"[*]", "on", "enabled, by this session or by others", STYLE_ON, 3, 0},
	[PROBES_PARTIAL] = {"[~]", "partial",
		"not all of its sites or semaphores (or processes) agree", STYLE_PARTIAL, 2, 4},
	[PROBES_FOREIGN] = {"[X]", "foreign", "another tool holds the byte that would switch it",
		STYLE_WARN, 1, 5},
	[PROBES_INCONSISTENT] = {"[!]", "inconsistent", "its code and its semaphore disagree",
		STYLE_BAD, 0, 6},
	[PROBES_UNREADABLE] = {"[?]", "unreadable", "its memory could not be read", STYLE_DIM, 5,
		3},
	[PROBES_NO_SWITCH] = {"[.]", "no switch",
		"without semaphore and handler it cannot be enabled", STYLE_DIM, 7, -1},
	[PROBES_UNLOADED] = {"[-]", "gone", "its library was unloaded", STYLE_DIM, 8, 2},
};
