#include "ui/tui/terminal/mem.h"

#include <stdlib.h>
#include <string.h>

static void *mem_must(void *p)
{
	if (!p)
		abort();
	return p;
}

void *mem_alloc(size_t size)
{
	return mem_must(calloc(1, size ? size : 1));
}

void *mem_array(size_t n, size_t size)
{
	return mem_must(calloc(n ? n : 1, size));
}

char *mem_text(const char *text)
{
	return mem_must(strdup(text));
}

void *mem_grow(void *array, size_t *capacity, size_t need, size_t size)
{
	size_t n = *capacity ? *capacity : 16;

	if (need <= *capacity)
		return array;
	while (n < need)
		n *= 2;
	array = mem_must(reallocarray(array, n, size));
	*capacity = n;
	return array;
}
