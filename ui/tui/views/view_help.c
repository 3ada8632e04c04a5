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
	const char *recorded; /* for those of a recording; NULL: the same; "": not for these */
} view_help_filters[] = {
	{"word",
		"found anywhere in provider:name or in the object's file name; a capital letter "
		"makes case matter",
		"found anywhere in pid, user or command; a capital letter makes case matter", NULL},
	{"a b", "several words: all of them must be found",
		"several words: all of them must be found", NULL},
	{"a|b", "either", "either", NULL},
	{"-word", "not", "not", NULL},
	{"~regex",
		"a regular expression, also found anywhere: ^ is the start of provider:name, $ its "
		"end",
		"a regular expression, also found anywhere", NULL},
	{"\"on\"", "in quotes every word is text, not a state; so are blanks and |",
		"in quotes every word is text; so are blanks and |",
		"in quotes every word is text; so are blanks and |"},
	{"tagged", "tagged with Space", "tagged with Space", NULL},
	{"mine", "held or counted by this session", NULL, ""},
	{"counted", "its hits are counted", NULL, "its hits were recorded"},
	{"hits>100",
		"more than 100 hits since this session counts; rate>2.5k: hits a second; also < <= "
		">= = "
		"and k, M, G",
		NULL, "more than 100 events; also < <= >= = and k, M, G"},
	{"prov:x obj:x", "only in the provider, only in the object's file name", NULL, NULL},
	{"fn:x", "in the name of a function that contains one of its sites", NULL, NULL},
};

/* What the list of processes shows. */
static const struct view_help_line view_help_picker[] = {
	{"PROBES", "how many there are; + : or more; ? : some of its files could not be read"},
	{"CAN", "what you are permitted to do: list the probes, read their states, switch them; "
		"count : "
		"only count their hits, since none has a switch"},
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

/* Of a recording only the columns that it can have: the others were never there to be hidden. */
static void view_help_columns(struct app *a)
{
	char keys[64];

	for (int c = 0; c < COLUMN_COUNT; c++) {
		const struct column *column = &column_table[c];
		const char *help = a->replay && column->recorded ? column->recorded : column->help;

		if (!help || (a->replay && (a->hidden & 1u << c ||
						   (c == COLUMN_PROCESSES &&
							   a->model.process_count < 2) ||
						   (column->hits && !a->model.counts.counted))))
			continue;
		snprintf(
			keys, sizeof keys, "%s%s", column->title, column->form ? column->form : "");
		view_help_line(a, keys, help);
	}
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
	view_help_line(a, "+",
		a->replay ? "tagged with Space: keys such as v act on all tagged rows"
			  : "tagged with Space: keys such as e act on all tagged rows");
	view_help_columns(a);
}

/* What a request does; of a recording without what is refused there. */
static const char *view_help_request(const struct app *a, enum request r)
{
	if (a->replay && r == REQUEST_PAIRS)
		return "list pairs, by name, and which are incomplete";
	if (a->replay && r == REQUEST_COMMAND)
		return "command line: :filter  :sort  :q  :12 (row 12)  :$ (the last); Tab "
		       "completes";
	if (a->replay && r == REQUEST_QUIT)
		return "quit";
	return request_info(r)->help;
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
			view_help_line(a, request_keys((enum request)r, keys, sizeof keys),
				view_help_request(a, (enum request)r));
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

		if (a->replay && view_help_filters[i].recorded)
			text = view_help_filters[i].recorded;
		if (text && *text)
			view_help_line(a, view_help_filters[i].keys, text);
	}
	for (int s = PROBES_OFF; s < STATES_COUNT; s++) {
		const char *name = probes_state_name((enum probes_state)s);

		text_addf(names, sizeof names, " %s", name);
		if (strcmp(name, states[s].word) != 0)
			text_addf(names, sizeof names, " (%s)", states[s].word);
	}
	if (!processes && !a->replay)
		view_help_line(a, "on off ...", names);
}

/* Ready questions that fit. */
static void view_help_questions(struct app *a)
{
	const struct questions *all = app_questions(a);
	char text[400];
	bool begun = false;

	for (const struct question *q = all->all; q < all->all + all->count; q++) {
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

	view_text_begin(a, "Help: what works here");
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
	VIEW_OVERLAY_OPS,
	.build = view_help_build,
};
