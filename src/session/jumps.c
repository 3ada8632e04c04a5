/*
 * Which sites of a process jump to a counter: its windows of counters record the bytes of each
 * jump, and the bytes at the site tell whether it is there.
 */
#include "session/session.h"

#include "base/error.h"
#include "base/order.h"
#include "count/install.h"
#include "count/space.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool jumps_places(struct probes_session *s, struct object_probes *only, struct array *places)
{
	array_init(places, sizeof(struct jumps_place));
	for (size_t i = 0; i < s->catalog.objects.count; i++) {
		struct object_probes *h = catalog_object(&s->catalog, i);

		if (h->info.gone || !h->site_live || (only && h != only))
			continue;
		if (!array_reserve(places, h->site_count))
			return false;
		for (uint32_t k = 0; k < h->site_count; k++)
			if (h->sites[k].address)
				*(struct jumps_place *)array_add(places) =
					(struct jumps_place){h->sites[k].address, h, k};
	}
	return order_by_number(
		places->data, places->count, places->size, offsetof(struct jumps_place, address));
}

size_t jumps_place_at(const struct array *places, uint64_t address)
{
	return order_first(places->data, places->count, places->size,
		offsetof(struct jumps_place, address), address);
}

bool jumps_open(struct probes_session *s, struct object_probes *h, const struct array *places)
{
	if (h->jumps)
		return true;
	h->jumps = calloc(h->site_count + 1, sizeof *h->jumps);
	if (!h->jumps)
		return false;
	for (size_t i = 0; i < places->count; i++) {
		const struct jumps_place *a = ARRAY_AT(places, struct jumps_place, i);

		for (size_t k = i + 1; a->h == h && k < places->count; k++) {
			uint64_t behind =
				ARRAY_AT(places, struct jumps_place, k)->address - a->address;

			if (behind >= ARCH_SITE_BYTES)
				break;
			if (behind)
				h->jumps[a->site].vary |= (uint8_t)(1u << behind);
		}
	}
	for (size_t i = 0; i < h->probe_count; i++) {
		const struct kind_ops *kind = kind_of(&h->probes[i]);
		size_t first = object_probes_site(h, &h->probes[i]);

		for (uint32_t k = 0; kind->edit && k < h->probes[i].site_count; k++)
			h->jumps[first + k].vary |= (uint8_t)(1u << kind->site->switch_at);
	}
	/* From now on its states are derived differently. */
	s->all.baseline_valid = false;
	return true;
}

void jumps_set(struct probes_session *s, struct object_jump *j, size_t window, size_t entry)
{
	const struct window_site *from =
		&ARRAY_AT(&s->windows, struct window, window)->sites[entry];

	j->length = from->length;
	j->tactic = from->tactic;
	memcpy(j->old, from->old, sizeof j->old);
	memcpy(j->new_, from->new_, sizeof j->new_);
	j->window = (uint32_t)window;
	j->entry = (uint32_t)entry;
	j->why = NULL;
}

/* Is a jump of a window there? Of two that match, the longer one is. */
static bool jumps_is_there(const struct object_jump *known, const struct window_site *from,
	const uint8_t *bytes, size_t count)
{
	struct object_jump j = {.length = from->length, .vary = known->vary};

	memcpy(j.new_, from->new_, sizeof j.new_);
	return object_probes_jumps(&j, bytes, count) &&
	       (j.length > known->length || !object_probes_jumps(known, bytes, count));
}

void jumps_match(struct probes_session *s, struct object_probes *h, size_t local)
{
	const struct probes_probe *p = &h->probes[local];
	size_t first = object_probes_site(h, p);

	for (size_t k = first; h->jumps && k < first + p->site_count; k++) {
		const struct probes_site_live *live = &h->site_live[k];

		if (!live->count || !memcmp(live->bytes, h->original[k], live->count))
			continue;
		for (size_t i = 0; i < s->windows.count; i++) {
			const struct window *w = ARRAY_AT(&s->windows, struct window, i);

			size_t at = order_first(w->sites, w->site_count, sizeof *w->sites,
				offsetof(struct window_site, address), h->sites[k].address);

			if (at < w->site_count && w->sites[at].address == h->sites[k].address &&
				jumps_is_there(
					&h->jumps[k], &w->sites[at], live->bytes, live->count))
				jumps_set(s, &h->jumps[k], i, at);
		}
	}
}

/* Record the jumps of a window. If several windows have one for a site, take the one that is there.
 */
static bool jumps_note(struct probes_session *s, size_t window, const struct array *places)
{
	const struct window *w = ARRAY_AT(&s->windows, struct window, window);

	for (size_t i = 0; i < w->site_count; i++) {
		const struct window_site *from = &w->sites[i];

		for (size_t at = jumps_place_at(places, from->address); at < places->count; at++) {
			const struct jumps_place *place = ARRAY_AT(places, struct jumps_place, at);
			struct object_jump *j;
			uint8_t now[ARCH_SITE_BYTES];

			if (place->address != from->address)
				break;
			if (memcmp(from->old, place->h->original[place->site], 1))
				continue; /* it was made for another object */
			if (!jumps_open(s, place->h, places))
				return false;
			j = &place->h->jumps[place->site];
			if (!j->length ||
				(memory_read(&s->memory, place->address, now, sizeof now) &&
					jumps_is_there(j, from, now, sizeof now)))
				jumps_set(s, j, window, i);
		}
	}
	return true;
}

/* Do not read this window again: it is not one, or there are too many. */
static void jumps_forget(struct window *w, uint64_t address)
{
	window_done(w);
	w->address = address;
}

int jumps_learn(struct probes_session *s, const struct array *found, struct probes_error *e)
{
	struct array places = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < found->count; i++) {
		const struct maps_window *one = ARRAY_AT(found, struct maps_window, i);
		struct window *w;
		bool known = false;

		for (size_t k = 0; k < s->windows.count; k++)
			known = known ||
				ARRAY_AT(&s->windows, struct window, k)->address == one->address;
		if (known)
			continue;
		if (!places.data && !jumps_places(s, NULL, &places)) {
			r = error_memory(e, "the counters of a process");
			break;
		}
		w = array_add(&s->windows);
		s->all.baseline_valid = false;
		if (!w)
			r = error_memory(e, "the counters of a process");
		else if (!window_read(w, &s->memory, one->address, one->size))
			jumps_forget(w, one->address);
		else if (!budget_take(&s->budget, w->data_size + w->site_count * sizeof *w->sites))
			jumps_forget(w, one->address);
		else if (!jumps_note(s, s->windows.count - 1, &places))
			r = error_memory(e, "the counters of a process");
		if (w)
			w->inode = one->inode;
	}
	array_done(&places);
	return r;
}

int jumps_look(struct probes_session *s, struct probes_error *e)
{
	struct array found;
	int r;

	if (!s->read_maps)
		return 0;
	array_init(&found, sizeof(struct maps_window));
	r = space_windows(&s->who, &found, e);
	if (r == 0)
		r = jumps_learn(s, &found, e);
	array_done(&found);
	return r;
}

void jumps_share(struct probes_session *child, const struct probes_session *parent)
{
	for (size_t i = 0; i < child->windows.count; i++)
		for (size_t k = 0; k < parent->windows.count; k++) {
			struct window *w = ARRAY_AT(&child->windows, struct window, i);

			if (w->inode == ARRAY_AT(&parent->windows, struct window, k)->inode)
				w->elsewhere = true;
		}
}

void jumps_done(struct probes_session *s)
{
	for (size_t i = 0; i < s->windows.count; i++)
		window_done(ARRAY_AT(&s->windows, struct window, i));
	array_done(&s->windows);
}

void jumps_tidy(struct probes_session *s)
{
	const struct install in = {.who = &s->who, .memory = &s->memory};
	struct probes_error e;

	if (s->read_maps && s->memory.fd >= 0 && install_tidy(&in, &e) < 0)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"a descriptor of process %d, of a memfd named " MAPS_WINDOW
			", stays open: %s",
			s->who.pid, e.why);
}
