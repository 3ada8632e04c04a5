/*
 * Help, made from the request table: only what works in the view that it was opened from, now.
 * Written by hand is only what no key has: marks, columns, the filter's language.
 */
#include "ui/tui/views/view.h"

#include <stdio.h>

static const char *const view_help_marks[][2] = {
	{"[*] [ ]", "on, off"},
	{"[~]", "partial: not all of its sites or semaphores (or processes) agree"},
	{"[X]", "foreign: another tool holds the byte that would switch it"},
	{"[!]", "inconsistent: code and semaphore disagree"},
	{"[?]", "its memory could not be read"},
	{"[-]", "gone: its library was unloaded"},
	{"> +", "the cursor; a tag"},
	{"SITES n/m", "n of its m sites are switched on; - : they have no switch of their own"},
	{"REF", "its semaphore: how many parties want it on"},
	{"WHO", "me: this session; me+1: and one party more; other: not this session; int3: "
		"another tool's breakpoint"},
	{"OBJECT", "the file it is in; * : deleted or replaced on disk"},
};

static const char *const view_help_filters[][2] = {
	{"word", "found anywhere in provider:name or the object's file name; a capital letter "
		 "makes case matter"},
	{"a|b", "either"},
	{"-word", "not"},
	{"~regex", "a regular expression"},
	{"prov:x obj:x", "only in the provider, only in the object's file name"},
	{"fn:x", "in the name of a function that one of its sites lies in"},
	{"on off partial", "the state (also: foreign inconsistent unreadable gone; mine, tagged)"},
	{"a b", "several words: all of them"},
};

static void view_help_line(struct app *a, const char *keys, const char *text)
{
	char label[64];

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
	for (size_t i = 0; i < sizeof view_help_marks / sizeof *view_help_marks; i++)
		view_help_line(a, view_help_marks[i][0], view_help_marks[i][1]);
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
	.write = view_text_write,
};
