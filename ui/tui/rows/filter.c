/* A filter is a list of terms. A term holds if one of its alternatives (atoms) does. */
#include "ui/tui/rows/filter.h"

#include "ui/states.h"
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

static const struct {
	const char *text;
	enum filter_look look;
} filter_prefixes[] = {
	{"prov:", LOOK_PROVIDER},
	{"obj:", LOOK_OBJECT},
	{"fn:", LOOK_FUNCTION},
};

/* Add an alternative to a term. 0, or -1 and why. */
static int filter_add(
	struct filter_term *t, enum filter_look look, const char *text, char *why, size_t size)
{
	struct filter_atom atom = {.look = look};

	if (!*text)
		return 0; /* "a|" while somebody is still typing */
	if (look == LOOK_TEXT && !strcmp(text, "tagged"))
		atom.look = LOOK_TAGGED;
	if (look == LOOK_TEXT && !strcmp(text, "mine"))
		atom.look = LOOK_MINE;
	for (int state = PROBES_OFF; look == LOOK_TEXT && state < STATES_COUNT; state++) {
		if (!strcmp(text, probes_state_name((enum probes_state)state)))
			atom = (struct filter_atom){LOOK_STATE, (enum probes_state)state, NULL};
	}
	if (atom.look < LOOK_STATE && !(atom.pattern = pattern_parse(text, why, size)))
		return -1;
	t->atoms = mem_grow(t->atoms, &t->capacity, t->count + 1, sizeof *t->atoms);
	t->atoms[t->count++] = atom;
	return 0;
}

struct filter *filter_parse(const char *text, char *why, size_t size)
{
	struct filter *f = mem_alloc(sizeof *f);
	char *copy = mem_text(text), *next = copy, *one, *word;
	int status = 0;

	why[0] = '\0';
	while (!status && (one = strsep(&next, " \t"))) {
		enum filter_look look = LOOK_TEXT;
		struct filter_term *t;

		if (!*one)
			continue;
		f->terms = mem_grow(f->terms, &f->capacity, f->count + 1, sizeof *f->terms);
		t = &f->terms[f->count++];
		*t = (struct filter_term){.negative = *one == '-'};
		one += t->negative;
		for (size_t i = 0; i < sizeof filter_prefixes / sizeof *filter_prefixes; i++) {
			size_t n = strlen(filter_prefixes[i].text);

			if (look == LOOK_TEXT && !strncmp(one, filter_prefixes[i].text, n)) {
				look = filter_prefixes[i].look;
				one += n;
			}
		}
		if (*one == '~')
			status = filter_add(t, look, one, why, size);
		else
			while (!status && (word = strsep(&one, "|")))
				status = filter_add(t, look, word, why, size);
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

static bool filter_match_atom(const struct filter_atom *a, const struct filter_subject *s)
{
	const char *name;

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
		for (size_t i = 0; s->function && (name = s->function(s->data, i)); i++) {
			if (pattern_match(a->pattern, name))
				return true;
		}
		return false;
	case LOOK_TEXT:
		break;
	}
	return pattern_match(a->pattern, s->text) || pattern_match(a->pattern, s->object);
}

bool filter_match(const struct filter *f, const struct filter_subject *s)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct filter_term *t = &f->terms[i];
		bool found = false;

		for (size_t k = 0; k < t->count && !found; k++)
			found = filter_match_atom(&t->atoms[k], s);
		if (t->count && found == t->negative)
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
