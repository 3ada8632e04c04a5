/*
 * What a session closes when its process has ended, since processes may come and go all day, and
 * when descriptors are short.
 */
#include "session/session.h"

#include "elf/symbols.h"

#include <unistd.h>

static void rest_pagemap(struct probes_session *s)
{
	if (s->pagemap >= 0)
		close(s->pagemap);
	s->pagemap = -1;
}

void rest_spare(struct probes_session *s)
{
	rest_pagemap(s);
	for (struct object_probes *h = catalog_first(&s->catalog); s->process && h; h = h->next) {
		symbols_close(h->symbols);
		h->symbols = NULL;
		if (h->file)
			object_rest(h->file);
	}
}

void rest_if_ended(struct probes_session *s)
{
	if (!s->process || s->start || s->who.ended || identity_alive(&s->who))
		return;
	claim_done(&s->claim, &s->who);
	identity_end(&s->who);
	/* Nothing is left to undo there. */
	journal_remove(&s->journal);
	memory_close(&s->memory);
	rest_pagemap(s);
	uprobes_end(&s->uprobes);
	if (s->all_ready)
		reader_done(&s->all);
	s->all_ready = false;
	for (size_t i = 0; i < s->catalog.objects.count; i++)
		detail_rest(catalog_object(&s->catalog, i));
}
