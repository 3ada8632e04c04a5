/*
 * The permission-denied screen's text: what still works, what does not, why,
 * and what would help. The facts are the engine's.
 */
#include "ui/tui/views/denied.h"

#include "ui/tui/terminal/text.h"

#include <stdio.h>

/* A text after a label, within the box' sides. */
static void denied_line(
	struct pager *l, int style, const char *label, const char *text, int columns)
{
	char inside[32];

	snprintf(inside, sizeof inside, "  %s", label);
	pager_wrap(l, style, inside, text, columns - 2);
}

static const char *denied_what(const struct probes_access *can)
{
	if (!can->can_list)
		return "CANNOT LIST, READ OR SWITCH PROBES";
	if (!can->can_read)
		return "CANNOT READ STATE OR SWITCH PROBES";
	return can->can_switch ? "PERMITTED NOW" : "CANNOT SWITCH PROBES";
}

static void denied_check(
	struct pager *l, const struct probes_access_check *check, int *tries, int columns)
{
	static const struct {
		const char *label;
		int style;
	} marks[] = {
		[PROBES_ACCESS_OK] = {" ok    ", STYLE_PLAIN},
		[PROBES_ACCESS_FAIL] = {" FAIL  ", STYLE_BAD},
		[PROBES_ACCESS_WHY] = {" why   ", STYLE_TITLE},
	};
	char text[4 * sizeof check->text], label[16];

	text_clean(check->text, text, sizeof text);
	if (check->mark != PROBES_ACCESS_TRY) {
		denied_line(l, marks[check->mark].style, marks[check->mark].label, text, columns);
		return;
	}
	if (!(*tries)++)
		denied_line(l, STYLE_TITLE, "", "One of these is enough:", columns);
	snprintf(label, sizeof label, " %2d  ", *tries);
	denied_line(l, STYLE_PLAIN, label, text, columns);
}

void denied_build(struct pager *l, const struct probes_access *can, const char *title, int columns)
{
	char head[300];
	int tries = 0;

	pager_clear(l);
	snprintf(head, sizeof head, "%s: %s", title, denied_what(can));
	denied_line(l, STYLE_BAD, "", head, columns);
	for (size_t i = 0; i < can->count; i++)
		denied_check(l, &can->checks[i], &tries, columns);
}
