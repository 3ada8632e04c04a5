/*
 * Sites whose code is no longer mapped, although their object is: the process has unmapped a part
 * of its text, or mapped other memory over it. What a session had written there went with it.
 */
#include "session/session.h"

#include "process/maps.h"

#include <stdlib.h>
#include <string.h>

/* Does a mapping hold this place of the object's file, where the object has it? */
static bool vanished_is_file(
	const struct object_probes *h, uint64_t address, const struct mapping *m)
{
	uint64_t offset = h->location.offset + (address - h->location.text);
	const struct object_segment *segment =
		h->file ? object_segment_at(h->file, address - h->info.bias, 1) : NULL;

	if (segment)
		offset = segment->offset + (address - h->info.bias - segment->vaddr);
	return maps_same_file(&h->location, m) && m->offset + (address - m->start) == offset;
}

/*
 * Is it other memory? A program may move its text to anonymous memory, with our bytes; and another
 * tool may hold the first of them there.
 */
static bool vanished_is_other(const struct object_probes *h, size_t site)
{
	const struct probes_site_live *live = &h->site_live[site];
	size_t behind = ARCH_HELD_AT + 1, count = live->count > behind ? live->count - behind : 0;
	const struct object_jump *j = h->jumps ? &h->jumps[site] : NULL;
	uint8_t jump[ARCH_SITE_BYTES];

	memcpy(jump, h->original[site], sizeof jump);
	if (j)
		memcpy(jump, j->new_, j->length);
	return !count || (memcmp(live->bytes + behind, h->original[site] + behind, count) &&
				 memcmp(live->bytes + behind, jump + behind, count));
}

void vanished_look(struct probes_session *s, const struct change *c)
{
	struct array mappings = ARRAY_OF(struct mapping);
	size_t malformed;
	char *text = NULL; /* what is mapped, read once */
	bool known = true;

	if (!c->undo)
		return;
	for (size_t i = 0; known && i < c->count; i++) {
		size_t local, site, end;
		const struct object_probes *h = catalog_find(&s->catalog, c->which[i], &local);
		bool **gone;

		if (h->info.gone)
			continue;
		gone = &c->undo[h->probes[local].object].gone;
		site = object_probes_site(h, &h->probes[local]);
		end = site + h->probes[local].site_count;
		for (; known && site < end; site++) {
			uint64_t address = h->sites[site].address;
			enum probes_state state = h->site_live[site].state;
			const struct mapping *m;

			/* Are its bytes those of the file, or ours? */
			if (!h->location.inode || !address ||
				(state != PROBES_UNREADABLE && state != PROBES_FOREIGN))
				continue;
			*gone = *gone ? *gone : calloc(h->site_count, sizeof **gone);
			known = *gone && (text || (identity_maps(&s->who, NULL, &text, NULL) == 0 &&
							  maps_parse(text, &mappings, &malformed) &&
							  mappings.count));
			m = known ? maps_find(&mappings, address) : NULL;
			if (known)
				(*gone)[site] = !m || (!vanished_is_file(h, address, m) &&
							      vanished_is_other(h, site));
		}
	}
	array_done(&mappings);
	free(text);
}

void vanished_done(const struct probes_session *s, const struct change *c)
{
	for (size_t i = 0; c->undo && i < c->count; i++) {
		size_t local;
		const struct object_probes *h = catalog_find(&s->catalog, c->which[i], &local);

		if (h->info.gone)
			continue;
		free(c->undo[h->probes[local].object].gone);
		c->undo[h->probes[local].object].gone = NULL;
	}
}
