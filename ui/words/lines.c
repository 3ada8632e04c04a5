#include "ui/words/lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct lines *l, size_t length)
{
	size_t capacity = l->capacity ? l->capacity : 1 << 16;
	char *text;

	while (capacity - l->length <= length)
		capacity *= 2;
	text = capacity > l->capacity ? realloc(l->text, capacity) : l->text;
	if (!text) {
		l->failed = true;
		return false;
	}
	l->text = text;
	l->capacity = capacity;
	return true;
}

void lines_put(struct lines *l, const char *text)
{
	size_t length = strlen(text);

	if (!reserve(l, length + 1))
		return;
	memcpy(l->text + l->length, text, length);
	l->length += length;
}

void lines_format(struct lines *l, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	lines_put(l, text);
}

void lines_end(struct lines *l, size_t from, int64_t time_ns)
{
	if (l->count == l->line_capacity) {
		size_t capacity = l->line_capacity ? 2 * l->line_capacity : 1024;
		struct lines_one *all = reallocarray(l->all, capacity, sizeof *all);

		if (!all) {
			l->failed = true;
			return;
		}
		l->all = all;
		l->line_capacity = capacity;
	}
	lines_put(l, "\n");
	l->all[l->count++] = (struct lines_one){time_ns, from, l->length - from};
}

static int compare(const void *x, const void *y)
{
	const struct lines_one *a = x, *b = y;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

void lines_sort(struct lines *l)
{
	if (l->count)
		qsort(l->all, l->count, sizeof *l->all, compare);
}

void lines_clear(struct lines *l)
{
	l->count = l->length = 0;
}

void lines_done(struct lines *l)
{
	free(l->text);
	free(l->all);
}
