/*
 * Help, made from the tables of states, columns and requests: first what the view shows that it was
 * opened from, then the keys that work there now.
 */
#include "ui/tui/views/view.h"

#include "ui/tui/terminal/text.h"
#include "ui/words/states.h"

#include <stdio.h>
#include <string.h>

#define VIEW_HELP_NARROW 60 /* columns: fewer leave less to the keys */

struct view_help_line {
	const char *keys, *text;
};

/* The filter in full; the states are added from their table. */
static const struct {
	const char *keys, *probes, *processes; /* processes NULL: it is for probes alone */
} view_help_filters[] = {
	{"word",
		"found anywhere in provider:name or in the object's file name; a capital letter "
		"makes case matter",
		"found anywhere in pid, user or command; a capital letter makes case matter"},
	{"a b", "several words: all of them must be found",
		"several words: all of them must be found"},
	{"a|b", "either", "either"},
	{"-word", "not", "not"},
	{"~regex",
		"a regular expression, also found anywhere: ^ is the start of provider:name, $ its "
		"end",
		"a regular expression, also found anywhere"},
	{"\"on\"", "in quotes every word is text, not a state; so are blanks and |",
		"in quotes every word is text; so are blanks and |"},
	{"tagged", "tagged with Space", "tagged with Space"},
	{"mine", "held or counted by this session", NULL},
	{"counted", "its hits are counted", NULL},
	{"hits>100",
		"more than 100 hits since counting began; rate>2.5k: hits a second; also < <= >= = "
		"and k, M, G",
		NULL},
	{"prov:x obj:x", "only in the provider, only in the object's file name", NULL},
	{"fn:x", "in the name of a function that contains one of its sites", NULL},
};

/* What the list of processes shows. */
static const struct view_help_line view_help_picker[] = {
	{"PROBES", "how many there are; + : or more; ? : some of its files could not be read"},
	{"CAN", "what you are permitted to do: list the probes, read their states, switch them"},
	{"+", "tagged with Space: Enter opens all of these in one list"},
};

/* All texts begin in one column; keys that are too wide for theirs take a line. */
static void view_help_styled(struct app *a, int style, const char *keys, const char *text)
{
	int width = a->columns < VIEW_HELP_NARROW ? 9 : 16;
	bool alone = text_width(keys) > width;
	char label[80];

	if (alone)
		pager_addf(&a->text.pager, style, "  %s", keys);
	snprintf(label, sizeof label, "  %-*s ", width, alone ? "" : keys);
	pager_wrap(&a->text.pager, style, label, text, a->columns);
}

static void view_help_line(struct app *a, const char *keys, const char *text)
{
	view_help_styled(a, STYLE_PLAIN, keys, text);
}

static void view_help_title(struct app *a, const char *title)
{
	if (a->text.pager.count)
		pager_addf(&a->text.pager, STYLE_PLAIN, "%s", "");
	pager_addf(&a->text.pager, STYLE_TITLE, "%s", title);
}

/* Marks, words and columns of the list. */
static void view_help_legend(struct app *a)
{
	char keys[64];

	view_help_title(a, "What the list shows");
	snprintf(keys, sizeof keys, "%s %s", states_recorded.mark, states_recorded.word);
	if (a->replay)
		view_help_styled(a, states_recorded.style, keys, states_recorded.help);
	for (int i = 0; i < STATES_COUNT && !a->replay; i++) {
		/* on and off first; what was not read comes last */
		const struct states_row *s = &states[(i + PROBES_OFF) % STATES_COUNT];

		snprintf(keys, sizeof keys, "%s %s", s->mark, s->word);
		view_help_styled(a, s->style, keys, s->help);
	}
	snprintf(keys, sizeof keys, "%s %s", states_counted.mark, states_counted.word);
	if (!a->replay) {
		view_help_styled(a, states_counted.style, keys, states_counted.help);
		view_help_line(
			a, "on" STATES_COUNTED_MARK, "on, and its hits are counted as well (H)");
	}
	view_help_line(a, "+", "tagged with Space: keys such as e act on all tagged rows");
	for (int c = 0; c < COLUMN_COUNT; c++) {
		const struct column *column = &column_table[c];

		snprintf(
			keys, sizeof keys, "%s%s", column->title, column->form ? column->form : "");
		if (column->help)
			view_help_line(a, keys, column->help);
	}
}

static void view_help_keys(struct app *a, unsigned where)
{
	unsigned have = app_have(a);
	char keys[64];

	for (int s = 0; s < SECTION_COUNT; s++) {
		bool begun = false;

		for (int r = REQUEST_NONE + 1; r < REQUEST_COUNT; r++) {
			const struct request_info *info = request_info((enum request)r);

			if ((int)info->section != s ||
				!request_possible((enum request)r, where, have))
				continue;
			if (!begun)
				view_help_title(a, request_section((enum request_section)s));
			begun = true;
			view_help_line(
				a, request_keys((enum request)r, keys, sizeof keys), info->help);
		}
	}
}

static void view_help_filter(struct app *a, bool processes)
{
	char names[160] = "the state:";

	view_help_title(a, "What a filter understands");
	for (size_t i = 0; i < sizeof view_help_filters / sizeof *view_help_filters; i++) {
		const char *text =
			processes ? view_help_filters[i].processes : view_help_filters[i].probes;

		if (text)
			view_help_line(a, view_help_filters[i].keys, text);
	}
	for (int s = PROBES_OFF; s < STATES_COUNT; s++) {
		const char *name = probes_state_name((enum probes_state)s);

		text_addf(names, sizeof names, " %s", name);
		if (strcmp(name, states[s].word) != 0)
			text_addf(names, sizeof names, " (%s)", states[s].word);
	}
	if (!processes)
		view_help_line(a, "on off ...", names);
}

/* Ready questions that fit. */
static void view_help_questions(struct app *a)
{
	const struct questions *all = app_questions(a);
	char text[400];
	bool begun = false;

	for (size_t i = 0; i < all->count; i++) {
		const struct question *q = &all->all[i];
		char note[200];

		if (!app_asks(a, q))
			continue;
		if (!begun)
			view_help_title(a, "What people ask of such a program");
		begun = true;
		snprintf(text, sizeof text, "%s%s%s%s", q->name, q->note ? " (" : "",
			q->note ? text_clean(q->note, note, sizeof note) : "", q->note ? ")" : "");
		view_help_line(a, ":ask", text);
	}
}

static void view_help_build(struct app *a)
{
	unsigned where = a->views[a->before]->where;

	snprintf(a->text.heading, sizeof a->text.heading, "Help: what works here");
	pager_clear(&a->text.pager);
	if (where & (IN_ROWS | IN_PAIRS))
		view_help_legend(a);
	if (where & IN_PICKER) {
		view_help_title(a, "What the list shows");
		for (size_t i = 0; i < sizeof view_help_picker / sizeof *view_help_picker; i++)
			view_help_line(a, view_help_picker[i].keys, view_help_picker[i].text);
	}
	if (where & (IN_ROWS | IN_PAIRS))
		view_help_questions(a);
	view_help_keys(a, where);
	if (request_possible(REQUEST_FILTER, where, 0))
		view_help_filter(a, where & IN_PICKER);
}

const struct view_ops view_help_ops = {
	.where = IN_TEXT,
	.around = 1,
	.overlay = true,
	.build = view_help_build,
	.layout = view_text_layout,
	.draw = view_text_draw,
	.move = view_text_move,
	.search = view_text_search,
	.seek = view_text_seek,
	.write = view_text_write,
};
