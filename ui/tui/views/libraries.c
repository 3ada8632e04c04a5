/* The view of objects. Reads through libprobes; escapes raw texts. */
#include "ui/tui/views/libraries.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/unread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int libraries_by_path(const void *a, const void *b)
{
	const struct probes_object *x = *(const struct probes_object *const *)a;
	const struct probes_object *y = *(const struct probes_object *const *)b;

	return strcmp(x->path, y->path);
}

static bool libraries_has_probes(const struct probes_object *o)
{
	return o->probe_count && !o->gone;
}

static bool libraries_has_none(const struct probes_object *o)
{
	return !o->probe_count && !o->gone && !o->unread;
}

/* The objects of all processes for which `is` holds, each path once, sorted; the caller frees the
 * array. */
static const struct probes_object **libraries_that(
	const struct model *m, bool (*is)(const struct probes_object *), size_t *count)
{
	const struct probes_object **found = NULL;
	size_t capacity = 0, n = 0;

	for (size_t i = 0; i < m->process_count; i++) {
		const struct probes_session *s = m->processes[i].session;

		for (size_t k = 0; !m->processes[i].gone && k < probes_object_count(s); k++) {
			if (!is(probes_object_at(s, k)))
				continue;
			found = mem_grow(found, &capacity, n + 1, sizeof *found);
			found[n++] = probes_object_at(s, k);
		}
	}
	if (n)
		qsort(found, n, sizeof *found, libraries_by_path);
	*count = 0;
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(found[i]->path, found[i - 1]->path))
			found[(*count)++] = found[i];
	return found;
}

static void libraries_put_unread(struct pager *l, const struct model *m, int columns)
{
	size_t count;
	const struct probes_object **all = libraries_that(m, unread_is, &count);
	char text[TEXT_MAX];

	if (count)
		pager_wrap(l, STYLE_WARN, "",
			"NOT READ: the probes of these objects are not known, and not listed",
			columns);
	for (size_t i = 0; i < count; i++) {
		pager_wrap(
			l, STYLE_PLAIN, "  ", text_clean(all[i]->path, text, sizeof text), columns);
		pager_wrap(l, STYLE_PLAIN, "      ", text_clean(all[i]->why, text, sizeof text),
			columns);
		if (all[i]->build_id)
			pager_addf(l, STYLE_DIM, "      build-id %s", all[i]->build_id);
	}
	free(all);
}

static void libraries_put_others(struct pager *l, const struct model *m, int columns)
{
	size_t count;
	const struct probes_object **all = libraries_that(m, libraries_has_probes, &count);
	char text[TEXT_MAX], label[32];

	pager_addf(l, STYLE_TITLE, "WITH PROBES");
	for (size_t i = 0; i < count; i++) {
		snprintf(label, sizeof label, "  %6zu  ", all[i]->probe_count);
		text_clean(all[i]->path, text, sizeof text);
		text_addf(text, sizeof text, "%s", all[i]->deleted ? " (deleted or replaced)" : "");
		pager_wrap(l, STYLE_PLAIN, label, text, columns);
	}
	free(all);
	all = libraries_that(m, libraries_has_none, &count);
	free(all);
	pager_addf(l, STYLE_DIM, "%zu more have no probes (list -verbose says why)", count);
}

void libraries_build(struct pager *l, const struct model *m, int columns)
{
	pager_clear(l);
	libraries_put_unread(l, m, columns);
	libraries_put_others(l, m, columns);
}

size_t libraries_unread(const struct model *m)
{
	size_t count;

	free(libraries_that(m, unread_is, &count));
	return count;
}

const char *libraries_say_unread(const struct model *m, char *out, size_t size)
{
	size_t count;
	const struct probes_object **all = libraries_that(m, unread_is, &count);
	char path[TEXT_MAX], why[TEXT_MAX];

	out[0] = '\0';
	if (count)
		text_addf(out, size, "%s was not read: %s",
			text_base(text_clean(all[0]->path, path, sizeof path)),
			text_clean(all[0]->why, why, sizeof why));
	if (count > 1)
		text_addf(out, size, "; and %zu more", count - 1);
	if (count)
		text_addf(out, size, " (O: all objects)");
	free(all);
	return out;
}
