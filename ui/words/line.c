#include "ui/words/line.h"

#include <stdarg.h>
#include <stdio.h>

void line_add(struct line *l, const char *format, ...)
{
	size_t room = l->size - l->length;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(l->text + l->length, room, format, arguments);
	va_end(arguments);
	if (n > 0)
		l->length += (size_t)n < room ? (size_t)n : room - 1;
}

const char *line_s(size_t count)
{
	return count == 1 ? "" : "s";
}
