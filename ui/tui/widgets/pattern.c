/*
 * A word or a ~regular expression. Accepts Str's spelling of alternatives and groups
 * (\| \( \)), as the command line does.
 */
#include "ui/tui/widgets/pattern.h"

#include "ui/tui/terminal/text.h"

#include "probes.h"
#include "ui/tui/terminal/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct pattern {
	char *word; /* the word, or NULL for a regular expression */
	bool any_case;
	pcre2_code *code;
	pcre2_match_data *match;
};

/* Smart case: a capital letter makes case matter. */
static bool pattern_any_case(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' && text[1]) /* \W is no capital */
			text++;
		else if (isupper((unsigned char)*text))
			return false;
	}
	return true;
}

struct pattern *pattern_word(const char *text)
{
	struct pattern *p = mem_alloc(sizeof *p);

	p->any_case = pattern_any_case(text);
	p->word = mem_text(text);
	return p;
}

struct pattern *pattern_parse(const char *text, char *why, size_t size)
{
	struct pattern *p;
	uint32_t flags = PCRE2_UTF | PCRE2_NO_AUTO_CAPTURE;
	PCRE2_UCHAR message[128];
	PCRE2_SIZE at;
	size_t *origin;
	char *pcre;
	int error;

	why[0] = '\0';
	if (text[0] != '~')
		return pattern_word(text);
	p = mem_alloc(sizeof *p);
	p->any_case = pattern_any_case(text);
	pcre = mem_alloc(strlen(text));
	origin = mem_array(strlen(text), sizeof *origin);
	probes_regexp_translate(text + 1, pcre, origin);
	p->code = pcre2_compile((PCRE2_SPTR)pcre, PCRE2_ZERO_TERMINATED,
		flags | (p->any_case ? PCRE2_CASELESS : 0), &error, &at, NULL);
	if (p->code) {
		pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE); /* only faster */
		p->match = pcre2_match_data_create_from_pattern(p->code, NULL);
	} else {
		pcre2_get_error_message(error, message, sizeof message);
		snprintf(why, size, "regular expression: %s at character %zu", (char *)message,
			origin[at] + 1);
	}
	free(pcre);
	free(origin);
	if (p->match)
		return p;
	pattern_free(p);
	return NULL;
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	free(p->word);
	pcre2_match_data_free(p->match);
	pcre2_code_free(p->code);
	free(p);
}

/*
 * Find a word in a text, ignoring case. On short texts strcasestr(3) is slower: it preprocesses
 * the word on each call.
 */
static const char *pattern_search(const char *text, const char *word)
{
	int first = tolower((unsigned char)*word);
	size_t length = strlen(word);

	if (!length)
		return text;
	for (; *text; text++)
		if (tolower((unsigned char)*text) == first && !strncasecmp(text, word, length))
			return text;
	return NULL;
}

bool pattern_find(const struct pattern *p, const char *text, size_t *start, size_t *end)
{
	if (p->word) {
		const char *at =
			p->any_case ? pattern_search(text, p->word) : strstr(text, p->word);

		*start = at ? (size_t)(at - text) : 0;
		*end = *start + strlen(p->word);
		return at;
	}
	if (pcre2_match(p->code, (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, 0, p->match, NULL) < 0)
		return false;
	*start = pcre2_get_ovector_pointer(p->match)[0];
	*end = pcre2_get_ovector_pointer(p->match)[1];
	return true;
}

bool pattern_match(const struct pattern *p, const char *text)
{
	size_t start, end;

	return pattern_find(p, text, &start, &end);
}

void pattern_mark(const struct pattern *p, struct canvas *c, int y, int x, int style,
	const char *line, int hscroll)
{
	size_t start, end;
	int from, rest;

	if (!p || !pattern_find(p, line, &start, &end) || start >= end)
		return;
	rest = text_width(line + start);
	from = text_width(line) - rest - hscroll;
	if (from >= 0)
		canvas_put(c, y, x + from, rest - text_width(line + end), style, line + start);
}
