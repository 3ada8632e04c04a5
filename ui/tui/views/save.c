/*
 * Writing files: the view as text, CSV or JSON.
 */
#include "ui/tui/views/save.h"

#include "ui/csv.h"
#include "ui/json.h"
#include "ui/tui/rows/rowtext.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/views/view_pairs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

FILE *save_open(const char *path, char *why, size_t size)
{
	/* a name that is there, a link most of all, is not ours to write over */
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
	int fd = open(path, flags, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (out)
		return out;
	snprintf(why, size, "%s",
		errno == EEXIST ? "it is there already, and is not written over" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return NULL;
}

int save_close(FILE *out, char *why, size_t size)
{
	bool failed = ferror(out);

	errno = 0;
	failed |= fclose(out) != 0;
	if (failed)
		snprintf(why, size, "not all of it could be written: %s",
			strerror(errno ? errno : EIO));
	return failed ? -1 : 0;
}

static bool save_ends(const char *path, const char *ending)
{
	size_t n = strlen(path), e = strlen(ending);

	return n > e && !strcasecmp(path + n - e, ending);
}

enum save_form save_form(const char *path)
{
	if (save_ends(path, ".json"))
		return SAVE_JSON;
	return save_ends(path, ".csv") ? SAVE_CSV : SAVE_TEXT;
}

/* -------------------------------------------------------------------- text */

static void save_line(FILE *out, char *line)
{
	size_t n = strlen(line);

	while (n > 0 && line[n - 1] == ' ')
		n--;
	fprintf(out, "%.*s\n", (int)n, line);
}

/* A cell, or the heading (row NULL), at its place in a line. */
static void save_cell(const struct rowtext_layout *columns, enum rowtext_column column,
	const char *text, char *line, size_t size)
{
	char fitted[4 * TEXT_MAX];

	if (!columns->at[column].width)
		return;
	text_addf(line, size, "%s%s", column > ROWTEXT_STATE ? " " : "",
		text_fit(fitted, sizeof fitted, text, columns->at[column].width));
}

static void save_list_line(
	const struct app *a, const struct rowtext_layout *columns, uint32_t id, FILE *out)
{
	const struct group *g = id & GROUPS_FLAG ? &a->list.groups.all[id & ~GROUPS_FLAG] : NULL;
	char line[8 * TEXT_MAX] = "", cell[4 * TEXT_MAX];

	for (int i = 0; i < ROWTEXT_COLUMNS; i++) {
		const char *text =
			g ? rowtext_group(g, (enum rowtext_column)i, false, cell, sizeof cell)
			  : rowtext_cell(&a->model.rows[id], (enum rowtext_column)i, false, cell,
				    sizeof cell);

		save_cell(columns, (enum rowtext_column)i, text, line, sizeof line);
	}
	save_line(out, line);
}

static void save_list(const struct app *a, FILE *out)
{
	struct rowtext_layout columns;
	struct rowtext_needs needs = {.width = a->model.widest + 120,
		.widest = a->model.widest + 30, /* groups say more */
		.most_sites = a->list.tree ? (uint32_t)a->model.counts.sites : a->model.most_sites,
		.several = a->model.process_count > 1,
		.argued = a->model.argued,
		.hidden = a->hidden};
	char line[8 * TEXT_MAX] = "";

	if (needs.width > 2 * TEXT_MAX)
		needs.width = 2 * TEXT_MAX;
	rowtext_arrange(&columns, &needs);
	fprintf(out, "%s  %zu of %zu probes  filter: %s  sort: %s%s\n", a->title,
		a->list.shown_count, a->model.row_count,
		a->list.filter_text[0] ? a->list.filter_text : "-", sort_name(a->list.key),
		a->list.invert ? " inverted" : "");
	for (int i = 0; i < ROWTEXT_COLUMNS; i++)
		save_cell(&columns, (enum rowtext_column)i, rowtext_heading((enum rowtext_column)i),
			line, sizeof line);
	save_line(out, line);
	for (size_t i = 0; i < a->list.rows.count; i++)
		save_list_line(a, &columns, a->list.rows.ids[i], out);
}

static void save_pairs(const struct app *a, FILE *out)
{
	char line[4 * TEXT_MAX];

	for (size_t i = 0; i < a->pair_rows.count; i++)
		fprintf(out, "%s\n",
			view_pairs_line(
				&a->model, &a->pairs.all[a->pair_rows.ids[i]], line, sizeof line));
}

static void save_lines(const struct app *a, FILE *out)
{
	fprintf(out, "%s  %s\n", a->title,
		a->view == VIEW_DETAIL || a->view == VIEW_INCONSISTENT
			? a->model.rows[a->detail].label
			: a->heading);
	for (size_t i = 0; i < a->lines.count; i++)
		fprintf(out, "%s\n", a->lines.all[i].text);
}

static void save_output(const struct app *a, FILE *out)
{
	char line[5 * RING_BYTES];

	for (size_t i = 0; i < ring_count(&a->program.output); i++)
		fprintf(out, "%s\n", ring_line(&a->program.output, i, line, sizeof line));
}

/* ------------------------------------------------------------- CSV and JSON */

/* The shown rows' probes of one process, as the command line's formats want them. */
static void save_process(
	struct app *a, size_t process, const struct format_ops *ops, struct format_sheet *sheet)
{
	struct rows rows = {.session = a->model.processes[process].session,
		.live = !a->model.processes[process].unread};
	struct model_member member;
	size_t capacity = 0;

	for (size_t i = 0; i < a->list.shown_count; i++) {
		uint32_t at = a->model.rows[a->list.shown[i]].member;

		while (model_next(&a->model, &at, &member)) {
			if (member.process != process)
				continue;
			rows.items =
				mem_grow(rows.items, &capacity, rows.count + 1, sizeof *rows.items);
			rows.items[rows.count++] = (struct rows_one){.probe = member.probe};
		}
	}
	ops->rows(sheet, &rows);
	sheet->blocks++;
	free(rows.items);
}

static void save_sheet(struct app *a, const struct format_ops *ops, FILE *out)
{
	struct format_sheet sheet = {.out = out, .many = a->model.process_count > 1};

	ops->begin(&sheet);
	for (size_t i = 0; i < a->model.process_count; i++) {
		if (!a->model.processes[i].gone)
			save_process(a, i, ops, &sheet);
	}
	ops->end(&sheet);
}

void save_view(struct app *a, enum save_form form, FILE *out)
{
	if (a->view == VIEW_LIST && form == SAVE_JSON)
		save_sheet(a, &json_ops, out);
	else if (a->view == VIEW_LIST && form == SAVE_CSV)
		save_sheet(a, &csv_ops, out);
	else if (a->view == VIEW_LIST)
		save_list(a, out);
	else if (a->view == VIEW_PAIRS)
		save_pairs(a, out);
	else if (a->view == VIEW_OUTPUT)
		save_output(a, out);
	else
		save_lines(a, out);
}
