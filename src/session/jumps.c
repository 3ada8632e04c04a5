/*
 * Which sites of a process jump to a counter: its arenas of counters record the bytes of each
 * jump, and the bytes at the site tell whether it is there.
 */
#include "session/session.h"

#include "base/error.h"
#include "base/order.h"
#include "count/install.h"
#include "count/space.h"
#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool jumps_places(struct probes_session *s, struct object_probes *only, struct array *places)
{
	*places = ARRAY_OF(struct jumps_place);
	for (struct object_probes *h = catalog_first(&s->catalog); h; h = h->next) {
		if (h->info.gone || !h->site_live || (only && h != only))
			continue;
		if (!array_reserve(places, h->site_count))
			return false;
		for (uint32_t k = 0; k < h->site_count; k++)
			if (h->sites[k].address)
				*(struct jumps_place *)array_add(places) =
					(struct jumps_place){h->sites[k].address, h, k};
	}
	return order_array(places, offsetof(struct jumps_place, address));
}

size_t jumps_place_at(const struct array *places, uint64_t address)
{
	return order_find(places, offsetof(struct jumps_place, address), address);
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

		for (uint32_t k = 0; kind->call && k < h->probes[i].site_count; k++)
			h->jumps[first + k].vary |= (uint8_t)(1u << kind->site->switch_at);
	}
	/* From now on its states are derived differently. */
	s->all.baseline_valid = false;
	return true;
}

struct arena *jumps_arena(const struct probes_session *s, const struct object_jump *j)
{
	if (!j->length || j->tactic == PROBES_TACTIC_KERNEL || j->arena == PROBES_NONE)
		return NULL;
	return ARRAY_AT(&s->arenas, struct arena, j->arena);
}

void jumps_set(struct probes_session *s, struct object_jump *j, size_t arena, size_t entry)
{
	const struct arena_site *from = &ARRAY_AT(&s->arenas, struct arena, arena)->sites[entry];

	if (j->arena != arena || j->entry != entry)
		j->base = 0;
	j->length = from->length;
	j->tactic = from->tactic;
	memcpy(j->old, from->old, sizeof j->old);
	memcpy(j->new_, from->new_, sizeof j->new_);
	j->arena = (uint32_t)arena;
	j->entry = (uint32_t)entry;
	j->why = NULL;
}

/* The index of the first entry at an address or behind it. */
static size_t jumps_entry_at(const struct probes_session *s, uint64_t address)
{
	return order_find(&s->entries, offsetof(struct jumps_entry, address), address);
}

/* The entry, if it is one of this address; else NULL. */
static const struct jumps_entry *jumps_entry(
	const struct probes_session *s, size_t at, uint64_t address)
{
	const struct jumps_entry *entry = ARRAY_AT(&s->entries, struct jumps_entry, at);

	return at < s->entries.count && entry->address == address ? entry : NULL;
}

static const struct arena_site *jumps_from(
	const struct probes_session *s, const struct jumps_entry *entry)
{
	return &ARRAY_AT(&s->arenas, struct arena, entry->arena)->sites[entry->entry];
}

void jumps_match(struct probes_session *s, struct object_probes *h, size_t local)
{
	const struct probes_probe *p = &h->probes[local];
	size_t first = object_probes_site(h, p);

	for (size_t k = first; h->jumps && k < first + p->site_count; k++) {
		const struct probes_site_live *live = &h->site_live[k];
		const struct object_jump *known = &h->jumps[k];
		const struct jumps_entry *entry;
		uint64_t address = h->sites[k].address;

		if (!live->count || !memcmp(live->bytes, h->original[k], live->count))
			continue;
		for (size_t at = jumps_entry_at(s, address); (entry = jumps_entry(s, at, address));
			at++) {
			const struct arena_site *from = jumps_from(s, entry);
			struct object_jump j = {.length = from->length, .vary = known->vary};

			memcpy(j.new_, from->new_, sizeof j.new_);
			/* Of two that match, the longer one is there. */
			if (object_probes_jumps(&j, live->bytes, live->count) &&
				(j.length > known->length ||
					!object_probes_jumps(known, live->bytes, live->count)))
				jumps_set(s, &h->jumps[k], entry->arena, entry->entry);
		}
	}
}

bool jumps_choose(struct probes_session *s, struct object_probes *h, uint32_t site,
	const uint8_t *code, size_t size, bool shared)
{
	struct object_jump *j = &h->jumps[site];
	const struct jumps_entry *entry, *best = NULL;
	uint64_t address = h->sites[site].address;

	for (size_t at = jumps_entry_at(s, address); (entry = jumps_entry(s, at, address)); at++) {
		const struct arena *w = ARRAY_AT(&s->arenas, struct arena, entry->arena);
		const struct arena_site *from = jumps_from(s, entry);
		bool stops = from->tactic == PROBES_TACTIC_EVICTED, same = size >= ARCH_SITE_BYTES;

		/* There the hits of other processes would be its own. */
		if (arena_is_shared(w) != shared || (best && stops))
			continue;
		for (unsigned i = 0; same && i < ARCH_SITE_BYTES; i++)
			same = code[i] == from->old[i] || j->vary >> i & 1;
		if (!same || !arena_fits(w, entry->entry, code, size))
			continue;
		best = entry;
		if (!stops)
			break;
	}
	if (best)
		jumps_set(s, j, best->arena, best->entry);
	return best;
}

/* A site that was never counted in this session has the jump of the oldest arena. */
static bool jumps_note(struct probes_session *s, size_t arena, const struct array *places)
{
	const struct arena *w = ARRAY_AT(&s->arenas, struct arena, arena);

	for (size_t i = 0; i < w->site_count; i++) {
		const struct arena_site *from = &w->sites[i];

		for (size_t at = jumps_place_at(places, from->address); at < places->count; at++) {
			const struct jumps_place *place = ARRAY_AT(places, struct jumps_place, at);

			if (place->address != from->address)
				break;
			if (memcmp(from->old, place->h->original[place->site], 1))
				continue; /* it was made for another object */
			if (!jumps_open(s, place->h, places))
				return false;
			if (!place->h->jumps[place->site].length)
				jumps_set(s, &place->h->jumps[place->site], arena, i);
		}
	}
	return true;
}

int jumps_index(struct probes_session *s, size_t first, struct probes_error *e)
{
	size_t before = s->entries.count, more = 0;

	for (size_t i = first; i < s->arenas.count; i++)
		more += ARRAY_AT(&s->arenas, struct arena, i)->site_count;
	if (!array_reserve(&s->entries, more))
		return error_memory(e, "the counters of a process");
	for (size_t i = first; i < s->arenas.count; i++) {
		const struct arena *w = ARRAY_AT(&s->arenas, struct arena, i);

		for (size_t k = 0; k < w->site_count; k++)
			*(struct jumps_entry *)array_add(&s->entries) =
				(struct jumps_entry){w->sites[k].address, (uint32_t)i, (uint32_t)k};
	}
	if (order_array(&s->entries, offsetof(struct jumps_entry, address)))
		return 0;
	s->entries.count = before;
	s->arenas_left_out = true;
	return error_memory(e, "the counters of a process");
}

#define JUMPS_ARENAS 4096 /* that are read, or found to be none */

/*
 * Any process may map such memory, as often and as large as it likes. The work is bounded by the
 * number of its mappings, and by the budget of the session, which is charged before an arena is
 * read.
 */
int jumps_learn(struct probes_session *s, const struct array *found, struct probes_error *e)
{
	struct array known, places = {0};
	size_t first = s->arenas.count;
	bool fits;
	int r = 0;

	known = ARRAY_OF(uint64_t);
	fits = array_reserve(&known, first);
	for (size_t i = 0; fits && i < first; i++)
		*(uint64_t *)array_add(&known) = ARRAY_AT(&s->arenas, struct arena, i)->address;
	fits = fits && order_array(&known, 0);
	ARRAY_EACH_WHILE(fits, const struct maps_arena, one, found) {
		size_t at = order_find(&known, 0, one->address);
		bool full = s->arenas.count >= JUMPS_ARENAS;
		enum arena_found read;
		struct arena *w;

		if (at < known.count && *ARRAY_AT(&known, uint64_t, at) == one->address)
			continue;
		s->arenas_left_out = s->arenas_left_out || full;
		w = full ? NULL : array_add(&s->arenas);
		fits = full || w;
		if (!w)
			continue;
		/* One that is none is noted, too: it is not read again. */
		read = arena_read(w, &s->memory, one->address, one->size, &s->budget);
		if (read == ARENA_FOUND &&
			!budget_take(&s->budget, w->site_count * sizeof(struct jumps_entry))) {
			arena_done(w);
			read = ARENA_LEFT_OUT;
		}
		s->arenas_left_out = s->arenas_left_out || read == ARENA_LEFT_OUT;
		w->address = one->address;
		w->inode = one->inode;
	}
	array_done(&known);
	if (!fits)
		r = error_memory(e, "the counters of a process");
	if (s->arenas.count == first)
		return r;
	s->all.baseline_valid = false;
	if (r == 0)
		r = jumps_index(s, first, e);
	if (r == 0 && !jumps_places(s, NULL, &places))
		r = error_memory(e, "the counters of a process");
	for (size_t i = first; r == 0 && i < s->arenas.count; i++)
		if (!jumps_note(s, i, &places))
			r = error_memory(e, "the counters of a process");
	array_done(&places);
	return r;
}

int jumps_check_known(const struct probes_session *s, struct probes_error *e)
{
	if (!s->arenas_left_out)
		return 0;
	error_set(e, PROBES_REFUSED, -E2BIG, "cannot make counters in process %d", s->who.pid);
	error_why(e, "it already has more counter memory than one session can read (192 MiB per "
		     "process, 256 MiB in all)");
	return error_hint(e, "name fewer processes, or restart this one");
}

int jumps_look(struct probes_session *s, struct probes_error *e)
{
	struct array found = ARRAY_OF(struct maps_arena);
	int r;

	if (!s->read_maps)
		return 0;
	r = space_arenas(&s->who, &found, e);
	if (r == 0)
		r = jumps_learn(s, &found, e);
	array_done(&found);
	return r;
}

void jumps_share(struct probes_session *child, struct probes_session *parent)
{
	bool any = false;

	for (size_t i = 0; i < child->arenas.count; i++)
		for (size_t k = 0; k < parent->arenas.count; k++) {
			struct arena *w = ARRAY_AT(&child->arenas, struct arena, i);
			const struct arena *from = ARRAY_AT(&parent->arenas, struct arena, k);

			if (w->inode != from->inode)
				continue;
			/* The parent may share it, too: then they are those of a third one. */
			w->elsewhere = from->elsewhere ? from->elsewhere : parent->who.pid;
			any = true;
		}
	if (any)
		(void)array_push(&parent->family, &child->who.pid);
}

/* ---- arenas of a process that has ended ---- */

/* Open the memory of a process, if that has the arena. */
static bool jumps_open_survivor(struct memory *m, pid_t pid, const struct arena *w)
{
	int proc = procfs_open(AT_FDCWD, O_PATH | O_DIRECTORY, "/proc/%d", (int)pid);
	bool maps;

	if (proc < 0)
		return false;
	memory_open(m, proc, pid, true);
	/* The pid may be that of another process by now; the memfd is not. */
	maps = m->fd >= 0 && space_has_arena(proc, w->inode, w->address) > 0;
	if (!maps)
		memory_close(m);
	close(proc);
	return maps;
}

static void jumps_close_survivor(struct arena *w)
{
	if (w->survivor)
		memory_close(w->survivor);
	free(w->survivor);
	w->survivor = NULL;
}

struct memory *jumps_memory(struct probes_session *s, struct arena *w)
{
	if (w->file || !s->process || (!s->who.ended && memory_alive(&s->memory)))
		return &s->memory;
	if (w->survivor && memory_alive(w->survivor))
		return w->survivor;
	jumps_close_survivor(w);
	w->survivor = s->family.count ? calloc(1, sizeof *w->survivor) : NULL;
	for (size_t i = 0; w->survivor && i < s->family.count; i++)
		if (jumps_open_survivor(w->survivor, *ARRAY_AT(&s->family, pid_t, i), w))
			return w->survivor;
	free(w->survivor);
	w->survivor = NULL;
	return &s->memory;
}

void jumps_done(struct probes_session *s)
{
	ARRAY_EACH(struct arena, w, &s->arenas) {
		jumps_close_survivor(w);
		arena_done(w);
	}
	array_done(&s->arenas);
	array_done(&s->entries);
}

void jumps_tidy(struct probes_session *s)
{
	const struct install in = {.who = &s->who, .memory = &s->memory};
	struct probes_error e;

	if (s->read_maps && s->memory.fd >= 0 && install_tidy(&in, &e) < 0)
		log_say(&s->log, PROBES_LOG_NOTICE,
			"a descriptor of process %d, of a memfd named " MAPS_ARENA
			", stays open: %s",
			s->who.pid, e.why);
}
