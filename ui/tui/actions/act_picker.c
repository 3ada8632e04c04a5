/*
 * Choosing a process: searching, filtering, opening one, and coming back.
 */
#include "ui/tui/actions/act_picker.h"

#include "ui/tui/app/targets_load.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>

#define ACT_PICKER_SHOW_MS 100 /* while it fills in, draw so often */

bool act_picker_search_changed(struct app *a, const char *text)
{
	struct picker *p = &a->picker;

	if (picker_search(p, text, a->prompt_why, sizeof a->prompt_why) < 0)
		return false;
	rowlist_to(&p->rows, a->search_from);
	if (*text && !picker_seek(p, a->search_from, 1))
		snprintf(a->prompt_why, sizeof a->prompt_why, "no match among the %zu shown",
			p->rows.count);
	return true;
}

void act_picker_search_cancelled(struct app *a)
{
	picker_search(&a->picker, a->prompt_before, a->prompt_why, sizeof a->prompt_why);
	rowlist_to(&a->picker.rows, a->search_from);
}

bool act_picker_filter_changed(struct app *a, const char *text)
{
	if (picker_filter(&a->picker, text, a->prompt_why, sizeof a->prompt_why) < 0)
		return false;
	snprintf(a->prompt_why, sizeof a->prompt_why, "%zu of %zu match", a->picker.rows.count,
		a->picker.scan.listed);
	return true;
}

void act_picker_filter_cancelled(struct app *a)
{
	picker_filter(&a->picker, a->prompt_before, a->prompt_why, sizeof a->prompt_why);
}

void act_picker_next(struct app *a, enum request r)
{
	struct rowlist *l = &a->picker.rows;
	int direction = r == REQUEST_NEXT ? 1 : -1;
	size_t n = l->count, from;

	if (!a->picker.search) {
		app_say(a, "nothing was searched for yet: / searches");
		return;
	}
	from = !n ? 0 : direction > 0 ? (l->cursor + 1) % n : (l->cursor + n - 1) % n;
	if (!picker_seek(&a->picker, from, direction))
		app_complain(a, "no match among the %zu shown", n);
}

void act_picker_tag(struct app *a, enum request r)
{
	(void)r;
	picker_tag(&a->picker);
}

/* Of the processes chosen those that are still the same: a pid may be another process' by now. */
static size_t act_picker_pids(const struct app *a, pid_t **pids)
{
	struct scan_identity *chosen, now;
	size_t count = picker_chosen(&a->picker, &chosen), same = 0;

	*pids = mem_array(count, sizeof **pids);
	for (size_t i = 0; i < count; i++) {
		if (scan_identify(chosen[i].pid, &now) && now.start == chosen[i].start)
			(*pids)[same++] = now.pid;
	}
	free(chosen);
	return same;
}

void act_picker_open(struct app *a, enum request r)
{
	struct probes_error e = {0};
	pid_t *pids;
	size_t count = act_picker_pids(a, &pids);

	(void)r;
	a->message[0] = '\0';
	if (!a->picker.rows.count)
		app_say(a, "nothing to open: no process is shown");
	else if (!count)
		app_complain(a, "nothing to open: gone, or another process by now");
	else if (targets_load_picked(a, pids, count, &e) < 0)
		app_say_error(a, "", &e);
	free(pids);
}

void act_picker_return(struct app *a)
{
	targets_load_close(a);
	a->view = VIEW_PICKER;
	a->leaving = LEAVE_NOT;
	a->left = 0;
	app_say(a, "%s", a->farewell);
	a->farewell[0] = '\0';
}

void act_picker_scan(struct app *a)
{
	struct picker *p = &a->picker;
	int64_t now = app_now_ms();

	if (!p->used || a->view != VIEW_PICKER)
		return;
	if (scan_step(&p->scan, now)) {
		if (p->scan.trouble.code)
			app_say_error(a, "", &p->scan.trouble);
		picker_update(p);
		a->scan_changed = true;
	}
	if (!a->scan_changed && p->scan.rounds)
		return;
	if (now - a->scan_shown_ms < ACT_PICKER_SHOW_MS && p->scan.pids)
		return;
	a->scan_shown_ms = now;
	a->scan_changed = false;
	a->dirty = true;
}
