/*
 * A session of probes that the caller describes: objects and probes without a file and without a
 * process. See probes_open_described.
 */
#include "session/session.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *described_text(const char *text)
{
	return text ? text : "";
}

/* The probes of one object; false: no memory. */
static bool described_fill(
	struct object_probes *h, const struct probes_described *all, size_t count)
{
	size_t sites = 0;

	for (size_t i = 0; i < count; i++)
		sites += all[i].site_count;
	h->no_code = true;
	h->probes = calloc(count + 1, sizeof *h->probes);
	h->live = calloc(count + 1, sizeof *h->live);
	h->sites = calloc(sites + 1, sizeof *h->sites);
	h->described = calloc(sites + 1, sizeof *h->described);
	if (!h->probes || !h->live || !h->sites || !h->described)
		return false;
	for (; h->probe_count < count; h->probe_count++) {
		const struct probes_described *from = &all[h->probe_count];

		h->probes[h->probe_count] = (struct probes_probe){.kind = from->kind,
			.provider = described_text(from->provider),
			.name = described_text(from->name),
			.arguments =
				from->site_count ? described_text(from->sites[0].arguments) : "",
			.site_count = from->site_count,
			.sites = h->sites + h->site_count};
		h->live[h->probe_count] = (struct probes_live){.state = PROBES_UNKNOWN,
			.sites_on = PROBES_NONE,
			.ref_min = PROBES_NONE,
			.ref_max = PROBES_NONE};
		for (uint32_t k = 0; k < from->site_count; k++, h->site_count++) {
			h->described[h->site_count] = &from->sites[k];
			h->sites[h->site_count] = (struct probes_site){.pc = from->sites[k].pc,
				.address = h->info.bias ? h->info.bias + from->sites[k].pc : 0,
				.semaphore = PROBES_NONE,
				.arguments = described_text(from->sites[k].arguments)};
		}
	}
	h->info.probe_count = h->probe_count;
	return true;
}

int probes_open_described(const char *path, const struct probes_object *objects,
	size_t object_count, const struct probes_described *probes, size_t probe_count,
	struct probes_session **session, struct probes_error *e)
{
	struct probes_session *s = session_new(NULL, e);
	size_t at = 0;
	int r = 0;

	*session = NULL;
	if (!s)
		return e->code;
	s->path = strdup(path);
	if (!s->path)
		r = error_memory(e, "a session");
	for (size_t i = 0; r == 0 && i < object_count; i++) {
		struct probes_object info = {.path = described_text(objects[i].path),
			.build_id = objects[i].build_id,
			.bias = objects[i].bias,
			.executable = objects[i].executable};
		struct object_probes *h = NULL;
		size_t first = at;

		while (at < probe_count && probes[at].object == i)
			at++;
		r = object_probes_new(&info, NULL, "", false, &h, e);
		if (r == 0 && !described_fill(h, probes + first, at - first)) {
			object_probes_free(h);
			r = error_memory(e, "the probes of an object");
		} else if (r == 0 && !catalog_add(&s->catalog, h)) {
			r = error_memory(e, "a session");
		}
	}
	if (r == 0 && at < probe_count) {
		error_set(e, PROBES_USAGE, -EINVAL, "cannot take over the probes of %s", path);
		r = error_why(e, "they are not in the order of their objects");
	}
	return session_finish(s, r, session);
}
