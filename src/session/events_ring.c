/* Where the rings of an arena are read on. */
#include "session/events.h"

#include <stddef.h>
#include <string.h>

bool events_head(struct probes_session *s, const struct events_arena *ew, enum events_ring ring,
	uint64_t *head)
{
	struct arena *w = ARRAY_AT(&s->arenas, struct arena, ew->arena);

	return arena_get(w, survivor_memory(s, w),
		offsetof(struct recorder_state, events) + offsetof(struct events_state, rings) +
			ring * sizeof(struct events_heads),
		head, sizeof *head);
}

bool events_skip(struct probes_session *s, struct events_arena *ew, uint32_t generation)
{
	uint64_t head;

	memset(ew->stuck, 0, sizeof ew->stuck);
	for (enum events_ring ring = 0; ring < EVENTS_RINGS; ring++) {
		if (!events_head(s, ew, ring, &head))
			return false;
		ew->readers[ring] = (struct events_reader){
			.ring = ring, .generation = generation, .next = head};
	}
	return true;
}
