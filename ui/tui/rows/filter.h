/*
 * The filter language. Pure.
 *
 *   filter = { term }              all of them must hold
 *   term   = [ "-" ] alternatives  - : must not hold
 *   alternatives = [ "prov:" | "obj:" | "fn:" ] ( "~" regex | word { "|" word } )
 *   word   = characters but blanks and |, or any in "quotes"
 *
 * A word is found anywhere in provider:name or in the object's file name, smart-case; after fn: in
 * a function that contains one of its sites. Without a prefix the names of states
 * (probes_state_name, but for "unknown"; "none" or the two words "no switch" is no switch) select
 * by state, "tagged" and "mine" select tagged probes and those that this session holds or counts,
 * "counted" those whose hits are counted; of these, hits>N and rate>N ( < <= >= = ; N: 100, 2.5k,
 * 3M) select by the hits since counting began and the hits a second.
 */
#pragma once

#include "probes.h"

/* The parts of a row that a filter tests. */
struct filter_subject {
	const char *text; /* "provider:name" */
	const char *provider;
	const char *object;
	enum probes_state state;
	bool tagged, mine, counted;
	double hits, rate; /* of what is counted; negative: not known */
	/* the functions that its sites lie in, one by one, NULL after the last; may be NULL */
	const char *(*function)(void *data, size_t i);
	void *data;
};

struct filter;

/* Never NULL for an empty text (it matches everything); NULL and a reason on a mistake. */
struct filter *filter_parse(const char *text, char *why, size_t size);
void filter_free(struct filter *f);
/* Parse a filter in place of another. -1: `why` explains, and the old one stays. */
int filter_replace(struct filter **f, const char *text, char *why, size_t size);
/* As it was typed; "" of NULL. */
const char *filter_text(const struct filter *f);
/* The words that are no text: states and prefixes; NULL after the last. recorded: only those that
 * can hold in a recording. */
const char *filter_word(size_t i, bool recorded);
bool filter_match(const struct filter *f, const struct filter_subject *s);
/* Does every row pass it? */
bool filter_is_empty(const struct filter *f);
/* Does the result depend on states, tags or hits? */
bool filter_is_live(const struct filter *f);
/* Does it look at hits, which change all the time? */
bool filter_asks_hits(const struct filter *f);
/* Does it look at functions? */
bool filter_asks_functions(const struct filter *f);
