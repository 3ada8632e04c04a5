/* PCRE2 behind three calls; the step limit keeps a catastrophic expression from hanging us. */
#include "probe/regexp.h"

#define PCRE2_CODE_UNIT_WIDTH 8

#include "base/error.h"

#include <errno.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#define REGEXP_STEPS 1000000

struct regexp {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

/*
 * Drop the backslash of Str's three operators. Nothing else is touched, in particular not a
 * backslash that is itself escaped. origin[i] is where character i stood.
 */
static void regexp_translate(const char *text, char *out, size_t *origin)
{
	size_t at = 0, n = 0;

	while (text[at]) {
		if (text[at] == '\\' && text[at + 1] && strchr("|()", text[at + 1]))
			at++;
		else if (text[at] == '\\' && text[at + 1]) {
			origin[n] = at;
			out[n++] = text[at++];
		}
		origin[n] = at;
		out[n++] = text[at++];
	}
	origin[n] = at;
	out[n] = '\0';
}

static int regexp_bad(const char *text, int number, size_t place, struct probes_error *e)
{
	PCRE2_UCHAR8 why[200];

	pcre2_get_error_message(number, why, sizeof why);
	error_set(e, PROBES_USAGE, -EINVAL, "bad regular expression '%s'", text);
	error_why(e, "%s at character %zu", (const char *)why, place + 1);
	return error_hint(e, "write [(] for a bracket that is part of the name");
}

static int regexp_build(struct regexp *r, const char *text, const char *translated,
	const size_t *origin, struct probes_error *e)
{
	PCRE2_SIZE place = 0;
	int number = 0;

	r->code = pcre2_compile((PCRE2_SPTR8)translated, PCRE2_ZERO_TERMINATED,
		PCRE2_ANCHORED | PCRE2_NEVER_BACKSLASH_C, &number, &place, NULL);
	if (!r->code && number == PCRE2_ERROR_HEAP_FAILED)
		return error_memory(e, "a regular expression");
	if (!r->code)
		return regexp_bad(text, number,
			origin[place < strlen(translated) ? place : strlen(translated)], e);
	r->data = pcre2_match_data_create_from_pattern(r->code, NULL);
	r->limits = pcre2_match_context_create(NULL);
	if (!r->data || !r->limits)
		return error_memory(e, "a regular expression");
	pcre2_set_match_limit(r->limits, REGEXP_STEPS);
	return 0;
}

int regexp_compile(const char *text, struct regexp **regexp, struct probes_error *e)
{
	struct regexp *r = calloc(1, sizeof *r);
	char *translated = malloc(strlen(text) + 1);
	size_t *origin = calloc(strlen(text) + 1, sizeof *origin);
	int code;

	if (r && translated && origin) {
		regexp_translate(text, translated, origin);
		code = regexp_build(r, text, translated, origin, e);
	} else {
		code = error_memory(e, "a regular expression");
	}
	free(translated);
	free(origin);
	if (code == 0)
		*regexp = r;
	else
		regexp_free(r);
	return code;
}

void regexp_free(struct regexp *r)
{
	if (!r)
		return;
	pcre2_match_context_free(r->limits);
	pcre2_match_data_free(r->data);
	pcre2_code_free(r->code);
	free(r);
}

int regexp_match(struct regexp *r, const char *subject)
{
	int n = pcre2_match(
		r->code, (PCRE2_SPTR8)subject, PCRE2_ZERO_TERMINATED, 0, 0, r->data, r->limits);

	if (n == PCRE2_ERROR_NOMATCH)
		return 0;
	return n < 0 ? -E2BIG : 1;
}
