/*
 * The help view's text. Keys come from the request table; what is said here by
 * hand is only what no key has: marks, columns, the filter's language.
 */
#include "ui/tui/views/help.h"

#include "ui/tui/app/request.h"

#include <stdio.h>

static void help_line(struct pager *l, const char *keys, const char *text, int columns)
{
	char label[64];

	snprintf(label, sizeof label, "  %-*s", columns < 60 ? 10 : 16, keys);
	pager_wrap(l, STYLE_PLAIN, label, text, columns);
}

static void help_section(
	struct pager *l, enum request_section s, unsigned where, unsigned have, int columns)
{
	bool begun = false;
	char keys[64];

	for (int r = REQUEST_NONE + 1; r < REQUEST_COUNT; r++) {
		const struct request_info *info = request_info((enum request)r);

		if (info->section != s || !request_possible((enum request)r, where, have))
			continue;
		if (!begun)
			pager_addf(l, STYLE_TITLE, "%s", request_section(s));
		begun = true;
		help_line(l, request_keys((enum request)r, keys, sizeof keys), info->help, columns);
	}
}

static const char *const help_marks[][2] = {
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

static const char *const help_filters[][2] = {
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

void help_build(struct pager *l, unsigned where, unsigned have, int columns)
{
	pager_clear(l);
	for (int s = 0; s < SECTION_COUNT; s++)
		help_section(l, (enum request_section)s, where, have, columns);
	if (!(where & (IN_LIST | IN_DETAIL)))
		return;
	pager_addf(l, STYLE_TITLE, "What the list shows");
	for (size_t i = 0; i < sizeof help_marks / sizeof *help_marks; i++)
		help_line(l, help_marks[i][0], help_marks[i][1], columns);
	pager_addf(l, STYLE_TITLE, "What a filter understands (and / : word and ~regex)");
	for (size_t i = 0; i < sizeof help_filters / sizeof *help_filters; i++)
		help_line(l, help_filters[i][0], help_filters[i][1], columns);
}
