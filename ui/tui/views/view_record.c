/*
 * The last action, and what e and d would act on now, as command lines.
 */
#include "ui/tui/views/view.h"

#include "ui/tui/operations/command.h"
#include "ui/tui/operations/fold.h"
#include "ui/tui/terminal/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Frees the command. */
static void view_record_add(struct app *a, const char *what, char *command)
{
	struct pager *l = &a->text.pager;

	pager_wrap(l, STYLE_TITLE, "# ", what, a->columns);
	fold_command(l, STYLE_PLAIN, command, a->columns);
	pager_addf(l, STYLE_PLAIN, "%s", "");
	free(command);
}

static void view_record_build(struct app *a)
{
	const struct view_ops *from = a->views[a->before];
	const struct record_entry *last = record_last(&a->record);
	struct app_selection s = {0};
	char what[800], when[16];
	struct tm tm;

	snprintf(a->text.heading, sizeof a->text.heading,
		"As a command line (S writes the session's script)");
	pager_clear(&a->text.pager);
	if (last) {
		strftime(when, sizeof when, "%H:%M:%S", localtime_r(&last->when, &tm));
		snprintf(what, sizeof what, "last action, %s %s", when, last->text);
		view_record_add(a, what, mem_text(last->command));
	}
	if (from->selection)
		s = from->selection(a);
	if (s.count) {
		snprintf(what, sizeof what, "to switch on what is chosen now (%zu probe%s)",
			s.count, s.count == 1 ? "" : "s");
		view_record_add(
			a, what, command_of_rows(&a->model, s.rows, s.count, PROBES_ENABLE));
		if (s.pair) {
			s.rows[0] = s.pair->start;
			s.rows[1] = s.pair->end;
		}
		view_record_add(a, "to switch it off",
			command_of_rows(&a->model, s.rows, s.count, PROBES_DISABLE));
	}
	free(s.rows);
}

const struct view_ops view_record_ops = {
	.where = IN_TEXT,
	.around = 1,
	.overlay = true,
	.build = view_record_build,
	.layout = view_text_layout,
	.draw = view_text_draw,
	.move = view_text_move,
	.search = view_text_search,
	.seek = view_text_seek,
	.write = view_text_write,
};
