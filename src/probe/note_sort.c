/* The notes of an object in the order of their names; see sorted.h. */
#include "probe/note_sort.h"

#include "base/order.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static uint64_t note_sort_prefix(const char *text)
{
	uint64_t key = 0;

	for (unsigned left = 64; left && *text; text++)
		key |= (uint64_t)(unsigned char)*text << (left -= 8);
	return key;
}

/* A prefix whose last byte is not NUL may go on. */
static int note_sort_compare_text(uint64_t x, uint64_t y, const char *a, const char *b)
{
	if (x != y)
		return x < y ? -1 : 1;
	return x & 0xff ? strcmp(a + 8, b + 8) : 0;
}

static int note_sort_compare_names(const struct note_sort_entry *x, const struct note_sort_entry *y)
{
	int r = note_sort_compare_text(
		x->provider, y->provider, x->note->provider, y->note->provider);

	return r ? r : note_sort_compare_text(x->name, y->name, x->note->name, y->note->name);
}

static int note_sort_by_name(const void *a, const void *b)
{
	const struct note_sort_entry *x = a, *y = b;
	int r = note_sort_compare_names(x, y);

	if (r == 0)
		r = (x->note->pc > y->note->pc) - (x->note->pc < y->note->pc);
	if (r == 0)
		r = (x->note->semaphore > y->note->semaphore) -
		    (x->note->semaphore < y->note->semaphore);
	return r;
}

/* They mostly are in order already: a file names the sites of a probe by their addresses. */
static void note_sort_settle(struct note_sort_entry *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (note_sort_by_name(&items[i - 1], &items[i]) > 0) {
			qsort(items, count, sizeof *items, note_sort_by_name);
			return;
		}
}

/* By what the numbers say; then the few whose numbers are alike, by all of their names. */
static bool note_sort_sort(struct note_sort_entry *items, size_t count)
{
	size_t next;

	if (!order_by_number(items, count, sizeof *items, offsetof(struct note_sort_entry, name)) ||
		!order_by_number(
			items, count, sizeof *items, offsetof(struct note_sort_entry, provider)))
		return false;
	for (size_t at = 0; at < count; at = next) {
		for (next = at + 1; next < count; next++)
			if (items[next].name != items[at].name ||
				items[next].provider != items[at].provider)
				break;
		note_sort_settle(&items[at], next - at);
	}
	return true;
}

struct note_sort_entry *note_sort(const struct object *file)
{
	struct note_sort_entry *items = malloc((file->note_count + 1) * sizeof *items);

	for (size_t i = 0; items && i < file->note_count; i++) {
		const struct note *note = &file->notes[i];

		/* A provider is mostly said again and again. */
		items[i] = (struct note_sort_entry){
			.provider = i && note->provider == note[-1].provider
					    ? items[i - 1].provider
					    : note_sort_prefix(note->provider),
			.name = note_sort_prefix(note->name),
			.note = note,
		};
	}
	if (items && note_sort_sort(items, file->note_count))
		return items;
	free(items);
	return NULL;
}

bool note_sort_same_probe(const struct note_sort_entry *x, const struct note_sort_entry *y)
{
	return !note_sort_compare_names(x, y);
}
