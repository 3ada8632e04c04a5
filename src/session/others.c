/* The public call that says which other sessions live and hold changes in a process. */
#include "session/session.h"

#include "base/error.h"
#include "process/descriptors.h"

int probes_others(struct probes_session *s, struct probes_other **others, size_t *count,
	struct probes_error *e)
{
	struct array all = ARRAY_OF(struct probes_other);
	struct array found = ARRAY_OF(struct journal_found);
	struct journal_key here;
	bool fits;
	int r = s->process ? descriptors_spare(0) : 0;

	*others = NULL;
	*count = 0;
	if (r < 0)
		return error_set(
			e, PROBES_FAILED, r, "cannot look who changes process %d", s->who.pid);
	journal_here(&here);
	fits = array_reserve(&all, 1) && (!s->process || journals_find(s, &found));
	ARRAY_EACH_WHILE(fits, const struct journal_found, f, &found)
		if (f->living &&
			(leftovers_remaining(NULL, NULL, &f->text) || f->text.pending.count))
			fits = holder_add(&all, f->text.key.owner, f->text.key.pids != here.pids);
	for (size_t i = 0; fits && s->process && i < s->arenas.count; i++)
		fits = holder_add_arena(s, ARRAY_AT(&s->arenas, struct arena, i), &all);
	journal_found_done(&found);
	if (!fits) {
		array_done(&all);
		return error_memory(e, "the sessions");
	}
	*others = all.data;
	*count = all.count;
	return 0;
}
