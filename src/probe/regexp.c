/* Regular expressions by PCRE2. A limit on steps stops an expression with exponential cost. */
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

void probes_regexp_translate(const char *text, char *out, size_t *origin)
{
	bool escaped = false; /* by the character before */
	size_t n = 0;

	for (size_t at = 0;; at++) {
		bool escape = !escaped && text[at] == '\\' && text[at + 1];

		escaped = escape;
		if (escape && strchr("|()", text[at + 1]))
			continue;
		if (origin)
			origin[n] = at;
		out[n++] = text[at];
		if (!text[at])
			return;
	}
}

int regexp_compile(const char *text, bool anchored, struct regexp **regexp, struct probes_error *e)
{
	struct regexp *r = calloc(1, sizeof *r);
	char *pattern = malloc(strlen(text) + 1);
	size_t *origin = calloc(strlen(text) + 1, sizeof *origin), length;
	PCRE2_SIZE place = 0;
	PCRE2_UCHAR8 why[200];
	int number = PCRE2_ERROR_HEAP_FAILED, code = 0;

	if (r && pattern && origin) {
		probes_regexp_translate(text, pattern, origin);
		r->code = pcre2_compile((PCRE2_SPTR8)pattern, PCRE2_ZERO_TERMINATED,
			(anchored ? PCRE2_ANCHORED : 0) | PCRE2_NEVER_BACKSLASH_C, &number, &place,
			NULL);
	}
	if (r && r->code) {
		r->data = pcre2_match_data_create_from_pattern(r->code, NULL);
		r->limits = pcre2_match_context_create(NULL);
		if (r->limits)
			pcre2_set_match_limit(r->limits, REGEXP_STEPS);
		if (!r->data || !r->limits)
			code = error_memory(e, "a regular expression");
	} else if (number == PCRE2_ERROR_HEAP_FAILED) {
		code = error_memory(e, "a regular expression");
	} else {
		length = strlen(pattern);
		pcre2_get_error_message(number, why, sizeof why);
		error_set(e, PROBES_USAGE, -EINVAL, "bad regular expression '%s'", text);
		error_why(e, "%s at character %zu", (const char *)why,
			origin[place < length ? place : length] + 1);
		code = error_hint(e, "write [(] for a bracket that is to be matched");
	}
	free(pattern);
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
