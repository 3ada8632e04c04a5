/*
 * A word or a ~regular expression that matches anywhere in a text. Smart case: a pattern
 * without capital letters ignores case. Pure (PCRE2).
 */
#pragma once

#include "ui/tui/terminal/canvas.h"

#include <stdbool.h>
#include <stddef.h>

struct pattern;

/* NULL: not a regular expression; `why` has the reason and its position. */
struct pattern *pattern_parse(const char *text, char *why, size_t size);
/* The same of a word, whatever it begins with. */
struct pattern *pattern_word(const char *text);
void pattern_free(struct pattern *p);

bool pattern_match(const struct pattern *p, const char *text);
/* The same, and the match as byte offsets. */
bool pattern_find(const struct pattern *p, const char *text, size_t *start, size_t *end);

/*
 * Mark the match in a line that was drawn at this column without its first `hscroll` columns. NULL
 * marks nothing.
 */
void pattern_mark(const struct pattern *p, struct canvas *c, int y, int x, int style,
	const char *line, int hscroll);
