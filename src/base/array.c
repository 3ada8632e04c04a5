#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

void array_done(struct array *a)
{
	free(a->data);
	*a = (struct array){.size = a->size};
}

bool array_reserve(struct array *a, size_t more)
{
	size_t need, capacity = a->capacity ? a->capacity : 8;
	void *data;

	if (__builtin_add_overflow(a->count, more, &need) || need > SIZE_MAX / 2 / a->size)
		return false;
	if (need <= a->capacity)
		return true;
	while (capacity < need)
		capacity *= 2;
	data = realloc(a->data, capacity * a->size);
	if (!data)
		return false;
	a->data = data;
	a->capacity = capacity;
	return true;
}

void *array_take(struct array *a)
{
	void *data = a->data;

	*a = (struct array){.size = a->size};
	return data;
}
