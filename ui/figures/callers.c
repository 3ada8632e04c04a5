#include "ui/figures/callers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <xxhash.h>

#include "ui/figures/event.h"

/* At most half of each hash table is taken. Both are powers of 2. */
#define SLOTS (2 * CALLERS_MOST)
#define PLACES (2 * CALLERS_PLACES)
#define OTHERS UINT32_MAX /* the row of what found no place */

/* An address, and its row: 1 + index, or OTHERS; 0: the place is free. */
struct callers_place {
	uint64_t address;
	uint32_t process, row;
};

bool callers_begin(struct callers *c, bool apart)
{
	*c = (struct callers){.apart = apart};
	c->rows = calloc(CALLERS_MOST, sizeof *c->rows);
	c->slots = calloc(SLOTS, sizeof *c->slots);
	c->places = calloc(PLACES, sizeof *c->places);
	memcpy(&c->secret, (const void *)getauxval(AT_RANDOM), sizeof c->secret);
	if (c->rows && c->slots && c->places)
		return true;
	callers_done(c);
	return false;
}

/* The place of an address, or the free one where it belongs. */
static struct callers_place *place_of(const struct callers *c, uint32_t process, uint64_t address)
{
	size_t at = XXH3_64bits_withSeed(&address, sizeof address, c->secret + process);

	for (at &= PLACES - 1; c->places[at].row; at = (at + 1) & (PLACES - 1))
		if (c->places[at].address == address && c->places[at].process == process)
			break;
	return &c->places[at];
}

/* The slot of a caller, or the free one where it belongs. Names are the program's: it must not know
 * which ones collide. */
static uint32_t *slot_of(
	const struct callers *c, uint32_t process, const char *text, const char *object)
{
	size_t at = XXH3_64bits_withSeed(text, strlen(text), c->secret + (c->apart ? process : 0));
	const struct callers_row *row;

	for (at &= SLOTS - 1; c->slots[at]; at = (at + 1) & (SLOTS - 1)) {
		row = &c->rows[c->slots[at] - 1];
		if (!strcmp(row->text, text) && (!c->apart || row->process == process) &&
			(!row->object || !object || !strcmp(row->object, object)))
			break;
	}
	return &c->slots[at];
}

/* 1 + the row of a caller, which is added. OTHERS: there are too many. */
static uint32_t row_of(
	struct callers *c, uint32_t process, uint64_t address, const struct probes_caller *caller)
{
	char text[EVENT_CALLER_BYTES], symbol[EVENT_CALLER_BYTES], line[EVENT_CALLER_BYTES];
	uint32_t *slot = slot_of(c, process, event_caller(caller, address, text), caller->object);
	struct callers_row *row = &c->rows[c->count];

	if (*slot)
		return *slot;
	if (c->count == CALLERS_MOST)
		return OTHERS;
	row->text = strdup(text);
	if (!row->text) {
		c->failed = true;
		return OTHERS;
	}
	if (caller->object) {
		row->object = strdup(caller->object);
		row->symbol = strdup(event_caller_symbol(caller, address, symbol));
	}
	if (event_caller_line(caller, line))
		row->line = strdup(line);
	row->process = process;
	row->address = address;
	row->pc = caller->pc;
	*slot = (uint32_t)++c->count;
	return *slot;
}

bool callers_hit(struct callers *c, uint32_t process, uint64_t address)
{
	uint32_t row = place_of(c, process, address)->row;

	if (!row && c->place_count < CALLERS_PLACES)
		return false;
	c->hits++;
	if (!row || row == OTHERS)
		c->others++;
	else
		c->rows[row - 1].hits++;
	return true;
}

void callers_add(
	struct callers *c, uint32_t process, uint64_t address, const struct probes_caller *caller)
{
	*place_of(c, process, address) =
		(struct callers_place){address, process, row_of(c, process, address, caller)};
	c->place_count++;
	(void)callers_hit(c, process, address);
}

void callers_done(struct callers *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->rows[i].text);
		free(c->rows[i].symbol);
		free(c->rows[i].line);
		free(c->rows[i].object);
	}
	free(c->rows);
	free(c->slots);
	free(c->places);
	*c = (struct callers){0};
}

double callers_share(const struct callers *c, uint64_t hits)
{
	return c->hits ? 100.0 * (double)hits / (double)c->hits : 0;
}

static int compare(const void *x, const void *y)
{
	const struct callers_row *a = *(const struct callers_row *const *)x;
	const struct callers_row *b = *(const struct callers_row *const *)y;

	if (a->hits != b->hits)
		return a->hits > b->hits ? -1 : 1;
	return strcmp(a->text, b->text);
}

const struct callers_row **callers_sorted(const struct callers *c)
{
	const struct callers_row **all = calloc(c->count + 1, sizeof(void *));

	for (size_t i = 0; all && i < c->count; i++)
		all[i] = &c->rows[i];
	if (all)
		qsort(all, c->count, sizeof(void *), compare);
	return all;
}
