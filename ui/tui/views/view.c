/* The members of view_ops that several views share. */
#include "ui/tui/views/view.h"

#include "ui/tui/rows/trend.h"
#include "ui/tui/terminal/text.h"

#include <stdarg.h>
#include <stdio.h>

#define VIEW_SIDEWAYS 8 /* columns */

/* A page keeps one line of the page before. */
long view_move_lines(enum request r, int height)
{
	long page = height > 1 ? height - 1 : 1, half = height > 1 ? height / 2 : 1;

	return r == REQUEST_DOWN        ? 1
	       : r == REQUEST_UP        ? -1
	       : r == REQUEST_PAGE_DOWN ? page
	       : r == REQUEST_PAGE_UP   ? -page
	       : r == REQUEST_HALF_DOWN ? half
	       : r == REQUEST_HALF_UP   ? -half
	       : r == REQUEST_FIRST     ? -1000000000
	       : r == REQUEST_LAST      ? 1000000000
					: 0;
}

const char *view_replay_state(
	const struct app *a, const struct replay_pass *p, char *out, size_t size)
{
	char state[sizeof p->why + 20];

	if (p->on)
		snprintf(state, sizeof state, "%d %% of the file is read",
			replay_percent(a->replay, p));
	else if (p->ended)
		snprintf(state, sizeof state, "it ended: %s", p->how);
	else
		snprintf(state, sizeof state, "%s", p->why);
	return text_clean(state, out, size);
}

bool view_move_sideways(int *hscroll, enum request r)
{
	if (r == REQUEST_LEFT)
		*hscroll -= *hscroll >= VIEW_SIDEWAYS ? VIEW_SIDEWAYS : *hscroll;
	else if (r == REQUEST_RIGHT)
		*hscroll += *hscroll < 2000 ? VIEW_SIDEWAYS : 0;
	return r == REQUEST_LEFT || r == REQUEST_RIGHT;
}

void view_rows_layout(struct app *a)
{
	rowlist_resize(app_rows(a), app_view_rows(a));
}

void view_rows_move_in(struct rowlist *l, enum request r)
{
	if (r == REQUEST_PAGE_DOWN || r == REQUEST_PAGE_UP)
		rowlist_page(l, r == REQUEST_PAGE_DOWN ? 2 : -2);
	else if (r == REQUEST_HALF_DOWN || r == REQUEST_HALF_UP)
		rowlist_page(l, r == REQUEST_HALF_DOWN ? 1 : -1);
	else
		rowlist_move(l, view_move_lines(r, l->height));
}

void view_rows_move(struct app *a, enum request r)
{
	if (!view_move_sideways(&a->hscroll, r))
		view_rows_move_in(app_rows(a), r);
}

bool view_rows_click_in(struct rowlist *l, int first, int y)
{
	size_t at = l->top + (size_t)(y - first);

	if (y < first || y >= first + l->height || at >= l->count)
		return false;
	rowlist_to(l, at);
	return true;
}

bool view_rows_click(struct app *a, int y, int x)
{
	return view_rows_click_in(app_rows(a), app_view(a)->above, y);
}

bool view_rows_seek(struct app *a, size_t from, int direction)
{
	struct rowlist *l = app_rows(a);
	size_t at = search_next(app_search(a), l->count, from, direction, app_view(a)->line, a);

	if (at < l->count)
		rowlist_to(l, at);
	return at < l->count;
}

void view_text_begin(struct app *a, const char *heading, ...)
{
	va_list args;

	va_start(args, heading);
	vsnprintf(a->text.heading, sizeof a->text.heading, heading, args);
	va_end(args);
	pager_clear(&a->text.pager);
}

void view_text_layout(struct app *a)
{
	pager_scroll(&a->text.pager, 0, app_view_rows(a));
}

void view_text_draw(const struct app *a, struct canvas *c)
{
	struct area area = {.y = 1, .rows = app_view_rows(a)};
	const struct pager *l = &a->text.pager;
	size_t below = l->top + (size_t)area.rows;
	char place[96] = "";
	size_t nth, matches = pager_matches(l, &nth);

	canvas_line(c, 0, STYLE_BAR, a->text.heading);
	if (matches)
		text_addf(place, sizeof place, "  match %zu of %zu", nth, matches);
	if (l->count > (size_t)area.rows)
		text_addf(place, sizeof place, "  %zu-%zu of %zu ", l->top + 1,
			below < l->count ? below : l->count, l->count);
	canvas_put(c, 0, c->columns - text_width(place), -1, STYLE_BAR, place);
	pager_draw(l, c, area, a->hscroll);
}

void view_text_move(struct app *a, enum request r)
{
	int rows = app_view_rows(a);

	if (!view_move_sideways(&a->hscroll, r))
		pager_scroll(&a->text.pager, view_move_lines(r, rows), rows);
}

static void view_text_write_under(const struct app *a, const char *heading, FILE *out)
{
	fprintf(out, "%s  %s\n", a->title, heading);
	for (size_t i = 0; i < a->text.pager.count; i++)
		fprintf(out, "%s\n", a->text.pager.all[i].text);
}

void view_text_write(const struct app *a, FILE *out)
{
	/* a text that follows the states is headed by its probe alone */
	view_text_write_under(
		a, app_view(a)->refresh ? a->model.rows[a->text.row].label : a->text.heading, out);
}

void view_text_write_headed(const struct app *a, FILE *out)
{
	view_text_write_under(a, a->text.heading, out);
}

void view_text_label(struct app *a, int style, const char *label, const char *text)
{
	char padded[48];

	snprintf(padded, sizeof padded, "  %-9s ", label);
	pager_wrap(&a->text.pager, style, padded, text, a->columns);
}

uint32_t view_text_row(const struct app *a)
{
	return a->text.row;
}

bool view_text_seek(struct app *a, size_t from, int direction)
{
	return pager_seek(&a->text.pager, from, direction, app_view_rows(a));
}

void view_share(
	const struct app *a, char *line, size_t size, uint64_t count, uint64_t all, bool share)
{
	int width = VIEW_COUNT_WIDTH(a->columns >= VIEW_WIDE);
	char exact[48];

	text_addf(line, size, "%*s", width, trend_exact(count, width, exact, sizeof exact));
	if (share)
		text_addf(line, size, " %5.1f %%", (double)count * 100 / (double)all);
}

void view_share_line(
	struct app *a, int style, uint64_t count, uint64_t all, bool share, const char *text)
{
	char line[TEXT_MAX] = "  ";

	view_share(a, line, sizeof line, count, all, share);
	pager_addf(&a->text.pager, style, "%s  %s", line, text);
}

void view_bar(double share, int width, char *out, size_t size)
{
	static const char *const ends[] = {
		"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
	int per = text_is_utf8() ? 8 : 1, length;

	width = width > VIEW_BAR ? VIEW_BAR : width < 1 ? 1 : width;
	length = (int)(share * width * per);
	if (share > 0 && !length)
		length = 1;
	out[0] = '\0';
	for (int i = 0; i < length / per; i++)
		text_addf(out, size, "%s", text_is_utf8() ? "\u2588" : "#");
	if (text_is_utf8())
		text_addf(out, size, "%s", ends[length % per]);
}
