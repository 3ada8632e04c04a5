/*
 * The public calls that say what other sessions hold in a process, and what interrupted ones left
 * there and in its forked children, by their journals and by the process.
 */
#include "session/session.h"

#include "base/error.h"
#include "base/order.h"
#include "process/descriptors.h"
#include "process/rights.h"
#include "process/tree.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool leftovers_places(const struct journal_text *text, struct array *places)
{
	const struct probes_edit *edit;

	for (size_t i = 0; (edit = journal_edit_at(text, i)); i++)
		if (!array_push(places, &(struct leftovers_place){.address = edit->address,
						.pending = i >= text->made.count,
						.edit = edit}))
			return false;
	return order_array(places, offsetof(struct leftovers_place, address));
}

const struct leftovers_place *leftovers_at(
	const struct array *places, uint64_t address, const struct leftovers_place **end)
{
	const struct leftovers_place *all = places->data;
	size_t first = order_find(places, offsetof(struct leftovers_place, address), address),
	       after = first;

	while (after < places->count && all[after].address == address)
		after++;
	*end = all + after;
	return all + first;
}

/* What a journal made of the bytes at one address. */
struct leftovers_net {
	const struct probes_edit *first;
	int64_t part; /* of a count; of code: 0 or 1 */
};

/*
 * Has somebody else undone it? A session that lowered a count will raise it again. Read through the
 * file alone: another way would copy pages that a fork shares.
 */
static bool leftovers_undone(const struct probes_session *s, const struct array *lowered,
	const struct leftovers_net *net)
{
	struct memory file = s->memory;
	uint8_t now[PROBES_EDIT_BYTES];

	for (size_t i = 0; i < lowered->count; i++)
		if (ARRAY_AT(lowered, struct plan_lowered, i)->address == net->first->address)
			return false;

	file.pid = 0;
	if (file.fd < 0 || !memory_read(&file, net->first->address, now, net->first->length))
		return false;
	if (net->first->role == PROBES_ROLE_SEMAPHORE)
		return net->part > 0 && !edit_value(now);
	return !memcmp(now, net->first->old, net->first->length);
}

/*
 * How many resources are not as they were before the journal, as far as it knows; 0 if all was
 * undone. `s`: nor as the process shows them, since others may have undone them; may be NULL.
 * `lowered`: then journals_lowered.
 */
static size_t leftovers_remaining(const struct probes_session *s, const struct array *lowered,
	const struct journal_text *text)
{
	struct leftovers_net net = {.part = 0};
	size_t remaining = 0;
	struct array places = ARRAY_OF(struct leftovers_place);

	if (!leftovers_places(text, &places)) {
		remaining = text->made.count; /* perhaps all of them */
		places.count = 0;
	}
	for (size_t i = 0; i < places.count; i++) {
		const struct leftovers_place *at = ARRAY_AT(&places, struct leftovers_place, i);

		if (!at->pending) {
			net.first = net.first ? net.first : at->edit;
			net.part += edit_delta(at->edit);
			/* Code has changed unless it was written back. */
			if (at->edit->role == PROBES_ROLE_CODE_ALONE ||
				at->edit->role == PROBES_ROLE_COUNTER)
				net.part = !net.part;
		}
		if (i + 1 < places.count && at[1].address == at->address)
			continue;
		remaining += net.part && !(s && leftovers_undone(s, lowered, &net));
		net = (struct leftovers_net){.part = 0};
	}
	array_done(&places);
	return remaining;
}

int probes_leftovers(struct probes_session *s, struct probes_leftover **leftovers, size_t *count,
	struct probes_error *e)
{
	struct array lowered = ARRAY_OF(struct plan_lowered);
	struct array found = ARRAY_OF(struct journal_found);
	size_t unowned, unknown = 0, unseen = 0, unchecked = 0;
	struct probes_error busy;
	bool fits;
	int r;

	*leftovers = NULL;
	*count = 0;
	/* Without descriptors the journals would seem to be missing. */
	r = s->process ? descriptors_spare(0) : 0;
	if (r < 0)
		return error_set(e, PROBES_FAILED, r, "cannot look for what was left in process %d",
			s->who.pid);
	fits = !s->process || (journals_find(s, &found) && journals_lowered(s, &found, &lowered));
	if (fits)
		*leftovers = calloc(found.count + 4, sizeof **leftovers);
	ARRAY_EACH_WHILE(*leftovers, const struct journal_found, f, &found) {
		struct probes_leftover *left = &(*leftovers)[*count];
		char folder[250];

		if (f->living)
			continue;
		++*count;
		left->owner = f->text.key.owner;
		left->changes = leftovers_remaining(s, &lowered, &f->text);
		left->interrupted = f->text.pending.count > 0;
		if (!*f->unjudged)
			continue;
		records_path(&f->place, folder, sizeof folder);
		snprintf(left->unjudged, sizeof left->unjudged, "%s%s%s: %s", folder,
			*f->file ? "/" : "", f->file, f->unjudged);
	}
	unowned = *leftovers && s->process
			  ? unowned_count(s, &found, &unknown, &unseen, &unchecked, &busy)
			  : 0;
	if (unowned)
		(*leftovers)[(*count)++].changes = unowned;
	if (unknown)
		snprintf((*leftovers)[(*count)++].unjudged, sizeof(*leftovers)->unjudged,
			"the counters of %zu site%s: they are on record as those of a session in "
			"another pid namespace, and whether it lives cannot be seen from "
			"here: " HOLDER_LOCKED "; call repair there",
			unknown, unknown == 1 ? "" : "s");
	if (unseen)
		snprintf((*leftovers)[(*count)++].unjudged, sizeof(*leftovers)->unjudged,
			"the counters of %zu site%s: a session in another pid namespace, which "
			"cannot be seen from here, may still count there; if it has ended, call "
			"repair there",
			unseen, unseen == 1 ? "" : "s");
	if (unchecked)
		snprintf((*leftovers)[(*count)++].unjudged, sizeof(*leftovers)->unjudged,
			"who owns the counters of %zu site%s: %.200s; %.200s", unchecked,
			unchecked == 1 ? "" : "s", busy.why, busy.hint);
	journal_found_done(&found);
	array_done(&lowered);
	return *leftovers ? 0 : error_memory(e, "the journals");
}

/* ---- other sessions ---- */

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

/* ---- forked children ---- */

/*
 * Does a record of an ended session name changes of this child? Where a session could not examine a
 * child, the record is of that alone, and its parent has none. False: no memory.
 */
static bool leftovers_heir(const struct probes_session *s, const struct tree_link *link,
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
			fits = leftovers_heir(s, link, one ? &user : NULL, &heirs);
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
