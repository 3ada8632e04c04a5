/*
 * Pairs, seen from names as libjvm, python, ruby, php, postgres and OCaml
 * programs spell them.
 */
#include "ui/words/pair.h"

#include <stdio.h>
#include <string.h>

/* Words that name the start of an activity and its end, the likeliest first. */
static const struct {
	const char *start, *end;
} pair_words[] = {
	{"start", "end"},
	{"start", "done"},
	{"start", "stop"},
	{"start", "finish"},
	{"begin", "end"},
	{"begin", "done"},
	{"entry", "return"},
	{"entry", "exit"},
	{"enter", "leave"},
	{"enter", "exit"},
	{"enter", "return"},
	{"startup", "shutdown"},
	{"enter", "entered"}, /* as libjvm's monitor__contended */
	{"wait", "waited"},
	{"acquire", "release"},
	{"lock", "unlock"},
};

#define PAIR_WORDS (sizeof pair_words / sizeof *pair_words)

enum pair_role pair_role(const char *name, size_t *stem)
{
	for (*stem = strlen(name); *stem > 0 && !strchr("_-.", name[*stem - 1]);)
		--*stem;
	if (*stem == 1) /* "_start" names no activity; "start" is that of its provider */
		return PAIR_NEITHER;
	for (size_t i = 0; i < PAIR_WORDS; i++) {
		if (!strcmp(name + *stem, pair_words[i].start))
			return PAIR_START;
		if (!strcmp(name + *stem, pair_words[i].end))
			return PAIR_END;
	}
	return PAIR_NEITHER;
}

enum pair_role pair_partner(const char *name, bool (*exists)(void *data, const char *name),
	void *data, char *out, size_t size)
{
	size_t stem;
	enum pair_role role = pair_role(name, &stem);

	for (size_t i = 0; role != PAIR_NEITHER && i < PAIR_WORDS; i++) {
		const char *own = role == PAIR_START ? pair_words[i].start : pair_words[i].end;
		const char *other = role == PAIR_START ? pair_words[i].end : pair_words[i].start;

		if (strcmp(name + stem, own))
			continue;
		snprintf(out, size, "%.*s%s", (int)stem, name, other);
		if (exists(data, out))
			return role;
	}
	return PAIR_NEITHER;
}
