/* Cells, places and orders of the columns. */
#include "ui/tui/rows/column.h"

#include "ui/states.h"
#include "ui/tui/rows/argline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------- cells */

/* The first character is left to the cursor. */
static void column_cell_state(const struct row *r, char *out, size_t size)
{
	snprintf(out, size, " %c%s", r->tag ? '+' : ' ', states[r->state].mark);
}

static void column_cell_name(const struct row *r, char *out, size_t size)
{
	snprintf(out, size, "%s", r->label);
}

static void column_cell_sites(const struct row *r, char *out, size_t size)
{
	if (!r->processes || !r->sites) /* a probe by semaphore alone has no sites */
		snprintf(out, size, "-");
	else if (r->sites_on == PROBES_NONE)
		snprintf(out, size, "-/%u", r->sites);
	else
		snprintf(out, size, "%u/%u", r->sites_on, r->sites);
}

static void column_cell_ref(const struct row *r, char *out, size_t size)
{
	if (r->ref_min == PROBES_NONE || !r->processes)
		snprintf(out, size, "-");
	else if (r->ref_min == r->ref_max)
		snprintf(out, size, "%u", r->ref_max);
	else
		snprintf(out, size, "%u-%u", r->ref_min, r->ref_max);
}

static void column_cell_proc(const struct row *r, char *out, size_t size)
{
	snprintf(out, size, "%u", r->processes);
}

static void column_cell_who(const struct row *r, char *out, size_t size)
{
	/* With a count of 0 nobody holds it: somebody else lowered what this session raised. */
	bool mine = r->mine && r->ref_max != 0;

	if (r->holder != PROBES_HOLDER_NONE)
		snprintf(out, size, "%s", probes_holder_name(r->holder));
	else if (r->state == PROBES_INCONSISTENT)
		snprintf(out, size, "?");
	else if (r->state == PROBES_UNLOADED)
		snprintf(out, size, "gone");
	else if (mine && r->ref_max != PROBES_NONE && r->ref_max > 1)
		snprintf(out, size, "me+%u", r->ref_max - 1);
	else if (mine)
		snprintf(out, size, "me");
	else
		snprintf(out, size, "%s", row_held_by_others(r) ? "other" : "");
}

static void column_cell_object(const struct row *r, char *out, size_t size)
{
	snprintf(out, size, "%s%s", r->family->object, r->family->deleted ? "*" : "");
}

static void column_cell_arguments(const struct row *r, char *out, size_t size)
{
	argline_short(r->arguments, out, size);
}

/* --------------------------------------------------------------------- orders */

static int column_larger_first(uint32_t a, uint32_t b)
{
	/* PROBES_NONE + 1 is 0: what is not known comes last */
	return (a + 1 < b + 1) - (a + 1 > b + 1);
}

static int column_compare_state(const struct row *a, const struct row *b)
{
	return states[a->state].order - states[b->state].order;
}

static int column_compare_name(const struct row *a, const struct row *b)
{
	int order = strcmp(a->label, b->label);

	return order ? order : strcmp(a->family->path, b->family->path);
}

static int column_compare_sites(const struct row *a, const struct row *b)
{
	return column_larger_first(a->sites, b->sites);
}

static int column_compare_ref(const struct row *a, const struct row *b)
{
	return column_larger_first(a->ref_max, b->ref_max);
}

static int column_compare_proc(const struct row *a, const struct row *b)
{
	return column_larger_first(a->processes, b->processes);
}

static int column_compare_who(const struct row *a, const struct row *b)
{
	if (a->mine != b->mine)
		return b->mine - a->mine;
	return row_held_by_others(b) - row_held_by_others(a);
}

static int column_compare_object(const struct row *a, const struct row *b)
{
	int order = strcmp(a->family->object, b->family->object);

	return order ? order : strcmp(a->family->path, b->family->path);
}

/* Probes without arguments come last. */
static int column_compare_arguments(const struct row *a, const struct row *b)
{
	if (!*a->arguments || !*b->arguments)
		return !*a->arguments - !*b->arguments;
	return strcmp(a->arguments, b->arguments);
}

#define COLUMN_ROW(identifier, word, ...)         \
	[COLUMN_##identifier] = {.name = #word,   \
		.cell = column_cell_##word,       \
		.compare = column_compare_##word, \
		__VA_ARGS__},

const struct column column_table[COLUMN_COUNT] = {COLUMNS(COLUMN_ROW)};

struct column_order {
	const struct row *rows;
	int (*compare)(const struct row *a, const struct row *b);
	int sign;
};

static int column_compare(const void *a, const void *b, void *data)
{
	const struct column_order *o = data;
	const struct row *x = &o->rows[*(const uint32_t *)a];
	const struct row *y = &o->rows[*(const uint32_t *)b];
	int order = o->sign * o->compare(x, y);

	if (!order && o->compare != column_compare_name)
		order = column_compare_name(x, y);
	return order ? order : (x > y) - (x < y);
}

void column_sort(
	const struct row *rows, uint32_t *ids, size_t count, enum column_id column, bool invert)
{
	struct column_order o = {
		.rows = rows, .compare = column_table[column].compare, .sign = invert ? -1 : 1};

	for (size_t i = 1; i < count; i++) { /* mostly they are in order already */
		if (column_compare(&ids[i - 1], &ids[i], &o) > 0) {
			qsort_r(ids, count, sizeof *ids, column_compare, &o);
			return;
		}
	}
}

enum column_id column_next_order(enum column_id column)
{
	int turn = column_table[column].turn % COLUMN_COUNT + 1, next = 0;

	while (column_table[next].turn != turn)
		next++;
	return (enum column_id)next;
}

/* --------------------------------------------------------------------- places */

/* What the other columns leave to the name, each with a gap. */
static int column_room(const struct column_layout *l, int width)
{
	for (int c = 0; c < COLUMN_COUNT; c++) {
		if (c != COLUMN_NAME && l->at[c].width)
			width -= l->at[c].width + 1;
	}
	return width;
}

/* The name gets what the others leave. Where that is too little for it, columns are dropped. */
void column_arrange(struct column_layout *l, const struct column_needs *needs)
{
	int *object = &l->at[COLUMN_OBJECT].width, *arguments = &l->at[COLUMN_ARGUMENTS].width;
	int title = (int)strlen(column_table[COLUMN_NAME].title),
	    least = column_table[COLUMN_NAME].width;
	int name = needs->widest > title ? needs->widest : title, room, x = 0;
	int sites = snprintf(NULL, 0, "%u/%u", needs->most_sites, needs->most_sites);

	for (int c = 0; c < COLUMN_COUNT; c++)
		l->at[c].width = needs->hidden & 1u << c ? 0 : column_table[c].width;
	if (l->at[COLUMN_SITES].width && sites > l->at[COLUMN_SITES].width)
		l->at[COLUMN_SITES].width = sites;
	if (!needs->argued || needs->width < COLUMN_ARGUMENTS_FROM)
		*arguments = 0;
	if (!needs->several)
		l->at[COLUMN_PROCESSES].width = 0;
	while ((room = column_room(l, needs->width)) < (name < least ? name : least)) {
		int drop = COLUMN_NAME;

		for (int c = 0; c < COLUMN_COUNT; c++) {
			if (l->at[c].width && column_table[c].drop > column_table[drop].drop)
				drop = c;
		}
		if (drop == COLUMN_NAME)
			break;
		l->at[drop].width = 0;
	}
	/* A third of what the name does not need goes to the object, the rest to the arguments. */
	if (room > name && *object)
		*object += *arguments ? (room - name) / 3 : room - name;
	if (room > name && *arguments)
		*arguments += column_room(l, needs->width) - name;
	room = column_room(l, needs->width);
	l->at[COLUMN_NAME].width = room > 0 ? room : 0;
	for (int c = 0; c < COLUMN_COUNT; c++) {
		l->at[c].x = x;
		x += l->at[c].width ? l->at[c].width + 1 : 0;
	}
}

const char *column_cell(const struct row *r, enum column_id column, char *out, size_t size)
{
	column_table[column].cell(r, out, size);
	return out;
}

const char *column_group(const struct group *g, enum column_id column, char *out, size_t size)
{
	if (column == COLUMN_NAME) /* "- ocaml_2  3 of 12 on": - unfolded, + folded */
		snprintf(out, size, "%s%s %s  %zu of %zu on", g->provider ? "  " : "",
			g->folded ? "+" : "-", g->provider ? g->provider : g->sum.family->object,
			g->on, g->count);
	else if (column_table[column].single)
		out[0] = '\0';
	else
		column_table[column].cell(&g->sum, out, size);
	return out;
}
