#include "ui/tui/widgets/search.h"

#include <stdio.h>

int search_set(struct search *s, const char *text, char *why, size_t size)
{
	struct pattern *p = *text ? pattern_parse(text, why, size) : NULL;

	if (*text && !p)
		return -1;
	pattern_free(s->pattern);
	s->pattern = p;
	snprintf(s->text, sizeof s->text, "%s", text);
	return 0;
}

void search_done(struct search *s)
{
	pattern_free(s->pattern);
	*s = (struct search){0};
}

size_t search_next(const struct search *s, size_t count, size_t from, int direction,
	const char *(*line)(const void *data, size_t i), const void *data)
{
	size_t at = from < count ? from : direction > 0 ? 0 : count - 1;

	for (size_t i = 0; s->pattern && i < count; i++) {
		const char *text = line(data, at);

		if (text && pattern_match(s->pattern, text))
			return at;
		at = direction > 0 ? (at + 1) % count : (at + count - 1) % count;
	}
	return count;
}
