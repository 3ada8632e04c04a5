/*
 * A word or a ~regular expression to be found anywhere in a text; smart-case:
 * without a capital letter, case does not matter. Pure (PCRE2).
 */
#ifndef UI_TUI_WIDGETS_PATTERN_H
#define UI_TUI_WIDGETS_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

struct pattern;

/* NULL and a reason, with its place, if it is no regular expression. */
struct pattern *pattern_parse(const char *text, char *why, size_t size);
void pattern_free(struct pattern *p);

bool pattern_match(const struct pattern *p, const char *text);
/* The same, and where: offsets in bytes. */
bool pattern_find(const struct pattern *p, const char *text, size_t *start, size_t *end);

#endif
