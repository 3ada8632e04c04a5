#include "ui/tui/app/objects.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"
#include "ui/words/probe_name.h"
#include "ui/words/unreadable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS_POLL_MS 1000
#define OBJECTS_SHARE 20 /* rescanning takes at most 1/20 of the time */

static int objects_by_path(const void *a, const void *b)
{
	const struct probes_object *x = *(const struct probes_object *const *)a;
	const struct probes_object *y = *(const struct probes_object *const *)b;

	return strcmp(x->path, y->path);
}

const struct probes_object **objects_that(
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
		qsort(found, n, sizeof *found, objects_by_path);
	*count = 0;
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(found[i]->path, found[i - 1]->path))
			found[(*count)++] = found[i];
	return found;
}

size_t objects_unreadable(const struct model *m)
{
	size_t count;

	free(objects_that(m, unreadable_is, &count));
	return count;
}

const char *objects_describe_unreadable(const struct model *m, char *out, size_t size)
{
	size_t count;
	const struct probes_object **all = objects_that(m, unreadable_is, &count);
	char path[TEXT_MAX], why[TEXT_MAX];

	out[0] = '\0';
	if (count)
		text_addf(out, size, "%s was not read: %s",
			probe_name_base(text_clean(all[0]->path, path, sizeof path)),
			text_clean(all[0]->why, why, sizeof why));
	if (count > 1)
		text_addf(out, size, "; and %zu more", count - 1);
	if (count)
		text_addf(out, size, " (O: all objects)");
	free(all);
	return out;
}

/* What one look at all processes found. */
struct objects_news {
	struct probes_rescanned sum;
	size_t loaded, unloaded; /* in so many processes */
	size_t deleted;          /* objects whose file was deleted or replaced */
	bool changed;            /* any object came or went, with probes or without */
	char new[80], gone[80];  /* the name of one object */
};

static void objects_name(const struct probes_session *s, size_t object, char *out, size_t size)
{
	char path[TEXT_MAX];

	snprintf(out, size, "%.60s",
		probe_name_base(text_clean(probes_object_at(s, object)->path, path, sizeof path)));
}

static void objects_rescan(struct app *a, size_t process, struct objects_news *n)
{
	struct probes_session *s = a->model.processes[process].session;
	size_t unread = unreadable_count(s), count, first;
	struct probes_rescanned r;
	struct probes_error e = {0};

	/* Reading the states reports other errors; it needs no descriptor, so it never reports a
	 * shortage. */
	if (probes_rescan(s, &r, &e) < 0) {
		if (probes_is_shortage(&e))
			app_say_error(a, "", &e);
		return;
	}
	count = probes_object_count(s);
	n->changed = n->changed || r.new_objects || unreadable_count(s) != unread;
	if (r.new_probes) {
		/* the first new object that has probes */
		for (first = count - r.new_objects; first + 1 < count; first++)
			if (probes_object_at(s, first)->probe_count)
				break;
		objects_name(s, first, n->new, sizeof n->new);
		model_extend(&a->model, process, probes_count(s) - r.new_probes);
		n->loaded++;
	}
	if (r.gone_probes) {
		objects_name(s, r.gone_first, n->gone, sizeof n->gone);
		n->unloaded++;
	}
	for (size_t i = 0; i < count; i++)
		n->deleted += probes_object_at(s, i)->deleted;
	n->sum.new_probes += r.new_probes;
	n->sum.gone_probes += r.gone_probes;
	n->sum.lost += r.lost;
}

/* "libx.so: 3 probes new in 2 processes", appended. */
static void objects_describe(
	char *out, size_t size, const char *name, size_t probes, const char *what, size_t processes)
{
	text_addf(out, size, "%s%s: %zu probe%s %s", *out ? "; " : "", name, probes, line_s(probes),
		what);
	if (processes > 1)
		text_addf(out, size, " in %zu processes", processes);
}

void objects_poll(struct app *a)
{
	struct objects_news n = {0};
	int64_t now = now_ms();
	char said[TEXT_MAX] = "";
	size_t unread;

	if (a->frozen || a->replay || !a->model.process_count || now < a->objects.poll_ms)
		return;
	for (size_t i = 0; i < a->model.process_count; i++)
		if (!a->model.processes[i].gone)
			objects_rescan(a, i, &n);
	unread = n.changed ? objects_unreadable(&a->model) : a->objects.unread;
	a->objects.poll_ms = now + OBJECTS_POLL_MS + (now_ms() - now) * OBJECTS_SHARE;
	a->dirty = a->dirty || unread != a->objects.unread;
	if (unread > a->objects.unread)
		app_complain(a, "%s", objects_describe_unreadable(&a->model, said, sizeof said));
	a->objects.unread = unread;
	if (!n.loaded && !n.unloaded && n.deleted == a->objects.deleted)
		return;
	model_drop_unloaded(&a->model);
	model_mark_deleted(&a->model);
	a->objects.deleted = n.deleted;
	a->dirty = true;
	if (n.loaded || n.unloaded) {
		list_update(&a->list);
		app_refresh(a, true);
		said[0] = '\0';
		if (n.sum.gone_probes)
			objects_describe(said, sizeof said, n.gone, n.sum.gone_probes,
				"gone, it was unloaded", n.unloaded);
		if (n.sum.lost)
			text_addf(said, sizeof said,
				" (%zu as this session had switched %s: nothing is left to undo "
				"there)",
				n.sum.lost, n.sum.lost == 1 ? "it" : "them");
		if (n.sum.new_probes)
			objects_describe(
				said, sizeof said, n.new, n.sum.new_probes, "new", n.loaded);
		app_say(a, "%s", said);
	}
}
