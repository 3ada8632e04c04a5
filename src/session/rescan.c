/*
 * The public call that finds the objects that were loaded and unloaded since the
 * last look. An object is recognized by its mapping and its build-id. What this
 * session had changed in an unloaded object went with it.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/descriptors.h"
#include "process/mapped.h"

#include <errno.h>
#include <string.h>

static int rescan_drop(struct probes_session *s, size_t object, struct probes_rescanned *what,
	struct array *lost, struct probes_error *e)
{
	struct object_probes *h = catalog_object(&s->catalog, object);
	struct array edits = ARRAY_OF(struct probes_edit);
	int r = 0;

	for (size_t i = 0; i < h->probe_count; i++) {
		if (!ownership_owns(h, &h->probes[i]))
			continue;
		what->lost++;
		if (lost && !array_push(lost, &(size_t){h->info.first_probe + i}))
			return error_memory(e, "a list of probes");
	}
	hits_last(s, h);
	h->info.gone = true;
	if (!h->probe_count)
		return 0;
	/* Take the changes in it off the record, before another is mapped at its address. */
	for (enum plan_resource kind = 0; h->ownership && kind < PLAN_RESOURCES; kind++)
		for (uint32_t i = 0; i < ownership_count(h, kind); i++) {
			int32_t part = ownership_part(h, kind, i);

			if (part && !(kind == PLAN_COUNTER && h->jumps[i].placed))
				(void)array_push(&edits,
					(struct probes_edit[]){ownership_edit(h, kind, i, -part)});
		}
	if (s->journal.fd >= 0 && edits.count)
		r = journal_record(&s->journal, JOURNAL_MADE, &edits, NULL);
	if (r < 0)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"the journal cannot be written (%s): it still names what was unloaded",
			strerror(-r));
	array_done(&edits);
	kernel_drop(h);
	ownership_end(h);
	object_probes_unload(h);
	if (!what->gone_objects++)
		what->gone_first = object;
	what->gone_probes += h->probe_count;
	return 0;
}

/* The bytes of one site are those of many, and a count has none: only the build-id tells. */
int rescan_check(const struct plan *p, struct memory *m, struct probes_error *e)
{
	for (size_t i = 0; i < p->catalog->objects.count; i++) {
		const struct object_probes *h = catalog_object(p->catalog, i);

		if (!p->views[i].values || h->info.gone || h->info.executable || !h->file ||
			!mapped_replaced(m, h->file, h->info.bias))
			continue;
		error_set(e, PROBES_REFUSED, -EBUSY, "refused to write in the process");
		error_why(e, "another object has taken the place of %s", h->path);
		return error_hint(e, "look again; nothing was changed");
	}
	return 0;
}

/* List the mapped objects. An object whose file was replaced meanwhile counts as unmapped. */
static bool rescan_known(struct probes_session *s, struct array *known)
{
	if (!array_reserve(known, s->catalog.objects.count))
		return false;
	for (const struct object_probes *h = catalog_first(&s->catalog); h; h = h->next) {
		struct image_known *k = array_add(known);

		k->there = true;
		k->deleted = h->info.deleted;
		if (h->info.gone)
			continue;
		if (!h->info.executable && h->file &&
			mapped_replaced(&s->memory, h->file, h->info.bias)) {
			k->there = false;
			s->maps_mark = 0;
		} else {
			k->location = h->location;
		}
	}
	return true;
}

int rescan_objects(struct probes_session *s, struct probes_rescanned *what, struct array *lost,
	struct probes_error *e)
{
	struct array known = ARRAY_OF(struct image_known);
	struct image image = {.terms = &s->terms};
	size_t probes = s->catalog.probe_count;
	bool taken;
	int r;

	*what = (struct probes_rescanned){0};
	if (!s->read_maps || s->held)
		return 0;
	r = descriptors_spare(0);
	if (r < 0)
		return error_set(
			e, PROBES_FAILED, r, "cannot look for libraries of process %d", s->who.pid);
	r = rescan_known(s, &known) ? s->read_maps(s, &known, &image, e)
				    : error_memory(e, "the list of objects");
	taken = r == 0;
	for (size_t i = 0; r == 0 && i < known.count; i++) {
		const struct image_known *k = ARRAY_AT(&known, struct image_known, i);
		struct object_probes *h = catalog_object(&s->catalog, i);

		if (h->info.gone)
			continue;
		s->changes += h->info.deleted != k->deleted;
		h->info.deleted = k->deleted;
		/* probes_alive reports the end of the program itself. */
		if (!k->there && !h->info.executable)
			r = rescan_drop(s, i, what, lost, e);
	}
	if (r == 0)
		r = session_add_image(s, &image, e);
	if (taken) {
		what->new_objects = s->catalog.objects.count - known.count;
		what->new_probes = s->catalog.probe_count - probes;
		image_done(&image);
		budget_trim(&s->budget);
	}
	if (what->new_probes || what->gone_probes) {
		s->changes++;
		if (s->all_ready)
			reader_done(&s->all);
		s->all_ready = false;
	}
	array_done(&known);
	return r;
}

int probes_rescan(struct probes_session *s, struct probes_rescanned *what, struct probes_error *e)
{
	return rescan_objects(s, what, NULL, e);
}
