/*
 * The objects of all processes: those that could not be read, and why; those with probes; how many
 * have none.
 */
#include "ui/tui/views/view.h"

#include "ui/tui/app/objects.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/unreadable.h"

#include <stdio.h>
#include <stdlib.h>

static bool view_libraries_has_probes(const struct probes_object *o)
{
	return o->probe_count && !o->gone;
}

static bool view_libraries_has_none(const struct probes_object *o)
{
	return !o->probe_count && !o->gone && !o->unread;
}

static void view_libraries_build(struct app *a)
{
	struct pager *l = &a->text.pager;
	const struct probes_object **all;
	size_t count;
	char text[TEXT_MAX], label[32];

	view_text_begin(a, "Objects of %s", a->title);
	all = objects_that(&a->model, unreadable_is, &count);
	if (count)
		pager_wrap(l, STYLE_WARN, "",
			"NOT READ: the probes of these objects are not known, and not listed",
			a->columns);
	for (size_t i = 0; i < count; i++) {
		pager_wrap(l, STYLE_PLAIN, "  ", text_clean(all[i]->path, text, sizeof text),
			a->columns);
		pager_wrap(l, STYLE_PLAIN, "      ", text_clean(all[i]->why, text, sizeof text),
			a->columns);
		if (all[i]->build_id)
			pager_addf(l, STYLE_DIM, "      build-id %s", all[i]->build_id);
	}
	free(all);

	all = objects_that(&a->model, view_libraries_has_probes, &count);
	pager_addf(l, STYLE_TITLE, "WITH PROBES");
	for (size_t i = 0; i < count; i++) {
		snprintf(label, sizeof label, "  %6zu  ", all[i]->probe_count);
		text_clean(all[i]->path, text, sizeof text);
		text_addf(text, sizeof text, "%s", all[i]->deleted ? " (deleted or replaced)" : "");
		pager_wrap(l, STYLE_PLAIN, label, text, a->columns);
	}
	free(all);

	free(objects_that(&a->model, view_libraries_has_none, &count));
	pager_addf(l, STYLE_DIM, "%zu more have no probes (list -verbose says why)", count);
}

const struct view_ops view_libraries_ops = {
	VIEW_OVERLAY_OPS,
	.build = view_libraries_build,
};
