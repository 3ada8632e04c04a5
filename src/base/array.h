/* A growable array of equal elements. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct array {
	void *data;
	size_t count;
	size_t capacity;
	size_t size; /* of one element, in bytes */
};

void array_init(struct array *a, size_t element_size);
void array_done(struct array *a);

/* Reserve space for `more` further elements; false when there is no memory (nothing changes). */
bool array_reserve(struct array *a, size_t more);

/* Append one zeroed element and return it, or NULL when there is no memory. */
static inline void *array_add(struct array *a)
{
	if (a->count == a->capacity && !array_reserve(a, 1))
		return NULL;
	return memset((char *)a->data + a->count++ * a->size, 0, a->size);
}

/* Return the data (NULL if empty), which the caller frees; the array is empty then. */
void *array_take(struct array *a);

#define ARRAY_AT(array, type, index) (&((type *)(array)->data)[index])

#endif
