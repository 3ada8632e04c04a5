/*
 * Help, made from the tables of requests, states and columns: only keys that work now in the view
 * that it was opened from. Only the language of the filter is written here.
 */
#include "ui/tui/views/view.h"

#include "ui/states.h"

#include <stdio.h>

static const char *const view_help_filters[][2] = {
	{"word", "found anywhere in provider:name or the object's file name; a capital letter "
		 "makes case matter"},
	{"a|b", "either"},
	{"-word", "not"},
	{"~regex", "a regular expression"},
	{"prov:x obj:x", "only in the provider, only in the object's file name"},
	{"fn:x", "in the name of a function that one of its sites lies in"},
	{"on off partial",
		"the state (also: foreign inconsistent unreadable none gone; mine, tagged)"},
	{"a b", "several words: all of them"},
};

static void view_help_line(struct app *a, const char *keys, const char *text)
{
	char label[80];

	snprintf(label, sizeof label, "  %-*s", a->columns < 60 ? 10 : 16, keys);
	pager_wrap(&a->text.pager, STYLE_PLAIN, label, text, a->columns);
}

static void view_help_build(struct app *a)
{
	struct pager *l = &a->text.pager;
	unsigned where = a->views[a->before]->where, have = app_have(a);
	char keys[64];

	snprintf(a->text.heading, sizeof a->text.heading, "Help: what works here");
	pager_clear(l);
	for (int s = 0; s < SECTION_COUNT; s++) {
		bool begun = false;

		for (int r = REQUEST_NONE + 1; r < REQUEST_COUNT; r++) {
			const struct request_info *info = request_info((enum request)r);

			if ((int)info->section != s ||
				!request_possible((enum request)r, where, have))
				continue;
			if (!begun)
				pager_addf(l, STYLE_TITLE, "%s",
					request_section((enum request_section)s));
			begun = true;
			view_help_line(
				a, request_keys((enum request)r, keys, sizeof keys), info->help);
		}
	}
	if (!(where & (IN_LIST | IN_DETAIL)))
		return;
	pager_addf(l, STYLE_TITLE, "What the list shows");
	snprintf(keys, sizeof keys, "%s %s", states[PROBES_ON].mark, states[PROBES_OFF].mark);
	view_help_line(a, keys, "on, off");
	for (int s = PROBES_PARTIAL; s < STATES_COUNT; s++)
		view_help_line(a, states[s].mark, states[s].help);
	view_help_line(a, "> +", "the cursor; a tag");
	for (int c = 0; c < COLUMN_COUNT; c++) {
		const struct column *column = &column_table[c];

		snprintf(
			keys, sizeof keys, "%s%s", column->title, column->form ? column->form : "");
		if (column->help)
			view_help_line(a, keys, column->help);
	}
	pager_addf(l, STYLE_TITLE, "What a filter understands (and / : word and ~regex)");
	for (size_t i = 0; i < sizeof view_help_filters / sizeof *view_help_filters; i++)
		view_help_line(a, view_help_filters[i][0], view_help_filters[i][1]);
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
