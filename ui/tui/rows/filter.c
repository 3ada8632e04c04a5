/* A filter is a list of terms. A term holds if one of its alternatives (atoms) does. */
#include "ui/tui/rows/filter.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/widgets/pattern.h"
#include "ui/words/states.h"

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
	LOOK_MINE,
	LOOK_COUNTED,
	LOOK_HITS,
	LOOK_RATE
};

struct filter_atom {
	enum filter_look look;
	enum probes_state state;
	struct pattern *pattern;
	/* of hits and rate: which of less, equal, greater pass, as bits; and than what */
	unsigned passes;
	double limit;
};

enum { FILTER_LESS = 1, FILTER_EQUAL = 2, FILTER_MORE = 4 };

struct filter_term {
	bool negative;
	struct filter_atom *atoms;
	size_t count, capacity;
};

struct filter {
	char *text;
	struct filter_term *terms;
	size_t count, capacity;
};

/* Words that are no text, beside the states. */
static const struct filter_word {
	const char *text;
	enum filter_look look;
} filter_words[] = {
	{"mine", LOOK_MINE},
	{"tagged", LOOK_TAGGED},
	{"counted", LOOK_COUNTED},
	{"prov:", LOOK_PROVIDER},
	{"obj:", LOOK_OBJECT},
	{"fn:", LOOK_FUNCTION},
};

#define FILTER_WORDS (sizeof filter_words / sizeof *filter_words)

const char *filter_word(size_t i, bool recorded)
{
	size_t of_states = STATES_COUNT - PROBES_OFF;

	i += recorded ? of_states + 1 : 0; /* and "mine" */
	if (i < of_states)
		return probes_state_name((enum probes_state)(PROBES_OFF + i));
	return i - of_states < FILTER_WORDS ? filter_words[i - of_states].text : NULL;
}

/*
 * "hits>100", "rate<=2.5k". LOOK_TEXT: it is none; -1, and why: it is a wrong one.
 */
static int filter_figure(const char *word, struct filter_atom *atom, char *why, size_t size)
{
	static const char units[] = "kMGT";
	const char *at = word + 4, *unit;
	char *end;
	bool rate = !strncmp(word, "rate", 4);

	if ((!rate && strncmp(word, "hits", 4) != 0) || !*at || !strchr("<>=", *at))
		return LOOK_TEXT;
	atom->look = rate ? LOOK_RATE : LOOK_HITS;
	atom->passes = *at == '<' ? FILTER_LESS : *at == '>' ? FILTER_MORE : FILTER_EQUAL;
	if (*at++ != '=' && *at == '=') {
		atom->passes |= FILTER_EQUAL;
		at++;
	}
	atom->limit = strtod(at, &end);
	unit = *end ? strchr(units, *end) : NULL;
	for (const char *u = units; unit && u <= unit; u++)
		atom->limit *= 1000;
	if (end > at && *at >= '0' && *at <= '9' && (!*end || (unit && !end[1])))
		return (int)atom->look;
	snprintf(why, size, "%.40s: add a number, such as %s>100 or %s>2.5k", word,
		rate ? "rate" : "hits", rate ? "rate" : "hits");
	return -1;
}

/* The length of a state at `at` that the screen shows in two words ("no switch"), or 0. */
static size_t filter_two_words(const char *at)
{
	for (int state = PROBES_OFF; state < STATES_COUNT; state++) {
		const char *word = states[state].word;
		size_t n = strlen(word);

		if (strchr(word, ' ') && !strncmp(at, word, n) && (!at[n] || strchr(" \t|", at[n])))
			return n;
	}
	return 0;
}

static struct filter_atom filter_meaning(const char *word)
{
	for (size_t i = 0; i < FILTER_WORDS; i++)
		if (!strcmp(word, filter_words[i].text))
			return (struct filter_atom){.look = filter_words[i].look};
	for (int state = PROBES_OFF; state < STATES_COUNT; state++) {
		if (!strcmp(word, probes_state_name((enum probes_state)state)) ||
			!strcmp(word, states[state].word))
			return (struct filter_atom){
				.look = LOOK_STATE, .state = (enum probes_state)state};
	}
	return (struct filter_atom){.look = LOOK_TEXT};
}

/* Add an alternative to a term. 0, or -1 and why. */
static int filter_add(struct filter_term *t, enum filter_look look, const char *text, bool quoted,
	char *why, size_t size)
{
	struct filter_atom atom = {.look = look};

	if (!*text)
		return 0; /* "a|" while somebody is still typing */
	if (look == LOOK_TEXT && !quoted) {
		atom = filter_meaning(text);
		if (filter_figure(text, &atom, why, size) < 0)
			return -1;
	}
	if (atom.look < LOOK_STATE &&
		!(atom.pattern = quoted ? pattern_word(text) : pattern_parse(text, why, size)))
		return -1;
	t->atoms = mem_grow(t->atoms, &t->capacity, t->count + 1, sizeof *t->atoms);
	t->atoms[t->count++] = atom;
	return 0;
}

/* Parse a term, and advance *next past it. Writes into the text. */
static int filter_parse_term(struct filter_term *t, char **next, char *why, size_t size)
{
	enum filter_look look = LOOK_TEXT;
	char *at = *next;
	bool more = true;

	t->negative = *at == '-';
	at += t->negative;
	for (size_t i = 0; i < FILTER_WORDS && look == LOOK_TEXT; i++) {
		size_t n = strlen(filter_words[i].text);

		if (filter_words[i].look < LOOK_STATE && !strncmp(at, filter_words[i].text, n)) {
			look = filter_words[i].look;
			at += n;
		}
	}
	while (more) {
		bool quoted = *at == '"';
		char *word = at + quoted;

		at = word + (quoted || look != LOOK_TEXT ? 0 : filter_two_words(word));
		at += at > word ? 0 : strcspn(word, quoted ? "\"" : *word == '~' ? " \t" : " \t|");
		if (quoted && *at)
			*at++ = '\0';
		more = *at == '|';
		if (*at && strchr(" \t|", *at))
			*at++ = '\0';
		if (filter_add(t, look, word, quoted, why, size) < 0)
			return -1;
	}
	*next = at;
	return 0;
}

struct filter *filter_parse(const char *text, char *why, size_t size)
{
	struct filter *f = mem_alloc(sizeof *f);
	char *copy = mem_text(text), *next = copy;
	int status = 0;

	why[0] = '\0';
	f->text = mem_text(text);
	while (!status && *(next += strspn(next, " \t"))) {
		f->terms = mem_grow(f->terms, &f->capacity, f->count + 1, sizeof *f->terms);
		f->terms[f->count] = (struct filter_term){0};
		status = filter_parse_term(&f->terms[f->count++], &next, why, size);
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
	free(f->text);
	free(f);
}

int filter_replace(struct filter **f, const char *text, char *why, size_t size)
{
	struct filter *parsed = filter_parse(text, why, size);

	if (!parsed)
		return -1;
	filter_free(*f);
	*f = parsed;
	return 0;
}

const char *filter_text(const struct filter *f)
{
	return f ? f->text : "";
}

/* What is not known yet passes nothing. */
static bool filter_compare(const struct filter_atom *a, double n)
{
	return n >= 0 && a->passes & (unsigned)(n < a->limit   ? FILTER_LESS
						: n > a->limit ? FILTER_MORE
							       : FILTER_EQUAL);
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
	case LOOK_COUNTED:
		return s->counted;
	case LOOK_HITS:
		return s->counted && filter_compare(a, s->hits);
	case LOOK_RATE:
		return s->counted && filter_compare(a, s->rate);
	case LOOK_PROVIDER:
		return pattern_match(a->pattern, s->provider);
	case LOOK_OBJECT:
		return pattern_match(a->pattern, s->object);
	case LOOK_FUNCTION:
		for (size_t i = 0; s->function && (name = s->function(s->data, i)); i++)
			if (pattern_match(a->pattern, name))
				return true;
		return false;
	case LOOK_TEXT:
		break;
	}
	return pattern_match(a->pattern, s->text) || pattern_match(a->pattern, s->object);
}

bool filter_match(const struct filter *f, const struct filter_subject *s)
{
	for (const struct filter_term *t = f->terms; t < f->terms + f->count; t++) {
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

static bool filter_looks(const struct filter *f, enum filter_look from, enum filter_look to)
{
	for (size_t i = 0; i < f->count; i++)
		for (size_t j = 0; j < f->terms[i].count; j++) {
			enum filter_look look = f->terms[i].atoms[j].look;

			if (look >= from && look <= to)
				return true;
		}
	return false;
}

bool filter_is_live(const struct filter *f)
{
	return filter_looks(f, LOOK_STATE, LOOK_RATE);
}

bool filter_asks_hits(const struct filter *f)
{
	return filter_looks(f, LOOK_HITS, LOOK_RATE);
}

bool filter_asks_functions(const struct filter *f)
{
	return filter_looks(f, LOOK_FUNCTION, LOOK_FUNCTION);
}
