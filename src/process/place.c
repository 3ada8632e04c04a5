/* Telling a mapped object again; see place.h. */
#include "process/place.h"

#include <stddef.h>

bool place_of_file(const struct place *p, const struct mapping *m)
{
	return p->inode && m->inode == p->inode && m->major == p->major && m->minor == p->minor;
}

/* Of a file that is not used. */
static bool place_mapped_anywhere(
	const struct place *p, const struct array *mappings, bool *deleted)
{
	for (size_t i = 0; i < mappings->count; i++) {
		const struct mapping *m = ARRAY_AT(mappings, struct mapping, i);

		if (!place_of_file(p, m))
			continue;
		*deleted = m->deleted;
		return true;
	}
	return false;
}

bool place_there(const struct place *p, const struct array *mappings, bool *deleted)
{
	const struct mapping *text = maps_find(mappings, p->text);
	const struct mapping *base = maps_find(mappings, p->base);

	if (!p->text)
		return place_mapped_anywhere(p, mappings, deleted);
	if (text && place_of_file(p, text) && text->offset + (p->text - text->start) == p->offset) {
		*deleted = text->deleted;
		return true;
	}
	if (!text || text->inode || !base || !place_of_file(p, base))
		return false;
	*deleted = base->deleted;
	return true;
}

bool place_accounts(const struct place *p, const struct mapping *m)
{
	if (!place_of_file(p, m))
		return false;
	/* What begins an object holds the beginning of its text. */
	if (!p->text || p->offset < m->offset || p->offset - m->offset >= m->end - m->start)
		return true;
	return m->start + (p->offset - m->offset) == p->text;
}
