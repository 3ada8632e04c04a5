/*
 * A row as columns of text. The name gets what the others leave; when there is
 * too little for it, columns go, the least needed first.
 */
#include "ui/tui/rows/rowtext.h"

#include "ui/tui/rows/argline.h"

#include <stdio.h>
#include <string.h>

_Static_assert(ROWTEXT_COLUMNS - ROWTEXT_CHOICE == COLUMN_DETAIL, "all columns but the pane");

struct rowtext_info {
	const char *heading;
	int width; /* at least, without the gap before it */
	int rank;  /* the higher, the sooner it goes */
};

static const struct rowtext_info rowtext_infos[ROWTEXT_COLUMNS] = {
	[ROWTEXT_MARK] = {"STATE", 2, 0},
	[ROWTEXT_STATE] = {"", 3, 0},
	[ROWTEXT_NAME] = {"PROVIDER:NAME", 24, 0},
	[ROWTEXT_SITES] = {"SITES", 5, 2},
	[ROWTEXT_REF] = {"REF", 4, 1},
	[ROWTEXT_PROCESSES] = {"PROC", 4, 5},
	[ROWTEXT_WHO] = {"WHO", 5, 3},
	[ROWTEXT_OBJECT] = {"OBJECT", 12, 4},
	[ROWTEXT_ARGUMENTS] = {"ARGUMENTS", 16, 6},
};

const char *rowtext_heading(enum rowtext_column column)
{
	return rowtext_infos[column].heading;
}

static int rowtext_fixed(const struct rowtext_layout *l)
{
	int sum = 0;

	for (int c = 0; c < ROWTEXT_COLUMNS; c++) {
		if (c != ROWTEXT_NAME && l->at[c].width)
			sum += l->at[c].width + (c > ROWTEXT_STATE);
	}
	return sum + 1; /* the gap before the name */
}

static void rowtext_drop(struct rowtext_layout *l)
{
	int drop = 0;

	for (int c = 0; c < ROWTEXT_COLUMNS; c++) {
		if (l->at[c].width && rowtext_infos[c].rank > rowtext_infos[drop].rank)
			drop = c;
	}
	l->at[drop].width = 0;
}

static bool rowtext_droppable(const struct rowtext_layout *l)
{
	for (int c = ROWTEXT_CHOICE; c < ROWTEXT_COLUMNS; c++) {
		if (l->at[c].width)
			return true;
	}
	return false;
}

static int rowtext_sites_width(uint32_t most)
{
	char text[32];
	int width = snprintf(text, sizeof text, "%u/%u", most, most);

	return width > rowtext_infos[ROWTEXT_SITES].width ? width
							  : rowtext_infos[ROWTEXT_SITES].width;
}

/* What the name leaves: a third of it to the object, the rest to the arguments. What was taken. */
static int rowtext_give(struct rowtext_layout *l, int room)
{
	int *object = &l->at[ROWTEXT_OBJECT].width, *arguments = &l->at[ROWTEXT_ARGUMENTS].width;
	int third = *object && *arguments ? room / 3 : *object ? room : 0;

	*object += third;
	*arguments += *arguments ? room - third : 0;
	return *arguments ? room : third;
}

void rowtext_arrange(struct rowtext_layout *l, const struct rowtext_needs *needs)
{
	int x = 0, room, name = needs->widest > 13 ? needs->widest : 13;

	for (int c = 0; c < ROWTEXT_COLUMNS; c++)
		l->at[c].width = rowtext_infos[c].width;
	l->at[ROWTEXT_SITES].width = rowtext_sites_width(needs->most_sites);
	for (int c = ROWTEXT_CHOICE; c < ROWTEXT_COLUMNS; c++) {
		if (needs->hidden & 1u << (c - ROWTEXT_CHOICE))
			l->at[c].width = 0;
	}
	if (!needs->argued || needs->width < ROWTEXT_WIDE)
		l->at[ROWTEXT_ARGUMENTS].width = 0;
	if (!needs->several)
		l->at[ROWTEXT_PROCESSES].width = 0;
	while (needs->width - rowtext_fixed(l) < (name < 24 ? name : 24) && rowtext_droppable(l))
		rowtext_drop(l);
	room = needs->width - rowtext_fixed(l);
	if (room > name)
		room -= rowtext_give(l, room - name);
	l->at[ROWTEXT_NAME].width = room > 0 ? room : 0;
	for (int c = 0; c < ROWTEXT_COLUMNS; c++) {
		x += l->at[c].width && c > ROWTEXT_STATE;
		l->at[c].x = x;
		x += l->at[c].width;
	}
}

const char *rowtext_state(enum probes_state state)
{
	static const char *const marks[] = {
		[PROBES_UNKNOWN] = "[?]",
		[PROBES_OFF] = "[ ]",
		[PROBES_ON] = "[*]",
		[PROBES_PARTIAL] = "[~]",
		[PROBES_FOREIGN] = "[X]",
		[PROBES_INCONSISTENT] = "[!]",
		[PROBES_UNREADABLE] = "[?]",
		[PROBES_UNLOADED] = "[-]",
	};

	return marks[state];
}

static void rowtext_sites(const struct row *r, char *out, size_t size)
{
	if (!r->processes || !r->sites) /* none: the program only looks at the semaphore */
		snprintf(out, size, "-");
	else if (r->sites_on == PROBES_NONE)
		snprintf(out, size, "-/%u", r->sites);
	else
		snprintf(out, size, "%u/%u", r->sites_on, r->sites);
}

static void rowtext_ref(const struct row *r, char *out, size_t size)
{
	if (r->ref_min == PROBES_NONE || !r->processes)
		snprintf(out, size, "-");
	else if (r->ref_min == r->ref_max)
		snprintf(out, size, "%u", r->ref_max);
	else
		snprintf(out, size, "%u-%u", r->ref_min, r->ref_max);
}

/* Our own raise may have been taken off by others: with a count of 0 nobody holds it. */
static bool rowtext_mine(const struct row *r)
{
	return r->mine && r->ref_max != 0;
}

/* me; me+1: and one party more; other: on, but not by this session; else who holds the byte. */
static void rowtext_who(const struct row *r, char *out, size_t size)
{
	if (r->holder != ROW_NOBODY)
		snprintf(out, size, "%s", row_who(r));
	else if (r->state == PROBES_INCONSISTENT)
		snprintf(out, size, "?");
	else if (r->state == PROBES_UNLOADED)
		snprintf(out, size, "gone");
	else if (rowtext_mine(r) && r->ref_max != PROBES_NONE && r->ref_max > 1)
		snprintf(out, size, "me+%u", r->ref_max - 1);
	else if (rowtext_mine(r))
		snprintf(out, size, "me");
	else if (row_held_by_others(r))
		snprintf(out, size, "other");
}

const char *rowtext_cell(
	const struct row *r, enum rowtext_column column, bool cursor, char *out, size_t size)
{
	out[0] = '\0';
	switch (column) {
	case ROWTEXT_MARK:
		snprintf(out, size, "%c%c", cursor ? '>' : ' ', r->tag ? '+' : ' ');
		break;
	case ROWTEXT_STATE:
		return rowtext_state(r->state);
	case ROWTEXT_NAME:
		return r->label;
	case ROWTEXT_SITES:
		rowtext_sites(r, out, size);
		break;
	case ROWTEXT_REF:
		rowtext_ref(r, out, size);
		break;
	case ROWTEXT_PROCESSES:
		snprintf(out, size, "%u", r->processes);
		break;
	case ROWTEXT_WHO:
		rowtext_who(r, out, size);
		break;
	case ROWTEXT_OBJECT:
		snprintf(out, size, "%s%s", r->family->object, r->family->deleted ? "*" : "");
		break;
	case ROWTEXT_ARGUMENTS:
		return argline_short(r->arguments, out, size);
	case ROWTEXT_COLUMNS:
		break;
	}
	return out;
}

/* "- ocaml_2  3 of 12 on": - unfolded, + folded. */
static void rowtext_group_name(const struct group *g, char *out, size_t size)
{
	snprintf(out, size, "%s%s %s  %zu of %zu on", g->provider ? "  " : "",
		g->folded ? "+" : "-", g->provider ? g->provider : g->sum.family->object, g->on,
		g->count);
}

const char *rowtext_group(
	const struct group *g, enum rowtext_column column, bool cursor, char *out, size_t size)
{
	switch (column) {
	case ROWTEXT_NAME:
		rowtext_group_name(g, out, size);
		return out;
	case ROWTEXT_REF:
	case ROWTEXT_WHO: /* of single probes */
		out[0] = '\0';
		return out;
	default:
		return rowtext_cell(&g->sum, column, cursor, out, size);
	}
}
