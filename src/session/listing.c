/* The public calls that list what a session has: objects, probes, and their states. */
#include "session/session.h"

#include "probe/select.h"

size_t probes_object_count(const struct probes_session *s)
{
	return s->catalog.objects.count;
}

const struct probes_object *probes_object_at(const struct probes_session *s, size_t index)
{
	return &catalog_object(&s->catalog, index)->info;
}

size_t probes_count(const struct probes_session *s)
{
	return s->catalog.probe_count;
}

const struct probes_probe *probes_at(const struct probes_session *s, size_t index)
{
	return catalog_probe(&s->catalog, index);
}

const struct probes_live *probes_live_at(const struct probes_session *s, size_t index)
{
	size_t local;
	const struct object_probes *h = catalog_find(&s->catalog, index, &local);

	return &h->live[local];
}

const struct probes_site_live *probes_site_live_at(
	const struct probes_session *s, size_t probe, size_t site)
{
	static const struct probes_site_live unknown;
	size_t local;
	const struct object_probes *h = catalog_find(&s->catalog, probe, &local);

	return s->process ? &h->site_live[object_probes_site(h, &h->probes[local]) + site]
			  : &unknown;
}

uint32_t probes_semaphore_live_at(const struct probes_session *s, size_t probe, size_t semaphore)
{
	size_t local;
	const struct object_probes *h = catalog_find(&s->catalog, probe, &local);

	return s->process ? h->values[object_probes_semaphore(h, &h->probes[local]) + semaphore]
			  : PROBES_NONE;
}

int probes_find(const struct probes_session *s, enum probes_by by, const char *text,
	const struct probes_switch_options *options, size_t **indices, size_t *count,
	struct probes_error *e)
{
	struct array found = ARRAY_OF(size_t);
	int r;

	r = select_text(&s->catalog, by, text, options, &found, e);
	*count = r == 0 ? found.count : 0;
	*indices = r == 0 ? array_take(&found) : NULL;
	array_done(&found);
	return r;
}
