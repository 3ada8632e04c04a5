#include "ui/words/states.h"

#include <stdio.h>
#include <string.h>

const struct states_row states[STATES_COUNT] = {
	[PROBES_UNKNOWN] = {"[?]", "not read", "its state was not read", STYLE_DIM, 6, 1},
	[PROBES_OFF] = {"[ ]", "off", "not enabled", STYLE_PLAIN, 4, 0},
	[PROBES_ON] = {"[*]", "on", "enabled, by this session or by others", STYLE_ON, 3, 0},
	[PROBES_PARTIAL] = {"[~]", "partial",
		"not all of its sites or semaphores (or processes) agree", STYLE_PARTIAL, 2, 4},
	[PROBES_FOREIGN] = {"[X]", "foreign", "another tool holds the byte that would switch it",
		STYLE_FOREIGN, 1, 5},
	[PROBES_INCONSISTENT] = {"[!]", "inconsistent", "its code and its semaphore disagree",
		STYLE_BAD, 0, 6},
	[PROBES_UNREADABLE] = {"[?]", "unreadable", "its memory could not be read", STYLE_DIM, 5,
		3},
	[PROBES_NO_SWITCH] = {"[.]", "no switch",
		"no semaphore, no handler: only its hits can be counted", STYLE_DIM, 7, -1},
	[PROBES_UNLOADED] = {"[-]", "gone", "its process ended, or its library was unloaded",
		STYLE_DIM, 8, 2},
};

const struct states_row states_counted = {
	"[#]", "counted", "nothing to switch, its hits are counted", STYLE_COUNTED, 7, -1};

const struct states_row states_recorded = {
	"[r]", "recorded", "of a recording: it has no state", STYLE_PLAIN, 6, 1};

const char *states_skips(const size_t skips[PROBES_SKIPS], char *out, size_t size)
{
	static const struct {
		const char *one, *many;
	} words[PROBES_SKIPS] = {
		[PROBES_SKIP_OFF] = {"is off already", "are off already"},
		[PROBES_SKIP_NO_SWITCH] = {"has no semaphore", "have no semaphore"},
		[PROBES_SKIP_UNLOADED] = {"is no longer mapped", "are no longer mapped"},
		[PROBES_SKIP_COUNTED] = {"is counted already", "are counted already"},
		[PROBES_SKIP_UNCOUNTED] = {"is not counted", "are not counted"},
		[PROBES_SKIP_COUNTING] = {"is on only to be counted", "are on only to be counted"},
		[PROBES_SKIP_AGREES] = {"is left: its code and semaphore agree",
			"are left: code and semaphore agree"},
	};
	size_t length = 0;

	out[0] = '\0';
	for (int i = PROBES_SKIP_NOT + 1; i < PROBES_SKIPS; i++) {
		bool one = skips[i] == 1;

		if (!skips[i] || length >= size)
			continue;
		snprintf(out + length, size - length, "%s%zu%s %s", length ? ", " : "", skips[i],
			length ? ""
			: one  ? " probe"
			       : " probes",
			one ? words[i].one : words[i].many);
		length = strlen(out);
	}
	return out;
}

const char *states_end(const char *why, char *out, size_t size)
{
	bool its = !strncmp(why, "it ", 3);

	snprintf(out, size, "%s%s", its ? "" : "is gone: ", its ? why + 3 : why);
	return out;
}
