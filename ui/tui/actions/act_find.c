/*
 * Searching, filtering and tagging in the list. What is typed takes effect at once.
 */
#include "ui/tui/actions/act.h"

#include "ui/tui/views/view.h"

#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ search */

void act_find_next(struct app *a, enum request r)
{
	const struct list *l = &a->list;

	if (!l->search)
		app_say(a, "nothing was searched for yet: / searches");
	else if (!list_seek(&a->list, view_search_from(&l->rows, r), r == REQUEST_NEXT ? 1 : -1))
		app_complain(
			a, "/%s: no match among the %zu shown", l->search_text, l->shown_count);
}

static bool act_find_search_changed(struct app *a, const char *text)
{
	if (list_search(&a->list, text, a->prompt.why, sizeof a->prompt.why) < 0)
		return false;
	rowlist_to(&a->list.rows, a->prompt.from);
	if (*text && !list_seek(&a->list, a->prompt.from, 1))
		snprintf(a->prompt.why, sizeof a->prompt.why, "no match among the %zu shown",
			a->list.shown_count);
	return true;
}

static void act_find_search_accepted(struct app *a, const char *text)
{
	if (!*text) { /* as in vi: repeat the last search */
		list_search(&a->list, a->prompt.before, a->prompt.why, sizeof a->prompt.why);
		act_find_next(a, REQUEST_NEXT);
	} else if (a->prompt.why[0]) {
		app_complain(a, "/%s: %s", text, a->prompt.why);
	}
}

static void act_find_search_cancelled(struct app *a)
{
	list_search(&a->list, a->prompt.before, a->prompt.why, sizeof a->prompt.why);
	rowlist_to(&a->list.rows, a->prompt.from);
}

static const struct prompt_ops act_find_search = {
	.label = "/",
	.changed = act_find_search_changed,
	.accepted = act_find_search_accepted,
	.cancelled = act_find_search_cancelled,
};

/* ------------------------------------------------------------------ filter */

static bool act_find_filter_changed(struct app *a, const char *text)
{
	if (list_filter(&a->list, text, a->prompt.why, sizeof a->prompt.why) < 0)
		return false;
	snprintf(a->prompt.why, sizeof a->prompt.why, "%zu of %zu match", a->list.shown_count,
		a->model.row_count);
	return true;
}

static void act_find_filter_cancelled(struct app *a)
{
	list_filter(&a->list, a->prompt.before, a->prompt.why, sizeof a->prompt.why);
}

static const struct prompt_ops act_find_filter = {
	.label = "filter: ",
	.changed = act_find_filter_changed,
	.cancelled = act_find_filter_cancelled,
};

void act_find_look_on(struct app *a)
{
	list_look_on(&a->list);
	if (a->prompt.ops == &act_find_filter)
		snprintf(a->prompt.why, sizeof a->prompt.why, "%zu of %zu match%s",
			a->list.shown_count, a->model.row_count,
			list_is_looking(&a->list) ? ", looking up functions" : "");
	a->dirty = true;
}

/* --------------------------------------------------------------------- tag */

static bool act_find_tag_changed(struct app *a, const char *text)
{
	char regex[INPUT_SIZE + 1];

	snprintf(regex, sizeof regex, "%s%s", *text ? "~" : "", text);
	if (list_search(&a->list, regex, a->prompt.why, sizeof a->prompt.why) < 0)
		return false;
	if (*text)
		snprintf(a->prompt.why, sizeof a->prompt.why, "%zu of %zu shown match",
			list_tag(&a->list, a->list.search, true), a->list.shown_count);
	return true;
}

static void act_find_tag_cancelled(struct app *a)
{
	list_search(&a->list, "", a->prompt.why, sizeof a->prompt.why);
}

static void act_find_tag_accepted(struct app *a, const char *text)
{
	if (*text)
		app_say(a, "tagged %zu; %u are tagged now",
			list_tag(&a->list, a->list.search, false), a->model.tagged);
	act_find_tag_cancelled(a);
}

static const struct prompt_ops act_find_tag_regex = {
	.label = "tag ~",
	.changed = act_find_tag_changed,
	.accepted = act_find_tag_accepted,
	.cancelled = act_find_tag_cancelled,
};

void act_find_tag(struct app *a, enum request r)
{
	struct list *l = &a->list;
	const struct group *g = list_group(l);
	uint32_t id = list_current(l);
	size_t count;

	if (r == REQUEST_TAG_SHOWN) {
		app_say(a, "tagged the %zu shown", list_tag(l, NULL, false));
	} else if (r == REQUEST_UNTAG) {
		for (size_t i = 0; i < a->model.row_count; i++)
			model_tag(&a->model, (uint32_t)i, false);
		a->model.last_tag = 0;
	} else if (g) {
		/* all of the group that is shown; untag it if all of that is tagged already */
		bool yes = !g->sum.tag;
		uint32_t *ids = list_group_rows(l, g, &count);

		for (size_t i = 0; i < count; i++)
			model_tag(&a->model, ids[i], yes);
		free(ids);
		app_say(a, "%s %zu; %u are tagged now", yes ? "tagged" : "untagged", count,
			a->model.tagged);
		rowlist_move(&l->rows, 1);
	} else if (id != ROWLIST_NONE) {
		model_tag(&a->model, id, !a->model.rows[id].tag);
		rowlist_move(&l->rows, 1);
	}
	list_sum(l);
	a->order_stale |= list_is_live(l);
}

/* ---------------------------------------------------------------- requests */

void act_find(struct app *a, enum request r)
{
	const struct list *l = &a->list;

	if (r == REQUEST_FILTER)
		app_ask(a, &act_find_filter, l->filter_text, l->filter_text, l->rows.cursor);
	else
		app_ask(a, r == REQUEST_SEARCH ? &act_find_search : &act_find_tag_regex,
			l->search_text, "", l->rows.cursor);
}

void act_find_forget(struct app *a, enum request r)
{
	char why[8];

	(void)r;
	list_search(&a->list, "", why, sizeof why);
	a->message.text[0] = '\0';
}
