/*
 * Taking back where somebody took our part away before us. Asks the journals of the other sessions
 * in the process whether one of them did, and will raise the count again. Looks only where a count
 * would go below 0: a taking back that finds what it left reads no journal.
 */
#include "session/session.h"

#include "base/error.h"

#include <stdlib.h>
#include <sys/stat.h>

static int lowered_by_address(const void *a, const void *b)
{
	const struct plan_lowered *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static bool lowered_take(struct array *all, const struct array *writes, struct plan_lowered by)
{
	if (!array_reserve(all, writes->count))
		return false;
	for (size_t i = 0; i < writes->count; i++) {
		const struct probes_edit *w = ARRAY_AT(writes, struct probes_edit, i);

		if (w->role != PROBES_ROLE_SEMAPHORE)
			continue;
		by.address = w->address;
		by.delta = edit_delta(w);
		*(struct plan_lowered *)array_add(all) = by;
	}
	return true;
}

/* One for each address, of what is below 0 there on the whole. */
static void lowered_sum(struct array *all, size_t first)
{
	size_t kept = first, next;

	if (all->count > first)
		qsort(ARRAY_AT(all, struct plan_lowered, first), all->count - first,
			sizeof(struct plan_lowered), lowered_by_address);
	for (size_t i = first; i < all->count; i = next) {
		struct plan_lowered one = *ARRAY_AT(all, struct plan_lowered, i);

		for (next = i + 1; next < all->count; next++) {
			const struct plan_lowered *more = ARRAY_AT(all, struct plan_lowered, next);

			if (more->address != one.address)
				break;
			one.delta += more->delta;
		}
		if (one.delta < 0)
			*ARRAY_AT(all, struct plan_lowered, kept++) = one;
	}
	all->count = kept;
}

bool session_lowered_by(const struct journal_found *f, struct array *lowered)
{
	struct plan_lowered by = {.owner = f->text.key.owner, .living = f->living};
	size_t first = lowered->count;
	struct journal_key here;

	if (*f->unjudged)
		return true;
	journal_here(&here);
	if (f->text.key.pids != here.pids)
		by.owner = 0;
	if (!lowered_take(lowered, &f->text.made, by) ||
		!lowered_take(lowered, &f->text.pending, by))
		return false;
	lowered_sum(lowered, first);
	return true;
}

/* The journal that this very change is recorded in. */
static bool lowered_is_ours(const struct probes_session *s, const struct journal_found *f)
{
	struct stat st;

	return s->journal.fd >= 0 && fstat(s->journal.fd, &st) == 0 && st.st_dev == f->device &&
	       st.st_ino == f->inode;
}

static bool lowered_find(const struct probes_session *s, struct array *lowered)
{
	struct array found;
	bool fits;

	array_init(&found, sizeof(struct journal_found));
	fits = session_journals(s, true, &found);
	for (size_t i = 0; fits && i < found.count; i++) {
		const struct journal_found *f = ARRAY_AT(&found, struct journal_found, i);

		if (!lowered_is_ours(s, f))
			fits = session_lowered_by(f, lowered);
	}
	journal_found_done(&found);
	if (fits && lowered->count)
		qsort(lowered->data, lowered->count, sizeof(struct plan_lowered),
			lowered_by_address);
	return fits;
}

static int lowered_plan(const struct session_change *c, struct plan *p, struct probes_error *e)
{
	return plan_restore(p, c->which, c->count, (const int32_t *const *)c->deltas, c->follow, e);
}

int session_plan_restore(struct probes_session *s, const struct session_change *c, struct plan *p,
	struct probes_error *e)
{
	struct array lowered;
	int r = lowered_plan(c, p, e);

	if (r < 0 || !p->below)
		return r;
	array_init(&lowered, sizeof(struct plan_lowered));
	if (!lowered_find(s, &lowered))
		r = error_memory(e, "the journals");
	if (r == 0 && lowered.count) {
		plan_done(p);
		r = plan_init(p, &s->catalog, e);
		p->lowered = &lowered;
		if (r == 0)
			r = lowered_plan(c, p, e);
		p->lowered = NULL;
	}
	array_done(&lowered);
	return r;
}
