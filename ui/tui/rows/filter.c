/*
 * The filter language: parsed into terms of alternatives; a term holds when
 * one of its alternatives does.
 */
#include "ui/tui/rows/filter.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/widgets/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum filter_look {
	LOOK_TEXT,
	LOOK_PROVIDER,
	LOOK_OBJECT,
	LOOK_FUNCTION,
	LOOK_STATE,
	LOOK_TAGGED,
	LOOK_MINE
};

struct filter_atom {
	enum filter_look look;
	enum probes_state state;
	struct pattern *pattern;
};

struct filter_term {
	bool negative;
	struct filter_atom *atoms;
	size_t count, capacity;
};

struct filter {
	struct filter_term *terms;
	size_t count, capacity;
};

struct filter_word {
	const char *text;
	enum filter_look look;
	enum probes_state state;
};

static const struct filter_word filter_words[] = {
	{"on", LOOK_STATE, PROBES_ON},
	{"off", LOOK_STATE, PROBES_OFF},
	{"partial", LOOK_STATE, PROBES_PARTIAL},
	{"foreign", LOOK_STATE, PROBES_FOREIGN},
	{"inconsistent", LOOK_STATE, PROBES_INCONSISTENT},
	{"unreadable", LOOK_STATE, PROBES_UNREADABLE},
	{"gone", LOOK_STATE, PROBES_UNLOADED},
	{"tagged", LOOK_TAGGED, 0},
	{"mine", LOOK_MINE, 0},
};

static const struct filter_word filter_prefixes[] = {
	{"prov:", LOOK_PROVIDER, 0},
	{"obj:", LOOK_OBJECT, 0},
	{"fn:", LOOK_FUNCTION, 0},
};

static int filter_add_atom(
	struct filter_term *t, struct filter_atom atom, const char *text, char *why, size_t size)
{
	if (!*text)
		return 0; /* "a|" while one is still typing */
	for (size_t i = 0; atom.look == LOOK_TEXT && i < sizeof filter_words / sizeof *filter_words;
		i++) {
		if (!strcmp(text, filter_words[i].text)) {
			atom.look = filter_words[i].look;
			atom.state = filter_words[i].state;
		}
	}
	if (atom.look < LOOK_STATE) {
		atom.pattern = pattern_parse(text, why, size);
		if (!atom.pattern)
			return -1;
	}
	t->atoms = mem_grow(t->atoms, &t->capacity, t->count + 1, sizeof *t->atoms);
	t->atoms[t->count++] = atom;
	return 0;
}

static const char *filter_prefix(const char *text, enum filter_look *look)
{
	for (size_t i = 0; i < sizeof filter_prefixes / sizeof *filter_prefixes; i++) {
		size_t n = strlen(filter_prefixes[i].text);

		if (!strncmp(text, filter_prefixes[i].text, n)) {
			*look = filter_prefixes[i].look;
			return text + n;
		}
	}
	return text;
}

static int filter_add_term(struct filter *f, char *text, char *why, size_t size)
{
	struct filter_atom atom = {.look = LOOK_TEXT};
	struct filter_term *t;
	const char *rest;
	char *alternatives, *one;
	int status = 0;

	f->terms = mem_grow(f->terms, &f->capacity, f->count + 1, sizeof *f->terms);
	t = &f->terms[f->count++];
	*t = (struct filter_term){.negative = text[0] == '-'};
	rest = filter_prefix(text + t->negative, &atom.look);
	if (rest[0] == '~')
		return filter_add_atom(t, atom, rest, why, size);
	alternatives = mem_text(rest);
	for (char *next = alternatives; !status && (one = strsep(&next, "|"));)
		status = filter_add_atom(t, atom, one, why, size);
	free(alternatives);
	return status;
}

struct filter *filter_parse(const char *text, char *why, size_t size)
{
	struct filter *f = mem_alloc(sizeof *f);
	char *copy = mem_text(text), *next = copy, *one;
	int status = 0;

	why[0] = '\0';
	while (!status && (one = strsep(&next, " \t"))) {
		if (*one)
			status = filter_add_term(f, one, why, size);
	}
	free(copy);
	if (!status)
		return f;
	filter_free(f);
	return NULL;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->count; i++) {
		for (size_t j = 0; j < f->terms[i].count; j++)
			pattern_free(f->terms[i].atoms[j].pattern);
		free(f->terms[i].atoms);
	}
	free(f->terms);
	free(f);
}

static bool filter_match_function(const struct pattern *p, const struct filter_subject *s)
{
	const char *name;

	for (size_t i = 0; s->function && (name = s->function(s->data, i)); i++) {
		if (pattern_match(p, name))
			return true;
	}
	return false;
}

static bool filter_match_atom(const struct filter_atom *a, const struct filter_subject *s)
{
	switch (a->look) {
	case LOOK_STATE:
		return a->state == s->state;
	case LOOK_TAGGED:
		return s->tagged;
	case LOOK_MINE:
		return s->mine;
	case LOOK_PROVIDER:
		return pattern_match(a->pattern, s->provider);
	case LOOK_OBJECT:
		return pattern_match(a->pattern, s->object);
	case LOOK_FUNCTION:
		return filter_match_function(a->pattern, s);
	case LOOK_TEXT:
		break;
	}
	return pattern_match(a->pattern, s->text) || pattern_match(a->pattern, s->object);
}

static bool filter_match_term(const struct filter_term *t, const struct filter_subject *s)
{
	for (size_t i = 0; i < t->count; i++) {
		if (filter_match_atom(&t->atoms[i], s))
			return !t->negative;
	}
	return t->negative || !t->count;
}

bool filter_match(const struct filter *f, const struct filter_subject *s)
{
	for (size_t i = 0; i < f->count; i++) {
		if (!filter_match_term(&f->terms[i], s))
			return false;
	}
	return true;
}

bool filter_is_empty(const struct filter *f)
{
	return f->count == 0;
}

bool filter_is_live(const struct filter *f)
{
	for (size_t i = 0; i < f->count; i++) {
		for (size_t j = 0; j < f->terms[i].count; j++) {
			if (f->terms[i].atoms[j].look >= LOOK_STATE)
				return true;
		}
	}
	return false;
}
