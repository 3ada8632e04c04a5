/*
 * The public call that finds what was loaded and unloaded meanwhile. Objects
 * are told again by their mapping and their build-id; what has gone is given
 * up, with what this session had changed in it.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/descriptors.h"
#include "process/mapped.h"

#include <string.h>

int session_look_again(
	struct probes_session *s, struct array *known, struct image *image, struct probes_error *e)
{
	int r = image_read_again(&s->who, &s->memory, known, &s->maps_mark, image, e);

	if (r < 0)
		return r;
	/* The maps may have been another program's. */
	r = probes_alive(s, e);
	if (r < 0)
		image_done(image);
	return r;
}

/* ---- what has gone ---- */

/* What was changed there is on record: take it off, before something else lies at its address. */
static void rescan_strike(struct probes_session *s, const struct object_probes *h)
{
	struct array writes;
	int r = 0;

	array_init(&writes, sizeof(struct probes_edit));
	for (size_t i = 0; i < h->semaphore_count; i++) {
		uint16_t net = (uint16_t)(h->net[i] < 0 ? -h->net[i] : h->net[i]);
		struct probes_edit *slot = h->net[i] ? array_add(&writes) : NULL;

		if (slot)
			*slot = edit_semaphore(h->semaphores[i].address, h->net[i] > 0 ? net : 0,
				h->net[i] < 0 ? net : 0);
	}
	if (s->journal.fd >= 0 && writes.count)
		r = journal_record(&s->journal, JOURNAL_MADE, &writes, NULL);
	if (r < 0)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"the journal cannot be written (%s): it still names what was unloaded",
			strerror(-r));
	array_done(&writes);
}

static int rescan_drop(struct probes_session *s, size_t object, struct probes_rescanned *what,
	struct array *lost, struct probes_error *e)
{
	struct object_probes *h = catalog_object(&s->catalog, object);

	for (size_t i = 0; i < h->probe_count; i++) {
		size_t *slot;

		if (!session_owns(h, &h->probes[i]))
			continue;
		what->lost++;
		slot = lost ? array_add(lost) : NULL;
		if (lost && !slot)
			return error_memory(e, "a list of probes");
		if (slot)
			*slot = h->info.first_probe + i;
	}
	h->info.gone = true;
	if (!h->probe_count)
		return 0;
	rescan_strike(s, h);
	object_probes_unload(h);
	if (!what->gone_objects++)
		what->gone_first = object;
	what->gone_probes += h->probe_count;
	return 0;
}

/* ---- what is known ---- */

/* Where each object lies that has not gone yet. One whose file was changed under us is no more. */
static bool rescan_known(struct probes_session *s, struct array *known)
{
	if (!array_reserve(known, s->catalog.objects.count))
		return false;
	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		const struct object_probes *h = catalog_object(&s->catalog, i);
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

static int rescan_take(struct probes_session *s, const struct array *known, struct image *image,
	struct probes_rescanned *what, struct array *lost, struct probes_error *e)
{
	size_t probes = s->catalog.probe_count;
	int r = 0;

	for (size_t i = 0; r == 0 && i < known->count; i++) {
		const struct image_known *k = ARRAY_AT(known, struct image_known, i);
		struct object_probes *h = catalog_object(&s->catalog, i);

		if (h->info.gone)
			continue;
		s->changes += h->info.deleted != k->deleted;
		h->info.deleted = k->deleted;
		/* Its end is told by other means than maps. */
		if (!k->there && !h->info.executable)
			r = rescan_drop(s, i, what, lost, e);
	}
	if (r == 0)
		r = session_add_image(s, image, e);
	what->new_objects = s->catalog.objects.count - known->count;
	what->new_probes = s->catalog.probe_count - probes;
	return r;
}

int session_rescan(struct probes_session *s, struct probes_rescanned *what, struct array *lost,
	struct probes_error *e)
{
	struct array known;
	struct image image = {.terms = &s->terms};
	int r;

	*what = (struct probes_rescanned){0};
	if (!s->verify_again || s->held)
		return 0;
	r = descriptors_spare(0);
	if (r < 0)
		return error_set(
			e, PROBES_FAILED, r, "cannot look for libraries of process %d", s->who.pid);
	array_init(&known, sizeof(struct image_known));
	r = rescan_known(s, &known) ? s->verify_again(s, &known, &image, e)
				    : error_memory(e, "the list of objects");
	if (r == 0) {
		r = rescan_take(s, &known, &image, what, lost, e);
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
	return session_rescan(s, what, NULL, e);
}
