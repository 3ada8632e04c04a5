/*
 * Searching, filtering, tagging. What is typed takes effect as one types.
 */
#include "ui/tui/actions/act_find.h"

#include "ui/tui/actions/act_command.h"
#include "ui/tui/actions/act_output.h"
#include "ui/tui/actions/act_picker.h"
#include "ui/tui/actions/act_record.h"
#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one kind of prompt does. Each returns whether the text can be accepted. */
struct act_find_ops {
	bool (*changed)(struct app *a, const char *text);
	void (*accepted)(struct app *a, const char *text);
	void (*cancelled)(struct app *a);
};

/* ------------------------------------------------------------------ search */

static bool act_find_search_changed(struct app *a, const char *text)
{
	if (list_search(&a->list, text, a->prompt_why, sizeof a->prompt_why) < 0)
		return false;
	rowlist_to(&a->list.rows, a->search_from);
	if (*text && !list_seek(&a->list, a->search_from, 1))
		snprintf(a->prompt_why, sizeof a->prompt_why, "no match among the %zu shown",
			a->list.shown_count);
	return true;
}

static void act_find_search_accepted(struct app *a, const char *text)
{
	if (!*text) { /* as in vi: the search before, again */
		list_search(&a->list, a->prompt_before, a->prompt_why, sizeof a->prompt_why);
		act_find_next(a, REQUEST_NEXT);
	} else if (a->prompt_why[0]) {
		app_complain(a, "/%s: %s", text, a->prompt_why);
	}
}

static void act_find_search_cancelled(struct app *a)
{
	list_search(&a->list, a->prompt_before, a->prompt_why, sizeof a->prompt_why);
	rowlist_to(&a->list.rows, a->search_from);
}

/* ------------------------------------------------------------------ filter */

static bool act_find_filter_changed(struct app *a, const char *text)
{
	if (list_filter(&a->list, text, a->prompt_why, sizeof a->prompt_why) < 0)
		return false;
	snprintf(a->prompt_why, sizeof a->prompt_why, "%zu of %zu match", a->list.shown_count,
		a->model.row_count);
	return true;
}

static void act_find_filter_accepted(struct app *a, const char *text)
{
	(void)a;
	(void)text;
}

static void act_find_filter_cancelled(struct app *a)
{
	list_filter(&a->list, a->prompt_before, a->prompt_why, sizeof a->prompt_why);
}

/* --------------------------------------------------------------------- tag */

static bool act_find_tag_changed(struct app *a, const char *text)
{
	char regex[INPUT_SIZE + 1];

	snprintf(regex, sizeof regex, "%s%s", *text ? "~" : "", text);
	if (list_search(&a->list, regex, a->prompt_why, sizeof a->prompt_why) < 0)
		return false;
	if (*text)
		snprintf(a->prompt_why, sizeof a->prompt_why, "%zu of %zu shown match",
			list_tag(&a->list, a->list.search, true), a->list.shown_count);
	return true;
}

static void act_find_tag_accepted(struct app *a, const char *text)
{
	if (*text)
		app_say(a, "tagged %zu; %u are tagged now",
			list_tag(&a->list, a->list.search, false), a->model.tagged);
	list_search(&a->list, "", a->prompt_why, sizeof a->prompt_why);
}

static void act_find_tag_cancelled(struct app *a)
{
	list_search(&a->list, "", a->prompt_why, sizeof a->prompt_why);
}

/* ------------------------------------------------- what others do with a text */

static bool act_find_anything(struct app *a, const char *text)
{
	(void)a;
	(void)text;
	return true;
}

static void act_find_nothing(struct app *a)
{
	app_say(a, "nothing was done");
}

/* ----------------------------------------------------------------- prompts */

static const struct act_find_ops act_find_prompts[] = {
	[PROMPT_SEARCH] = {.changed = act_find_search_changed,
		.accepted = act_find_search_accepted,
		.cancelled = act_find_search_cancelled},
	[PROMPT_FILTER] = {.changed = act_find_filter_changed,
		.accepted = act_find_filter_accepted,
		.cancelled = act_find_filter_cancelled},
	[PROMPT_TAG] = {.changed = act_find_tag_changed,
		.accepted = act_find_tag_accepted,
		.cancelled = act_find_tag_cancelled},
	[PROMPT_OUTPUT] = {.changed = act_output_search_changed,
		.accepted = act_find_filter_accepted,
		.cancelled = act_output_search_cancelled},
	[PROMPT_PICKER_SEARCH] = {.changed = act_picker_search_changed,
		.accepted = act_find_filter_accepted,
		.cancelled = act_picker_search_cancelled},
	[PROMPT_PICKER_FILTER] = {.changed = act_picker_filter_changed,
		.accepted = act_find_filter_accepted,
		.cancelled = act_picker_filter_cancelled},
	[PROMPT_MARK] = {.changed = act_find_anything,
		.accepted = act_record_mark,
		.cancelled = act_find_nothing},
	[PROMPT_SCRIPT] = {.changed = act_find_anything,
		.accepted = act_record_script,
		.cancelled = act_find_nothing},
	[PROMPT_WRITE] = {.changed = act_find_anything,
		.accepted = act_record_write,
		.cancelled = act_find_nothing},
	[PROMPT_COMMAND] = {.changed = act_find_anything,
		.accepted = act_command_run,
		.cancelled = act_find_nothing},
};

static void act_find_changed(struct app *a)
{
	a->prompt_why[0] = '\0';
	act_find_prompts[a->prompt].changed(a, a->edit.text);
}

static void act_find_ask_picker(struct app *a, enum request r)
{
	const char *before = r == REQUEST_FILTER ? a->picker.filter_text : a->picker.search_text;

	a->prompt = r == REQUEST_FILTER ? PROMPT_PICKER_FILTER : PROMPT_PICKER_SEARCH;
	snprintf(a->prompt_before, sizeof a->prompt_before, "%s", before);
	input_set(&a->edit, r == REQUEST_FILTER ? before : "");
	a->search_from = a->picker.rows.cursor;
	a->prompt_why[0] = '\0';
}

static void act_find_ask_output(struct app *a)
{
	a->prompt = PROMPT_OUTPUT;
	snprintf(a->prompt_before, sizeof a->prompt_before, "%s", a->output_search_text);
	input_set(&a->edit, "");
	a->search_from = a->output_back;
	a->prompt_why[0] = '\0';
}

void act_find_ask(struct app *a, enum request r)
{
	const char *before = r == REQUEST_FILTER ? a->list.filter_text : a->list.search_text;

	if (a->view == VIEW_PICKER) {
		act_find_ask_picker(a, r);
		return;
	}
	if (r == REQUEST_FIND_OUTPUT) {
		act_find_ask_output(a);
		return;
	}
	a->prompt = r == REQUEST_SEARCH   ? PROMPT_SEARCH
		    : r == REQUEST_FILTER ? PROMPT_FILTER
					  : PROMPT_TAG;
	snprintf(a->prompt_before, sizeof a->prompt_before, "%s", before);
	input_set(&a->edit, r == REQUEST_FILTER ? before : "");
	a->search_from = a->list.rows.cursor;
	a->prompt_why[0] = '\0';
}

void act_find_key(struct app *a, uint32_t key)
{
	const struct act_find_ops *ops = &act_find_prompts[a->prompt];

	if (key == K_TAB && a->prompt == PROMPT_COMMAND) {
		act_command_complete(a);
		return;
	}
	switch (input_key(&a->edit, key)) {
	case INPUT_CHANGED:
		act_find_changed(a);
		break;
	case INPUT_DONE:
		a->prompt_why[0] = '\0';
		if (!ops->changed(a, a->edit.text))
			break; /* stays open: it says what is wrong */
		a->prompt = PROMPT_NONE;
		ops->accepted(a, a->edit.text);
		break;
	case INPUT_CANCEL:
		a->prompt = PROMPT_NONE;
		ops->cancelled(a);
		break;
	case INPUT_SAME:
	case INPUT_MOVED:
		break;
	}
}

/* ---------------------------------------------------------------- requests */

void act_find_next(struct app *a, enum request r)
{
	struct rowlist *l = &a->list.rows;
	int direction = r == REQUEST_NEXT ? 1 : -1;
	size_t n = l->count, from;

	if (a->view == VIEW_PICKER) {
		act_picker_next(a, r);
		return;
	}
	if (!a->list.search) {
		app_say(a, "nothing was searched for yet: / searches");
		return;
	}
	from = !n ? 0 : direction > 0 ? (l->cursor + 1) % n : (l->cursor + n - 1) % n;
	if (!list_seek(&a->list, from, direction))
		app_complain(a, "/%s: no match among the %zu shown", a->list.search_text,
			a->list.shown_count);
}

void act_find_forget(struct app *a)
{
	char why[8];

	if (a->view == VIEW_PICKER)
		picker_search(&a->picker, "", why, sizeof why);
	else
		list_search(&a->list, "", why, sizeof why);
	a->message[0] = '\0';
}

/* A group: all of it that is shown; untagged when all of that is tagged already. */
static void act_find_tag_group(struct app *a, const struct group *g)
{
	bool yes = !g->sum.tag;
	size_t count;
	uint32_t *ids = list_group_rows(&a->list, g, &count);

	for (size_t i = 0; i < count; i++)
		model_tag(&a->model, ids[i], yes);
	free(ids);
	app_say(a, "%s %zu; %u are tagged now", yes ? "tagged" : "untagged", count,
		a->model.tagged);
}

void act_find_tag(struct app *a, enum request r)
{
	uint32_t id = list_current(&a->list);

	if (a->view == VIEW_PICKER) {
		act_picker_tag(a, r);
		return;
	}
	if (r == REQUEST_TAG_SHOWN) {
		app_say(a, "tagged the %zu shown", list_tag(&a->list, NULL, false));
	} else if (r == REQUEST_UNTAG) {
		for (size_t i = 0; i < a->model.row_count; i++)
			model_tag(&a->model, (uint32_t)i, false);
		a->model.last_tag = 0;
	} else if (list_group(&a->list)) {
		act_find_tag_group(a, list_group(&a->list));
		rowlist_move(&a->list.rows, 1);
	} else if (id != ROWLIST_NONE) {
		model_tag(&a->model, id, !a->model.rows[id].tag);
		rowlist_move(&a->list.rows, 1);
	}
	list_sum(&a->list);
	a->order_stale |= list_is_live(&a->list);
}
