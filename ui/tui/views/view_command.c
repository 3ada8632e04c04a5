/*
 * The last action, and what e and d would act on now, as command lines: ours, and those of other
 * tools that can trace it.
 */
#include "ui/tui/views/view.h"

#include "ui/tui/operations/command.h"
#include "ui/tui/terminal/mem.h"
#include "ui/words/handover.h"
#include "ui/words/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Frees the command. */
static void view_command_add(struct app *a, const char *what, char *command)
{
	struct pager *l = &a->text.pager;

	pager_comment(l, STYLE_TITLE, what, a->columns);
	pager_command(l, STYLE_PLAIN, command, a->columns);
	pager_addf(l, STYLE_PLAIN, "%s", "");
	free(command);
}

/* What other tools can do with these rows: with those of one object in one process. */
static void view_command_hand_over(struct app *a, const struct app_selection *s)
{
	struct handover h = {0};
	struct model_member member, first = {0};
	size_t others = 0;
	bool any = false;

	for (size_t i = 0; i < s->count; i++) {
		for (uint32_t at = a->model.rows[s->rows[i]].member;
			model_next(&a->model, &at, &member);) {
			const struct model_process *process = &a->model.processes[member.process];
			const struct probes_probe *p = probes_at(process->session, member.probe);

			if (process->gone)
				continue;
			if (!h.count && !handover_look(&h, process->session, member.probe))
				continue;
			if (!h.count)
				first = member;
			if (h.count < HANDOVER_MOST && first.process == member.process &&
				(!h.count || h.probes[0]->object == p->object))
				h.probes[h.count++] = p;
			else
				others++;
		}
	}
	for (int tool = 0; tool < HANDOVER_COUNT; tool++) {
		char *command = handover_command(&h, (enum handover_tool)tool);
		char what[400];

		snprintf(what, sizeof what, "%s%s",
			tool != HANDOVER_BPFTRACE && h.count > 1 ? "first probe only: "
			: tool == HANDOVER_BPFTRACE && others
				? "one process and object only, 16 probes at most: "
				: "",
			handover_about(&h, (enum handover_tool)tool));
		if (command)
			view_command_add(a, what, command);
		any = any || command;
	}
	if (h.count && !any)
		pager_comment(&a->text.pager, STYLE_TITLE,
			"no command for bpftrace, gdb or perf: they do not accept these names, or "
			"cannot open the file",
			a->columns);
}

static void view_command_build(struct app *a)
{
	const struct view_ops *from = a->views[a->before];
	const struct script_entry *last = script_last(&a->script);
	struct app_selection s = {0};
	char what[800], when[16];
	bool switchable = false;
	struct tm tm;

	view_text_begin(a, "As a command line (S writes the session's script)");
	if (last) {
		strftime(when, sizeof when, "%H:%M:%S", localtime_r(&last->when, &tm));
		snprintf(what, sizeof what, "last action, %s %s", when, last->text);
		view_command_add(a, what, mem_text(last->command));
	}
	if (from->selection)
		s = from->selection(a);
	for (size_t i = 0; i < s.count; i++)
		switchable |= a->model.rows[s.rows[i]].switchable;
	if (s.count)
		view_command_add(a, "to count the hits of what is chosen now, until ^C",
			command_of_rows(&a->model, s.rows, s.count, PROBES_COUNT));
	if (s.count && !s.pair)
		view_command_add(a, "to print these hits as they come, with arguments, until ^C",
			command_of_events(&a->model, s.rows, s.count, 0, NULL, ""));
	if (s.pair)
		view_command_add(a, "to measure how long the pair takes, until ^C",
			command_of_latency(&a->model, s.pair->start, s.pair->end, ""));
	if (s.count && !switchable) {
		pager_comment(&a->text.pager, STYLE_TITLE,
			"nothing to switch here (no semaphore, no handler): these tools set a "
			"breakpoint or a uprobe",
			a->columns);
		pager_addf(&a->text.pager, STYLE_PLAIN, "%s", "");
	} else if (s.count) {
		snprintf(what, sizeof what, "to switch on what is chosen now (%zu probe%s)",
			s.count, line_s(s.count));
		view_command_add(
			a, what, command_of_rows(&a->model, s.rows, s.count, PROBES_ENABLE));
		if (s.pair) {
			s.rows[0] = s.pair->start;
			s.rows[1] = s.pair->end;
		}
		view_command_add(a, "to switch it off",
			command_of_rows(&a->model, s.rows, s.count, PROBES_DISABLE));
	}
	view_command_hand_over(a, &s);
	free(s.rows);
}

const struct view_ops view_command_ops = {
	VIEW_OVERLAY_OPS,
	.build = view_command_build,
};
