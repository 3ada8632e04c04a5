/*
 * The public call that says of which forked children records of ended sessions name changes: where
 * a session could not examine a child, the record is of that alone, and its parent has none.
 */
#include "session/session.h"

#include "base/error.h"
#include "process/descriptors.h"
#include "process/rights.h"
#include "process/tree.h"

#include <stdlib.h>

/* False: no memory. */
static bool heirs_judge(const struct probes_session *s, const struct tree_link *link,
	const struct records_user *user, struct array *heirs)
{
	const struct journal_key target = {.target = link->pid,
		.target_start = identity_start(link->start_time),
		.target_program = s->who.program};
	struct array found = ARRAY_OF(struct journal_found);
	bool fits, any = false;

	fits = journal_find(&target, user, false, &found);
	ARRAY_EACH(const struct journal_found, f, &found)
		any = any || (!*f->unjudged && (leftovers_remaining(NULL, NULL, &f->text) ||
						       f->text.pending.count));
	journal_found_done(&found);
	return fits && (!any || array_push(heirs, &link->pid));
}

int probes_heirs(struct probes_session *s, pid_t **pids, size_t *count, struct probes_error *e)
{
	struct records_user user;
	struct array heirs = ARRAY_OF(pid_t);
	struct array links = ARRAY_OF(struct tree_link);
	bool fits = true, one;
	int r = s->process && s->who.program ? descriptors_spare(0) : 0;

	*pids = NULL;
	*count = 0;
	if (!s->process || !s->who.program)
		return 0;
	one = rights_user(&s->who, &user.id, &user.group);
	r = r < 0 ? r : tree_gather(&links);
	ARRAY_EACH_WHILE(r == 0 && fits, const struct tree_link, link, &links)
		if (link->forked && link->pid != s->who.pid &&
			link->start_time >= s->who.start_time &&
			identity_program(link->pid) == s->who.program)
			fits = heirs_judge(s, link, one ? &user : NULL, &heirs);
	array_done(&links);
	if (r == 0 && fits) {
		*pids = heirs.data;
		*count = heirs.count;
		return 0;
	}
	array_done(&heirs);
	return r < 0 ? error_set(e, PROBES_FAILED, r, "cannot look for children")
		     : error_memory(e, "the children");
}
