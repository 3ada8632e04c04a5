/* Searching, filtering and tagging in the list. What is typed takes effect at once. */
#include "ui/tui/actions/act.h"

#include "ui/tui/views/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line that the cursor of the view is on; in a text that of the match, or the first one. */
static size_t act_find_at(struct app *a)
{
	const struct pager *p = &a->text.pager;
	bool seen = p->found >= p->top && p->found < p->top + (size_t)app_view_rows(a);

	if (app_rows(a))
		return app_rows(a)->cursor;
	return p->search.pattern && seen ? p->found : p->top;
}

void act_find_to(struct app *a, size_t line)
{
	if (app_rows(a))
		rowlist_to(app_rows(a), line);
	else
		pager_to(&a->text.pager, line, app_view_rows(a));
}

/* Among how many rows was searched in vain? */
static const char *act_find_none(struct app *a, char *out, size_t size)
{
	if (app_rows(a))
		snprintf(out, size, "no match among the %zu shown",
			a->view == VIEW_LIST ? a->list.shown_count : app_rows(a)->count);
	else
		snprintf(out, size, "no match in this text");
	return out;
}

void act_find_next(struct app *a, enum request r)
{
	const struct search *s = app_search(a);
	bool next = r == REQUEST_NEXT;
	size_t at = act_find_at(a);
	char none[64];

	if (!s->pattern)
		app_say(a, "nothing was searched for yet: / searches");
	else if (!app_view(a)->seek(a, next ? at + 1 : at - 1, next ? 1 : -1))
		app_complain(a, "/%s: %s", s->text, act_find_none(a, none, sizeof none));
}

static bool act_find_search_changed(struct app *a, const char *text)
{
	if (search_set(app_search(a), text, a->prompt.why, sizeof a->prompt.why) < 0)
		return false;
	act_find_to(a, a->prompt.from);
	if (*text && !app_view(a)->seek(a, a->prompt.from, 1))
		act_find_none(a, a->prompt.why, sizeof a->prompt.why);
	return true;
}

static void act_find_search_before(struct app *a)
{
	search_set(app_search(a), a->prompt.before, a->prompt.why, sizeof a->prompt.why);
}

static void act_find_search_accepted(struct app *a, const char *text)
{
	if (!*text) { /* as in vi: repeat the last search */
		act_find_search_before(a);
		act_find_next(a, REQUEST_NEXT);
	} else if (a->prompt.why[0]) {
		app_complain(a, "/%s: %s", text, a->prompt.why);
	}
}

static void act_find_search_cancelled(struct app *a)
{
	act_find_search_before(a);
	act_find_to(a, a->prompt.from);
}

static const struct prompt_ops act_find_search = {
	.label = "/",
	.syntax = "word  ~regex   Enter alone repeats, n next, N previous",
	.past = PAST_SEARCH,
	.changed = act_find_search_changed,
	.accepted = act_find_search_accepted,
	.cancelled = act_find_search_cancelled,
};

static void act_find_filter_count(struct app *a)
{
	struct app_filtered f = app_view(a)->filtered(a);

	snprintf(a->prompt.why, sizeof a->prompt.why, "%zu of %zu match%s", f.shown, f.all,
		list_is_looking(&a->list) ? ", looking up functions" : "");
}

static bool act_find_filter_changed(struct app *a, const char *text)
{
	if (app_view(a)->filter(a, text, a->prompt.why, sizeof a->prompt.why) < 0)
		return false;
	act_find_filter_count(a);
	return true;
}

static void act_find_filter_cancelled(struct app *a)
{
	app_view(a)->filter(a, a->prompt.before, a->prompt.why, sizeof a->prompt.why);
}

void act_find_filter_complete(struct app *a)
{
	struct act_complete g;
	bool provider, object;
	const char *word;

	act_complete_begin(&g, a, " |");
	act_complete_skip(&g, "-");
	provider = act_complete_skip(&g, "prov:");
	object = act_complete_skip(&g, "obj:");
	for (size_t i = 0; !provider && !object && (word = filter_word(i, a->replay)); i++)
		act_complete_offer(&g, word);
	for (const struct row *r = a->model.rows; r < a->model.rows + a->model.row_count; r++) {
		if (provider || object)
			act_complete_offer(&g, provider ? r->family->provider : r->family->object);
		else if (g.length)
			act_complete_offer(
				&g, memchr(g.word, ':', g.length) ? r->label : row_name(r));
	}
	act_complete_end(a, &g, "");
}

static const struct prompt_ops act_find_filter = {
	.label = "filter: ",
	.past = PAST_FILTER,
	.changed = act_find_filter_changed,
	.complete = act_find_filter_complete,
	.cancelled = act_find_filter_cancelled,
};

void act_find_look_on(struct app *a)
{
	list_show(&a->list);
	if (a->prompt.ops == &act_find_filter)
		act_find_filter_count(a);
	a->dirty = true;
}

static bool act_find_tag_changed(struct app *a, const char *text)
{
	char regex[INPUT_SIZE + 1];

	snprintf(regex, sizeof regex, "%s%s", *text ? "~" : "", text);
	if (search_set(&a->list.search, regex, a->prompt.why, sizeof a->prompt.why) < 0)
		return false;
	if (*text)
		snprintf(a->prompt.why, sizeof a->prompt.why, "%zu of %zu shown match",
			list_tag(&a->list, a->list.search.pattern, true), a->list.shown_count);
	return true;
}

static void act_find_tag_cancelled(struct app *a)
{
	search_done(&a->list.search);
}

static void act_find_tag_accepted(struct app *a, const char *text)
{
	if (*text) {
		/* Before app_say evaluates its arguments: list_tag changes model.tagged. */
		size_t count = list_tag(&a->list, a->list.search.pattern, false);

		app_say(a, "tagged %zu; %u are tagged now", count, a->model.tagged);
	}
	act_find_tag_cancelled(a);
}

static const struct prompt_ops act_find_tag_regex = {
	.label = "tag ~",
	.syntax =
		"regex, found anywhere in provider:name (:enable-regexp: from its first character)",
	.past = PAST_TAG,
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

void act_find(struct app *a, enum request r)
{
	struct app_filtered f;

	switch (r) {
	case REQUEST_FILTER:
		f = app_view(a)->filtered(a);
		app_ask(a, &act_find_filter, f.text, f.text, 0);
		a->prompt.syntax = f.syntax;
		break;
	case REQUEST_SEARCH:
		app_ask(a, &act_find_search, app_search(a)->text, "", act_find_at(a));
		break;
	default:
		app_ask(a, &act_find_tag_regex, "", "", 0);
	}
}

void act_find_forget(struct app *a, enum request r)
{
	search_done(app_search(a));
	app_hush(a);
}
