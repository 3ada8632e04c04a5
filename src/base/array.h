/* A growable array of equal elements. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct array {
	void *data;
	size_t count;
	size_t capacity;
	size_t size; /* of one element, in bytes */
};

/* An empty one: struct array mappings = ARRAY_OF(struct mapping). */
#define ARRAY_OF(type) ((struct array){.size = sizeof(type)})

/* Free the elements; it is empty then. */
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

/* Append a copy of an element; false when there is no memory. */
static inline bool array_push(struct array *a, const void *element)
{
	void *slot = array_add(a);

	return slot && memcpy(slot, element, a->size);
}

/* Return the data (NULL if empty), which the caller frees; the array is empty then. */
void *array_take(struct array *a);

#define ARRAY_AT(array, type, index) (&((type *)(array)->data)[index])

/* Behind the last element; no sum with NULL where there are none. */
static inline void *array_end(const struct array *a)
{
	return a->count ? (char *)a->data + a->count * a->size : a->data;
}

/*
 * A loop over the elements: ARRAY_EACH(const struct mapping, m, mappings). It may not add elements,
 * which may move all of them. ARRAY_EACH_WHILE: as long as the condition holds, too.
 */
#define ARRAY_EACH(type, one, array) ARRAY_EACH_WHILE(true, type, one, array)
#define ARRAY_EACH_WHILE(condition, type, one, array) \
	for (type *one = (array)->data; (condition) && one < (type *)array_end(array); one++)
