/*
 * The permission-denied screen's text: what still works, what does not, why,
 * and what would help. The facts are the engine's.
 */
#include "ui/tui/denied.h"

#include "ui/tui/text.h"

#include <stdio.h>

/* A text after a label, within the box' sides. */
static void denied_line(
	struct lines *l, int style, const char *label, const char *text, int columns)
{
	char inside[32];

	snprintf(inside, sizeof inside, "  %s", label);
	lines_wrap(l, style, inside, text, columns - 2);
}

static const char *denied_what(const struct probes_access *can)
{
	if (!can->can_list)
		return "CANNOT LIST, READ OR SWITCH PROBES";
	if (!can->can_read)
		return "CANNOT READ STATE OR SWITCH PROBES";
	return can->can_switch ? "PERMITTED NOW" : "CANNOT SWITCH PROBES";
}

static void denied_rung(struct lines *l, const struct probes_rung *rung, int *tries, int columns)
{
	static const struct {
		const char *label;
		int style;
	} marks[] = {
		[PROBES_RUNG_OK] = {" ok    ", STYLE_PLAIN},
		[PROBES_RUNG_FAIL] = {" FAIL  ", STYLE_BAD},
		[PROBES_RUNG_WHY] = {" why   ", STYLE_TITLE},
	};
	char text[4 * sizeof rung->text], label[16];

	text_clean(rung->text, text, sizeof text);
	if (rung->mark != PROBES_RUNG_TRY) {
		denied_line(l, marks[rung->mark].style, marks[rung->mark].label, text, columns);
		return;
	}
	if (!(*tries)++)
		denied_line(l, STYLE_TITLE, "", "One of these is enough:", columns);
	snprintf(label, sizeof label, " %2d  ", *tries);
	denied_line(l, STYLE_PLAIN, label, text, columns);
}

void denied_build(struct lines *l, const struct probes_access *can, const char *title, int columns)
{
	char head[300];
	int tries = 0;

	lines_clear(l);
	snprintf(head, sizeof head, "%s: %s", title, denied_what(can));
	denied_line(l, STYLE_BAD, "", head, columns);
	for (size_t i = 0; i < can->count; i++)
		denied_rung(l, &can->rungs[i], &tries, columns);
}
