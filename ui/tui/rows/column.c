#include "ui/tui/rows/column.h"

#include "ui/tui/rows/argline.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMN_ROW(identifier, word, ...) [COLUMN_##identifier] = {.name = #word, __VA_ARGS__},

const struct column column_table[COLUMN_COUNT] = {COLUMNS(COLUMN_ROW)};

/* ---------------------------------------------------------------------- cells */

static void column_cell_sites(const struct row *r, char *out, size_t size)
{
	if (!r->processes || !r->sites) /* a probe by semaphore alone has no sites */
		snprintf(out, size, "-");
	else if (r->sites_on == PROBES_NONE && r->sites_counted)
		snprintf(out, size, "%u/%u", r->sites_counted, r->sites);
	else if (r->sites_on == PROBES_NONE)
		snprintf(out, size, "%u", r->sites);
	else
		snprintf(out, size, "%u/%u", r->sites_on, r->sites);
}

static void column_cell_sem(const struct row *r, char *out, size_t size)
{
	if (r->ref_min == PROBES_NONE || !r->processes)
		snprintf(out, size, "-");
	else if (r->ref_min == r->ref_max)
		snprintf(out, size, "%u", r->ref_max);
	else
		snprintf(out, size, "%u-%u", r->ref_min, r->ref_max);
}

/* The figures of rows that are not counted are blank; what is not known yet is "-". */
static bool column_cell_counted(const struct row *r, bool partial, char *out, size_t size)
{
	bool counted = r->counted && r->trend && r->trend->ms;

	snprintf(out, size, "%s", !r->counted ? "" : !counted ? "-" : partial ? "~" : "");
	return counted;
}

static void column_cell_rate(const struct row *r, char *out, size_t size)
{
	char figure[16] = "-";

	if (!column_cell_counted(r, row_hits_partial(r), out, size))
		return;
	if (trend_rate(r->trend) < 0)
		out[0] = '\0';
	else
		trend_human(trend_rate(r->trend), figure, sizeof figure);
	text_addf(out, size, "%s", figure);
}

static void column_cell_total(const struct row *r, char *out, size_t size)
{
	char figure[32];

	if (column_cell_counted(r, row_total_partial(r), out, size))
		text_addf(out, size, "%s",
			trend_exact(r->trend->total,
				column_table[COLUMN_TOTAL].width - (int)strlen(out), figure,
				sizeof figure));
}

static void column_cell_held(const struct row *r, char *out, size_t size)
{
	/* With a count of 0 nobody holds it: somebody else lowered what this session raised. */
	bool mine = r->mine && r->ref_max != 0;

	if (r->holder != PROBES_HOLDER_NONE)
		snprintf(out, size, "%s", probes_holder_name(r->holder));
	else if (r->state == PROBES_INCONSISTENT)
		snprintf(out, size, "?");
	else if (mine && r->others)
		snprintf(out, size, "you+%u", r->others);
	else if (mine)
		snprintf(out, size, "you");
	else
		snprintf(out, size, "%s", row_held_by_others(r) ? "other" : "");
}

const char *column_cell(const struct row *r, enum column_id column, char *out, size_t size)
{
	out[0] = '\0';
	switch (column) {
	case COLUMN_STATE:
		snprintf(out, size, "%s", states[r->state].word);
		break;
	case COLUMN_PROBE:
		snprintf(out, size, "%s", r->label);
		break;
	case COLUMN_SITES:
		column_cell_sites(r, out, size);
		break;
	case COLUMN_SEMAPHORE:
		column_cell_sem(r, out, size);
		break;
	case COLUMN_RATE:
		column_cell_rate(r, out, size);
		break;
	case COLUMN_TREND:
		if (r->counted && r->trend)
			trend_spark(r->trend, TREND_WIDTH, out, size);
		break;
	case COLUMN_TOTAL:
		column_cell_total(r, out, size);
		break;
	case COLUMN_PROCESSES:
		snprintf(out, size, "%u", r->processes);
		break;
	case COLUMN_HOLDER:
		column_cell_held(r, out, size);
		break;
	case COLUMN_OBJECT:
		snprintf(out, size, "%s%s", r->family->object, r->family->deleted ? "*" : "");
		break;
	case COLUMN_ARGUMENTS:
		argline(r->arguments, false, out, size);
		break;
	case COLUMN_COUNT:
		break;
	}
	return out;
}

/* --------------------------------------------------------------------- orders */

static int column_larger_first(uint32_t a, uint32_t b)
{
	/* PROBES_NONE + 1 is 0: what is not known comes last */
	return (a + 1 < b + 1) - (a + 1 > b + 1);
}

/* Most hits first; not known comes after none, not counted last. */
static int column_more_hits(const struct row *a, const struct row *b, bool total)
{
	double hits[2];

	for (int i = 0; i < 2; i++) {
		const struct row *r = i ? b : a;

		hits[i] = !r->counted || !r->trend ? -2
			  : total                  ? (double)r->trend->total
						   : trend_rate(r->trend);
	}
	return (hits[0] < hits[1]) - (hits[0] > hits[1]);
}

static int column_compare_names(const struct row *a, const struct row *b)
{
	int order = strcmp(a->label, b->label);

	return order ? order : strcmp(a->family->path, b->family->path);
}

static int column_compare_rows(enum column_id column, const struct row *a, const struct row *b)
{
	int order;

	switch (column) {
	case COLUMN_STATE:
		return states[a->state].order - states[b->state].order;
	case COLUMN_SITES:
		return column_larger_first(a->sites, b->sites);
	case COLUMN_SEMAPHORE:
		return column_larger_first(a->ref_max, b->ref_max);
	case COLUMN_PROCESSES:
		return column_larger_first(a->processes, b->processes);
	case COLUMN_RATE:
	case COLUMN_TREND: /* rows that hit nothing now stay in the order of what they did before */
		order = column_more_hits(a, b, false);
		return order ? order : column_more_hits(a, b, true);
	case COLUMN_TOTAL:
		return column_more_hits(a, b, true);
	case COLUMN_HOLDER:
		return a->mine != b->mine ? b->mine - a->mine
					  : row_held_by_others(b) - row_held_by_others(a);
	case COLUMN_OBJECT:
		order = strcmp(a->family->object, b->family->object);
		return order ? order : strcmp(a->family->path, b->family->path);
	case COLUMN_ARGUMENTS: /* probes without arguments come last */
		if (!*a->arguments || !*b->arguments)
			return !*a->arguments - !*b->arguments;
		return strcmp(a->arguments, b->arguments);
	case COLUMN_PROBE:
	case COLUMN_COUNT:
		break;
	}
	return column_compare_names(a, b);
}

struct column_order {
	const struct row *rows;
	enum column_id column;
	int sign;
};

static int column_compare(const void *a, const void *b, void *data)
{
	const struct column_order *o = data;
	const struct row *x = &o->rows[*(const uint32_t *)a];
	const struct row *y = &o->rows[*(const uint32_t *)b];
	int order = o->sign * column_compare_rows(o->column, x, y);

	if (!order && o->column != COLUMN_PROBE)
		order = column_compare_names(x, y);
	return order ? order : (x > y) - (x < y);
}

void column_sort(
	const struct row *rows, uint32_t *ids, size_t count, enum column_id column, bool invert)
{
	struct column_order o = {.rows = rows, .column = column, .sign = invert ? -1 : 1};

	for (size_t i = 1; i < count; i++) { /* mostly they are in order already */
		if (column_compare(&ids[i - 1], &ids[i], &o) > 0) {
			qsort_r(ids, count, sizeof *ids, column_compare, &o);
			return;
		}
	}
}

/* --------------------------------------------------------------------- places */

#define COLUMN_GAP 2 /* between columns; one is enough beside STATE and PROBE */

/* Which columns the list can show at all, from left to right, as bits 1 << column. */
static unsigned column_wanted(const struct column_needs *needs)
{
	unsigned wanted = ((1u << COLUMN_COUNT) - 1) & ~needs->hidden;

	if (!needs->several)
		wanted &= ~(1u << COLUMN_PROCESSES);
	if (!needs->argued)
		wanted &= ~(1u << COLUMN_ARGUMENTS);
	for (int c = 0; c < COLUMN_COUNT; c++)
		if (column_table[c].hits && !needs->counted)
			wanted &= ~(1u << c);
	/* What would say nothing gives its room to the names. */
	if (needs->counted && needs->unswitchable)
		wanted &= ~(1u << COLUMN_SEMAPHORE | 1u << COLUMN_HOLDER);
	return wanted;
}

/* What the other columns leave to the name. */
static int column_room(const struct column_layout *l, int width)
{
	int gap = 0;

	for (int c = 0; c < COLUMN_COUNT; c++) {
		if (c != COLUMN_PROBE && !l->at[c].width)
			continue;
		width -= gap + (c == COLUMN_PROBE ? 0 : l->at[c].width);
		gap = c <= COLUMN_PROBE ? 1 : COLUMN_GAP;
	}
	return width;
}

/* A number at the right edge would lie under the mark that there is more. */
static int column_margin(const struct column_layout *l)
{
	int last = COLUMN_COUNT - 1;

	while (last > COLUMN_PROBE && !l->at[last].width)
		last--;
	return l->more && column_table[last].number ? 2 : 0;
}

/*
 * Remove the column that matters least, for want of room; where somebody scrolls to see what there
 * is, the last one. False: STATE and PROBE stay.
 */
static bool column_drop(struct column_layout *l, bool scrolled)
{
	int least = COLUMN_PROBE;

	for (int c = COLUMN_FIRST_CHOSEN; c < COLUMN_COUNT; c++)
		if (l->at[c].width && (scrolled || least == COLUMN_PROBE ||
					      column_table[c].keep < column_table[least].keep))
			least = c;
	if (least == COLUMN_PROBE)
		return false;
	l->at[least].width = 0;
	l->more = true;
	return true;
}

static void column_widths(struct column_layout *l, const struct column_needs *needs)
{
	unsigned wanted = column_wanted(needs);
	int sites = snprintf(NULL, 0, "%u/%u", needs->most_sites, needs->most_sites);
	int scroll = needs->scroll;

	for (int c = 0; c < COLUMN_COUNT; c++) {
		bool narrow = l->narrow && column_table[c].narrow;

		l->at[c].width = !(wanted & 1u << c) ? 0
				 : narrow            ? column_table[c].narrow
						     : column_table[c].width;
		if (l->at[c].width && c >= COLUMN_FIRST_CHOSEN && scroll-- > 0)
			l->at[c].width = 0;
	}
	if (l->at[COLUMN_SITES].width && sites > l->at[COLUMN_SITES].width)
		l->at[COLUMN_SITES].width = sites;
	if (l->at[COLUMN_ARGUMENTS].width && needs->width < COLUMN_ARGUMENTS_FROM &&
		!needs->scroll) {
		l->at[COLUMN_ARGUMENTS].width = 0;
		l->more = true;
	}
}

void column_arrange(struct column_layout *l, const struct column_needs *needs)
{
	int *object = &l->at[COLUMN_OBJECT].width, *arguments = &l->at[COLUMN_ARGUMENTS].width;
	int title = (int)strlen(column_table[COLUMN_PROBE].title) + 1; /* and the sort mark */
	int name = needs->widest > title ? needs->widest : title, least, room, x = 0;

	*l = (struct column_layout){.narrow = needs->width < COLUMN_WORDS_FROM};
	column_widths(l, needs);
	least = l->at[COLUMN_PROBE].width;
	do
		room = column_room(l, needs->width - column_margin(l));
	while (room < (name < least ? name : least) && column_drop(l, needs->scroll > 0));
	/* Of what fires, the name matters more than where it lies. */
	while (needs->counted && !needs->scroll && room < name && (*object || *arguments) &&
		column_drop(l, false))
		room = column_room(l, needs->width - column_margin(l));
	if (l->narrow && needs->widest_name && room < name) {
		l->bare = true;
		name = needs->widest_name > title ? needs->widest_name : title;
	}
	/* What the name does not need goes to the object, as far as that needs it (before
	 * arguments: half of it at most), then to the arguments. */
	if (room > name && *object && needs->widest_object > *object) {
		int extra = *arguments ? (room - name) / 2 : room - name;

		*object += extra < needs->widest_object - *object ? extra
								  : needs->widest_object - *object;
	}
	if (room > name && *arguments)
		*arguments += column_room(l, needs->width) - name;
	l->at[COLUMN_PROBE].width = room < 0 ? 0 : room < name ? room : name;
	for (int c = 0; c < COLUMN_COUNT; c++) {
		l->at[c].x = x;
		if (!l->at[c].width)
			continue;
		x += l->at[c].width + (c <= COLUMN_PROBE ? 1 : COLUMN_GAP);
		l->more |= c >= COLUMN_FIRST_CHOSEN && room < name;
	}
}

const char *column_fit(char *out, size_t size, const struct column_layout *l, enum column_id column,
	const char *text)
{
	int width = l->at[column].width, used = text_width(text);

	if (column == COLUMN_PROBE)
		return text_middle(out, size, text, width);
	if (!column_table[column].number || used >= width || (size_t)width >= size)
		return text_fit(out, size, text, width);
	snprintf(out, size, "%*s%s", width - used, "", text);
	return out;
}

const char *column_group(const struct group *g, enum column_id column, char *out, size_t size)
{
	struct row sum = g->sum;

	sum.trend = (struct trend *)&g->trend;
	if (column == COLUMN_PROBE) { /* "- ocaml_2  3 of 12 on": - unfolded, + folded */
		snprintf(out, size, "%s%s %s  %zu of %zu %s", g->provider ? "  " : "",
			g->folded ? "+" : "-", g->provider ? g->provider : g->sum.family->object,
			g->on || !g->counted ? g->on : g->counted, g->count,
			g->on || !g->counted ? "on" : "counted");
	} else if (column_table[column].single) {
		out[0] = '\0';
	} else {
		column_cell(&sum, column, out, size);
	}
	return out;
}
