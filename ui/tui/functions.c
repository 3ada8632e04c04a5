/*
 * Functions of rows. Owns the names; the looking up is the engine's.
 */
#include "ui/tui/functions.h"

#include "ui/tui/mem.h"
#include "ui/tui/text.h"

#include <stdlib.h>
#include <string.h>

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

/* The code is the same file's in every process: one that has it is enough. */
static void functions_look_up(struct functions_row *r, const struct model *m, uint32_t row)
{
	const struct model_member *member = &m->members[m->rows[row].member];
	struct probes_session *s = m->processes[member->process].session;
	uint32_t sites = probes_at(s, member->probe)->site_count;

	r->known = true;
	for (uint32_t i = 0; i < sites && i < FUNCTIONS_SITES; i++) {
		struct probes_where where;

		probes_where(s, member->probe, i, &where);
		if (where.function[0])
			functions_keep(r, where.function);
	}
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
		functions_look_up(r, m, row);
	return i < r->count ? r->names[i] : NULL;
}
