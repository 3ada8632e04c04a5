/*
 * The public call that looks up the callers of hits: the object that has an address, by the maps of
 * the process as last read, and its symbols.
 */
#include "session/session.h"

#include "base/now.h"
#include "process/procfs.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define CALLERS 4096       /* that are remembered; a power of 2 */
#define CALLERS_AGE_MS 500 /* of maps that lack an address, before they are read again */

struct callers {
	char *text;            /* maps, which the mappings point into */
	struct array mappings; /* struct mapping */
	uint64_t read_ms;      /* when; 0: never */
	struct {
		uint64_t address; /* 0: none */
		struct probes_caller caller;
	} known[CALLERS];
};

void callers_free(struct callers *c)
{
	if (!c)
		return;
	array_done(&c->mappings);
	free(c->text);
	free(c);
}

static void callers_read(struct probes_session *s, struct callers *c)
{
	struct array mappings;
	size_t size, malformed;
	char *text;

	c->read_ms = now_ms();
	if (identity_maps(&s->who, maps_drop_anonymous, &text, &size) < 0)
		return;
	array_init(&mappings, sizeof(struct mapping));
	/* A process that has ended has none: the last ones are as good as any. */
	if (!maps_parse(text, &mappings, &malformed) || !mappings.count) {
		array_done(&mappings);
		free(text);
		return;
	}
	array_done(&c->mappings);
	free(c->text);
	c->mappings = mappings;
	c->text = text;
}

void caller_look(struct probes_session *s)
{
	if (!s->callers) {
		s->callers = calloc(1, sizeof *s->callers);
		if (s->callers)
			array_init(&s->callers->mappings, sizeof(struct mapping));
	}
	if (s->callers && s->process)
		callers_read(s, s->callers);
}

void callers_forget(struct probes_session *s)
{
	for (size_t i = 0; s->callers && i < CALLERS; i++)
		s->callers->known[i].address = 0;
}

const struct array *callers_mappings(const struct probes_session *s)
{
	return s->callers ? &s->callers->mappings : NULL;
}

struct object_probes *callers_object(struct probes_session *s, uint64_t address)
{
	const struct mapping *m = maps_find(&s->callers->mappings, address);
	struct object_probes *found = NULL;

	for (size_t i = 0; m && m->inode && i < s->catalog.objects.count; i++) {
		struct object_probes *h = catalog_object(&s->catalog, i);

		if (!h->info.gone && maps_same_file(&h->location, m) &&
			h->location.base <= address &&
			(!found || found->location.base < h->location.base))
			found = h;
	}
	return found;
}

void probes_caller(struct probes_session *s, uint64_t address, struct probes_caller *caller)
{
	size_t at = XXH3_64bits(&address, sizeof address) & (CALLERS - 1);
	struct object_probes *h;

	*caller = (struct probes_caller){0};
	if (!s->callers)
		caller_look(s);
	if (!address || !s->callers)
		return;
	if (s->callers->known[at].address == address) {
		*caller = s->callers->known[at].caller;
		return;
	}
	h = callers_object(s, address);
	if (!h && now_ms() - s->callers->read_ms > CALLERS_AGE_MS) {
		caller_look(s);
		h = callers_object(s, address);
	}
	if (h) {
		caller->object = h->path;
		caller->pc = address - h->info.bias;
		/* The call may be the last instruction of its function. */
		if (detail_symbols(s, h))
			symbols_find(h->symbols, caller->pc - 1, &caller->where);
		caller->where.offset += *caller->where.function != '\0';
	}
	s->callers->known[at].address = address;
	s->callers->known[at].caller = *caller;
}
