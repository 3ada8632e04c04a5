/*
 * The ACTIONS of a command line as a list of struct probes_action.
 *
 * Owns the rules that need no process: one group per call, no name twice, two
 * different names in a pair. The engine checks whether a probe exists and
 * whether an expression is valid. Never prints.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/options/options.h"
#include "ui/words/report.h"

static int usage(struct probes_error *e, const char *option, const char *hint, const char *why)
{
	char what[64];

	snprintf(what, sizeof what, "%s%s", option ? "-" : "", option ? option : "PROBES");
	return report_set(e, PROBES_USAGE, -EINVAL, what, hint, "%s", why);
}

/* Takes ownership of both texts, also on failure. */
static int push(struct actions *a, enum probes_verb verb, enum probes_by by, char *text,
	char *second, struct probes_error *e)
{
	struct probes_action *items = reallocarray(a->items, a->count + 1, sizeof *items);

	if (!items) {
		free(text);
		free(second);
		return probes_failed(e, -ENOMEM, "cannot read the command line");
	}
	a->items = items;
	items[a->count++] = (struct probes_action){
		.verb = verb,
		.by = by,
		.text = text,
		.second = second,
	};
	return 0;
}

/* A copy of the first name of a comma separated list; *rest is what follows, or NULL. */
static char *first_name(const char *list, const char **rest)
{
	size_t length = strcspn(list, ",");
	char *name = strndup(list, length);

	*rest = list[length] ? list + length + 1 : NULL;
	return name;
}

static int add_pair(struct actions *a, const char *option, enum probes_verb verb, const char *list,
	struct probes_error *e)
{
	const char *rest;
	char *start = first_name(list, &rest);
	char *end = rest ? first_name(rest, &rest) : NULL;
	const char *why = NULL;

	if (!end || rest || !start || !*start || !*end)
		why = "needs two probe names with a comma between";
	else if (!strcmp(start, end))
		why = "the two names of a pair are equal";
	if (!why)
		return push(a, verb, PROBES_BY_PAIR, start, end, e);
	free(start);
	free(end);
	if (!option)
		return report_set(e, PROBES_USAGE, -EINVAL, "START,END",
			"for example: query__start,query__done", "%s", why);
	return usage(e, option, "for example: START,END", why);
}

int actions_add(struct actions *a, const char *option, enum probes_verb verb, enum probes_by by,
	const char *value, struct probes_error *e)
{
	char why[96];
	int r = 0;

	/* Options of one group may be combined, except -all. */
	if (a->count && (a->items[0].by != by || by == PROBES_BY_ALL)) {
		if (a->group && option && !strcmp(a->group, option))
			return usage(e, option, "", "given twice");
		snprintf(why, sizeof why, "cannot be combined with %s%s in one call",
			a->group ? "-" : "", a->group ? a->group : "names");
		return usage(e, option, "use two calls", why);
	}
	if (!a->count)
		a->group = option;
	switch (by) {
	case PROBES_BY_NAME:
		while (value && !r) {
			char *name = first_name(value, &value);

			if (name && !*name) {
				free(name);
				return usage(e, option, "needs names separated by commas",
					"an empty probe name");
			}
			r = push(a, verb, by, name, NULL, e);
		}
		return r;
	case PROBES_BY_PAIR:
		return add_pair(a, option, verb, value, e);
	case PROBES_BY_ALL:
		return push(a, verb, by, NULL, NULL, e);
	default:
		for (size_t i = 0; i < a->count; i++)
			if (a->items[i].verb == verb)
				return usage(
					e, option, "join the expressions with |", "given twice");
		return push(a, verb, by, strdup(value), NULL, e);
	}
}

struct word {
	const char *text;
	enum probes_verb verb;
};

static int compare_words(const void *x, const void *y)
{
	return strcmp(((const struct word *)x)->text, ((const struct word *)y)->text);
}

int actions_check(const struct actions *a, struct probes_error *e)
{
	struct word *words;
	size_t n = 0;
	int r = 0;

	if (!a->count || (a->items[0].by != PROBES_BY_NAME && a->items[0].by != PROBES_BY_PAIR))
		return 0;
	words = calloc(2 * a->count, sizeof *words);
	if (!words)
		return probes_failed(e, -ENOMEM, "cannot read the command line");
	for (size_t i = 0; i < a->count; i++) {
		words[n++] = (struct word){a->items[i].text, a->items[i].verb};
		if (a->items[i].second)
			words[n++] = (struct word){a->items[i].second, a->items[i].verb};
	}
	qsort(words, n, sizeof *words, compare_words);
	for (size_t i = 1; i < n && !r; i++)
		if (!compare_words(&words[i - 1], &words[i]))
			r = report_set(e, PROBES_USAGE, -EINVAL,
				"the actions contradict each other", "name each probe once",
				"probe \"%s\" is %s", words[i].text,
				words[i - 1].verb != words[i].verb
					? "to be enabled and to be disabled"
					: "named twice");
	free(words);
	return r;
}

void actions_done(struct actions *a)
{
	for (size_t i = 0; i < a->count; i++) {
		free((char *)a->items[i].text);
		free((char *)a->items[i].second);
	}
	free(a->items);
	*a = (struct actions){0};
}
