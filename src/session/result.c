/* The outcome of a change (struct probes_result). */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

void probes_result_free(struct probes_result *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->text_count; i++)
		free(r->texts[i]);
	free(r->texts);
	free(r->items);
	free(r->edits);
	free(r->cost);
	free(r);
}

/* Append a copy of `more` to a list. NULL: no memory, and the list is as it was. */
static void *result_extend(
	void *list, size_t count, const void *more, size_t more_count, size_t size)
{
	char *longer = realloc(list, (count + more_count + 1) * size);

	if (longer && more_count)
		memcpy(longer + count * size, more, more_count * size);
	return longer;
}

bool result_join(struct probes_result **all, struct probes_result *more)
{
	struct probes_result *a = *all;
	void *items, *edits, *texts;

	if (!a || !more) {
		*all = a ? a : more;
		return true;
	}
	items = result_extend(
		a->items, a->item_count, more->items, more->item_count, sizeof *a->items);
	a->items = items ? items : a->items;
	edits = result_extend(
		a->edits, a->edit_count, more->edits, more->edit_count, sizeof *a->edits);
	a->edits = edits ? edits : a->edits;
	texts = result_extend(
		a->texts, a->text_count, more->texts, more->text_count, sizeof *a->texts);
	a->texts = texts ? texts : a->texts;
	if (items && edits && texts) {
		a->item_count += more->item_count;
		a->edit_count += more->edit_count;
		a->text_count += more->text_count;
		more->text_count = 0; /* the items point into them */
		a->done += more->done;
		a->skipped += more->skipped;
		for (int i = 0; i < PROBES_SKIPS; i++)
			a->skips[i] += more->skips[i];
		a->not_done += more->not_done;
		a->still_raised += more->still_raised;
		a->sites += more->sites;
		a->stopped_ns += more->stopped_ns;
		a->copied_pages += more->copied_pages;
		a->cost_bytes += more->cost_bytes;
	}
	probes_result_free(more);
	return items && edits && texts;
}

bool result_refuse(struct probes_result **all, size_t probe, enum probes_verb verb, const char *why)
{
	struct probes_result *one = calloc(1, sizeof *one);

	if (!one)
		return false;
	one->items = calloc(1, sizeof *one->items);
	one->texts = calloc(1, sizeof *one->texts);
	if (one->texts && (one->texts[0] = strdup(why)))
		one->text_count = 1;
	if (!one->items || !one->text_count) {
		probes_result_free(one);
		return false;
	}
	one->items[0] = (struct probes_item){
		.probe = probe, .verb = verb, .outcome = PROBES_NOT_DONE, .why = one->texts[0]};
	one->item_count = one->not_done = 1;
	return result_join(all, one);
}
