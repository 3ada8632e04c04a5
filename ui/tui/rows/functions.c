/*
 * Functions of rows. Owns the names; the looking up is the engine's.
 */
#include "ui/tui/rows/functions.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void functions_forget(struct functions_row *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->names[i]);
	free(r->names);
}

void functions_done(struct functions *f)
{
	for (size_t i = 0; i < f->count; i++)
		functions_forget(&f->rows[i]);
	free(f->rows);
	memset(f, 0, sizeof *f);
}

static void functions_keep(struct functions_row *r, const char *raw)
{
	char name[TEXT_MAX];

	text_clean(raw, name, sizeof name);
	for (size_t i = r->count; i-- > 0;) { /* neighbours are likely to be equal */
		if (!strcmp(r->names[i], name))
			return;
	}
	r->names = mem_grow(r->names, &r->capacity, r->count + 1, sizeof *r->names);
	r->names[r->count++] = mem_text(name);
}

static int64_t functions_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void functions_begin(struct functions *f, int ms)
{
	f->until_ms = functions_now_ms() + ms;
	f->waiting = 0;
}

/* The code is the same file's in every process: one that has it is enough. */
static void functions_look_up(
	const struct functions *f, struct functions_row *r, const struct model *m, uint32_t row)
{
	struct model_member member = model_member(m, row);
	struct probes_session *s = m->processes[member.process].session;
	uint32_t sites = probes_at(s, member.probe)->site_count;

	for (; r->next < sites && r->next < FUNCTIONS_SITES; r->next++) {
		struct probes_source where;

		if (functions_now_ms() >= f->until_ms)
			return;
		probes_source(s, member.probe, r->next, &where);
		if (where.function[0])
			functions_keep(r, where.function);
	}
	r->known = true;
}

const char *functions_at(struct functions *f, const struct model *m, uint32_t row, size_t i)
{
	struct functions_row *r;

	if (m->rows[row].member == MODEL_NONE)
		return NULL;
	f->rows = mem_grow(f->rows, &f->capacity, row + 1, sizeof *f->rows);
	while (f->count <= row)
		f->rows[f->count++] = (struct functions_row){0};
	r = &f->rows[row];
	if (!r->known)
		functions_look_up(f, r, m, row);
	f->waiting += !r->known;
	return r->known && i < r->count ? r->names[i] : NULL;
}
