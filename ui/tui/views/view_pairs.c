/*
 * The list of pairs: the state of both halves, and what is half on.
 */
#include "ui/tui/views/view_pairs.h"

#include "ui/tui/rows/rowtext.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>

#define VIEW_PAIRS_HEADING " START END   PAIR"

static const char *view_pairs_remark(const struct model *m, const struct pairs_one *one)
{
	enum probes_state start = m->rows[one->start].state;

	if (!pairs_half_on(m, one))
		return "";
	return start == PROBES_ON || start == PROBES_PARTIAL ? "HALF ON: starts without ends  "
							     : "HALF ON: ends without starts  ";
}

/* The end's name is shortened to what differs, if both are of one family. */
const char *view_pairs_line(
	const struct model *m, const struct pairs_one *one, char *out, size_t size)
{
	const struct row *start = &m->rows[one->start], *end = &m->rows[one->end];
	bool family = start->family == end->family;
	size_t stem = 0;

	if (family)
		pair_role(row_name(end), &stem);
	snprintf(out, size, "%s   %s   %s%s%s%s", rowtext_state(start->state),
		rowtext_state(end->state), view_pairs_remark(m, one), start->label,
		family && !one->chosen ? " | " : " -> ",
		family && !one->chosen ? row_name(end) + stem : end->label);
	if (one->chosen)
		text_addf(out, size, "  (chosen)");
	return out;
}

static void view_pairs_heading(const struct app *a, struct canvas *c)
{
	size_t half = 0;
	char text[TEXT_MAX], safe[2 * INPUT_SIZE];

	for (size_t i = 0; i < a->pairs.count; i++)
		half += pairs_half_on(&a->model, &a->pairs.all[i]);
	snprintf(text, sizeof text, "Pairs: %zu, half on: %zu", a->pairs.count, half);
	if (a->list.filter_text[0])
		text_addf(text, sizeof text, "   filter: %s   %zu shown",
			text_clean(a->list.filter_text, safe, sizeof safe), a->pair_rows.count);
	canvas_line(c, 0, STYLE_TITLE | STYLE_REVERSE, text);
	canvas_line(c, 1, STYLE_HEAD, VIEW_PAIRS_HEADING);
}

void view_pairs_draw(const struct app *a, struct canvas *c)
{
	const struct rowlist *l = &a->pair_rows;
	char line[4 * TEXT_MAX];

	view_pairs_heading(a, c);
	for (int y = 0; y < l->height && l->top + (size_t)y < l->count; y++) {
		size_t at = l->top + (size_t)y;
		const struct pairs_one *one = &a->pairs.all[l->ids[at]];
		int style = at == l->cursor                 ? STYLE_REVERSE
			    : pairs_half_on(&a->model, one) ? STYLE_WARN
							    : STYLE_PLAIN;

		if (at == l->cursor)
			canvas_line(c, y + 2, STYLE_REVERSE, "");
		canvas_put(c, y + 2, 0, -1, style, at == l->cursor ? "> " : "  ");
		canvas_put(c, y + 2, 2, -1, style,
			text_skip(view_pairs_line(&a->model, one, line, sizeof line), a->left));
	}
	if (!l->count)
		canvas_put(c, 2, 2, -1, STYLE_WARN,
			a->pairs.count ? "no pair matches the filter" : "no pairs");
}
