#include "ui/tui/rows/pairs.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdlib.h>
#include <string.h>

void pairs_done(struct pairs *p)
{
	free(p->all);
	memset(p, 0, sizeof *p);
}

static void pairs_add(struct pairs *p, uint32_t start, uint32_t end, bool chosen)
{
	p->all = mem_grow(p->all, &p->capacity, p->count + 1, sizeof *p->all);
	p->all[p->count++] = (struct pairs_one){.start = start, .end = end, .chosen = chosen};
}

/* A row and its model, to search for the other rows of its family. */
struct pairs_family {
	const struct model *model;
	const struct row *row;
};

static bool pairs_exists(void *data, const char *name)
{
	const struct pairs_family *f = data;

	return model_find(f->model, f->row->family->path, f->row->family->provider, name) !=
	       MODEL_NONE;
}

/* The role of a row, and its partner in the same object and provider. */
static enum pair_role pairs_partner(const struct model *m, uint32_t id, uint32_t *partner)
{
	const struct row *r = &m->rows[id];
	struct pairs_family family = {m, r};
	char name[TEXT_MAX];
	enum pair_role role = pair_partner(row_name(r), pairs_exists, &family, name, sizeof name);

	*partner = role == PAIR_NEITHER ? MODEL_NONE
					: model_find(m, r->family->path, r->family->provider, name);
	return role;
}

static bool pairs_knows(const struct pairs *p, uint32_t start, uint32_t end)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->all[i].start == start && p->all[i].end == end)
			return true;
	return false;
}

void pairs_update(struct pairs *p, const struct model *m)
{
	uint32_t start, end, likely;
	size_t kept = 0;

	if (p->rows_seen == m->row_count)
		return;
	for (size_t i = 0; i < p->count; i++) { /* names may form other pairs now */
		if (p->all[i].chosen)
			p->all[kept++] = p->all[i];
	}
	p->count = kept;
	p->rows_seen = m->row_count;
	for (uint32_t id = 0; id < m->row_count; id++) {
		if (pairs_partner(m, id, &end) != PAIR_START)
			continue;
		if (!kept || !pairs_knows(p, id, end))
			pairs_add(p, id, end, false);
	}
	/* A second end of one start (q_end, q_done) makes a pair of its own. */
	for (uint32_t id = 0; id < m->row_count; id++)
		if (pairs_partner(m, id, &start) == PAIR_END &&
			pairs_partner(m, start, &likely) == PAIR_START && likely != id &&
			!pairs_knows(p, start, id))
			pairs_add(p, start, id, false);
}

void pairs_choose(struct pairs *p, uint32_t start, uint32_t end)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->all[i].start == start && p->all[i].end == end) {
			p->all[i].chosen = true;
			return;
		}
	}
	pairs_add(p, start, end, true);
}

const struct pairs_one *pairs_of(const struct pairs *p, uint32_t row)
{
	const struct pairs_one *found = NULL;

	for (const struct pairs_one *one = p->all; one < p->all + p->count; one++) {
		if (one->start != row && one->end != row)
			continue;
		if (!found || (one->chosen && !found->chosen))
			found = one;
	}
	return found;
}

bool pairs_half_on(const struct model *m, const struct pairs_one *one)
{
	enum probes_state start = m->rows[one->start].state, end = m->rows[one->end].state;

	return start != end && (start == PROBES_ON || end == PROBES_ON || start == PROBES_PARTIAL ||
				       end == PROBES_PARTIAL);
}
