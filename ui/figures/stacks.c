/* See stacks.h. */
#include "ui/figures/stacks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <xxhash.h>

#include "probes.h"

#define SLOTS (2 * STACKS_MOST) /* a power of 2 */

bool stacks_begin(struct stacks *s)
{
	*s = (struct stacks){0};
	s->rows = calloc(STACKS_MOST, sizeof *s->rows);
	s->slots = calloc(SLOTS, sizeof *s->slots);
	memcpy(&s->secret, (const void *)getauxval(AT_RANDOM), sizeof s->secret);
	if (s->rows && s->slots)
		return true;
	stacks_done(s);
	return false;
}

void stacks_done(struct stacks *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->rows[i].text);
	free(s->rows);
	free(s->slots);
	*s = (struct stacks){0};
}

void stacks_add(struct stacks *s, const char *text)
{
	size_t length = strlen(text), at = XXH3_64bits_withSeed(text, length, s->secret);
	struct stacks_row *row = &s->rows[s->count];

	s->samples++;
	for (at &= SLOTS - 1; s->slots[at]; at = (at + 1) & (SLOTS - 1))
		if (!strcmp(s->rows[s->slots[at] - 1].text, text)) {
			s->rows[s->slots[at] - 1].samples++;
			return;
		}
	if (s->count < STACKS_MOST && s->bytes + length < STACKS_BYTES)
		row->text = strdup(text);
	if (s->count == STACKS_MOST || !row->text) {
		s->others++;
		return;
	}
	row->samples = 1;
	s->bytes += length;
	s->slots[at] = (uint32_t)++s->count;
}

static int compare(const void *x, const void *y)
{
	const struct stacks_row *a = x, *b = y;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return strcmp(a->text, b->text);
}

void stacks_sort(struct stacks *s)
{
	qsort(s->rows, s->count, sizeof *s->rows, compare);
}

size_t stacks_put(char out[STACKS_TEXT], size_t at, const char *name)
{
	char safe[1200];
	size_t length;

	probes_escape(name, safe, sizeof safe);
	length = strlen(safe);
	if (length + 1 > at)
		return at;
	for (char *c = strchr(safe, ';'); c; c = strchr(c, ';'))
		*c = ':';
	if (out[at])
		out[--at] = ';';
	memcpy(out + at - length, safe, length);
	return at - length;
}
