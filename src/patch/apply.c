/*
 * Carrying out a plan. The only file that changes a running process. A write covers the bytes that
 * differ and no others; a range read earlier is never written back, since that would erase what
 * another tool has changed in it meanwhile.
 */
#include "patch/apply.h"

#include "base/error.h"
#include "probe/kind.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

int apply_init(struct apply *a, const struct plan *plan, struct probes_error *e)
{
	*a = (struct apply){0};
	a->unreverted = mmap(NULL, plan->edits.count + 1, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a->unreverted != MAP_FAILED && verify_init(&a->verify, plan))
		return 0;
	apply_done(a);
	return error_memory(e, "a plan");
}

void apply_done(struct apply *a)
{
	verify_done(&a->verify);
	if (a->unreverted && a->unreverted != MAP_FAILED)
		munmap(a->unreverted, a->verify.plan->edits.count + 1);
	a->unreverted = NULL;
}

/* Write the bytes that differ: of a count often the low one alone. */
static int apply_write(
	struct memory *m, uint64_t address, const uint8_t *from, const uint8_t *to, size_t length)
{
	size_t first = 0;

	while (first < length && from[first] == to[first])
		first++;
	while (length > first && from[length - 1] == to[length - 1])
		length--;
	return length > first ? m->ops->write(m, address + first, to + first, length - first) : 0;
}

static int apply_write_edit(struct memory *m, const struct probes_edit *edit)
{
	const struct arch_site *code = &arch_site_ocaml;
	uint64_t at = edit->address + code->switch_at;
	const uint8_t *old = edit->old + code->switch_at, *new_ = edit->new_ + code->switch_at;
	int r;

	if (edit->role != PROBES_ROLE_COUNTER || edit->length != ARCH_SITE_BYTES ||
		!arch_is_site(code, edit->old) || !arch_is_site(code, edit->new_))
		return apply_write(m, edit->address, edit->old, edit->new_, edit->length);
	/* An OCaml site, whose displacement changes while threads execute it: only while the site
	 * is off, where it is the operand of a comparison without effect. */
	r = apply_write(m, at, old, code->off, ARCH_SWITCH_BYTES);
	if (r == 0)
		r = apply_write(m, edit->address + code->fixed_at, edit->old + code->fixed_at,
			edit->new_ + code->fixed_at, ARCH_FIXED_BYTES);
	return r ? r : apply_write(m, at, code->off, new_, ARCH_SWITCH_BYTES);
}

static int apply_write_count(struct memory *m, uint64_t address, unsigned from, unsigned to)
{
	const struct probes_edit edit = edit_semaphore(address, from, to);

	return apply_write(m, address, edit.old, edit.new_, edit.length);
}

/* ---- roles ---- */

/* What follows the write of edit `i`, whose batch was just read again. */
struct apply_role {
	/* Is the edit made? 0 or a negative errno. */
	int (*check)(struct apply *a, const struct verify_batch *b, size_t i, struct memory *m,
		struct probes_error *e);
	/* Undo it; false: it stays. */
	bool (*undo)(struct apply *a, const struct verify_batch *b, size_t i, struct memory *m);
};

static int apply_check_code(struct apply *a, const struct verify_batch *b, size_t i,
	struct memory *m, struct probes_error *e)
{
	return verify_at(&a->verify, b, i, verify_edit(&a->verify, i)->new_, e);
}

/* Read the site of an edit just before a write; false: its own code is not there. */
static bool apply_read_site(
	const struct plan_check *c, struct memory *m, uint8_t site[ARCH_SITE_BYTES])
{
	return memory_read(m, c->guard, site, ARCH_SITE_BYTES) && verify_guard(c, site);
}

/* Only if our bytes are still there, in the site's own code. */
static bool apply_undo_code(
	struct apply *a, const struct verify_batch *b, size_t i, struct memory *m)
{
	const struct probes_edit *edit = verify_edit(&a->verify, i);
	const struct plan_check *c = ARRAY_AT(&a->verify.plan->checks, struct plan_check, i);
	uint8_t site[ARCH_SITE_BYTES], *now = site + (edit->address - c->guard);

	if (!apply_read_site(c, m, site))
		return false;
	if (!memcmp(now, edit->old, edit->length))
		return true;
	return !memcmp(now, edit->new_, edit->length) &&
	       apply_write(m, edit->address, edit->new_, edit->old, edit->length) == 0;
}

/* Put back what our write took of the counts of others. */
static int apply_reconcile(struct apply *a, const struct verify_batch *b, size_t i,
	struct verify_change made, struct memory *m, struct probes_error *e)
{
	const struct probes_edit *edit = verify_edit(&a->verify, i);
	int64_t lost = verify_lost(&a->verify, b, i, made), to;
	uint8_t now[2];
	int r;

	if (!lost)
		return 0;
	if (!memory_read(m, edit->address, now, sizeof now))
		return verify_failed(edit, -EFAULT, "read what is at", e);
	to = edit_value(now) + lost;
	if (to < 0 || to > UINT16_MAX)
		return 0;
	r = apply_write_count(m, edit->address, edit_value(now), (unsigned)to);
	return r < 0 ? verify_failed(edit, r, "write at", e) : 0;
}

/* A count that differs is no failure: others count there as well, and our part is added already. */
static int apply_check_semaphore(struct apply *a, const struct verify_batch *b, size_t i,
	struct memory *m, struct probes_error *e)
{
	const struct probes_edit *edit = verify_edit(&a->verify, i);
	struct verify_change made = {edit_value(edit->old), edit_value(edit->new_)};

	return apply_reconcile(a, b, i, made, m, e);
}

/*
 * Take our part away from the count as its batch was read, and keep what others have counted. They
 * may have lowered the count below our part, or raised it to where no room is left for it. The part
 * that uprobes may hold stays.
 */
static bool apply_undo_semaphore(
	struct apply *a, const struct verify_batch *b, size_t i, struct memory *m)
{
	const struct probes_edit *edit = verify_edit(&a->verify, i);
	bool shared = ARRAY_AT(&a->verify.plan->checks, struct plan_check, i)->shared;
	struct verify_change *made = &a->undone[i - b->first];
	int64_t limit = shared ? KIND_SHARED_LIMIT : UINT16_MAX, now, wanted, bounded;
	struct verify_count seen;

	*made = (struct verify_change){0};
	if (!verify_note(&a->verify, b, i, &seen))
		return false;
	*made = (struct verify_change){seen.value, seen.value};
	now = seen.value;
	bounded = wanted = now - edit_delta(edit);
	if (wanted < 0)
		bounded = 0;
	else if (wanted > now && wanted > limit)
		bounded = now > limit ? now : limit;
	if (bounded < now && bounded < seen.held)
		return false;
	a->bounded += bounded != wanted;
	if (apply_write_count(m, edit->address, seen.value, (unsigned)bounded) < 0)
		return false;
	made->to = (unsigned)bounded;
	return true;
}

/* A jump of several bytes is its own guard: all that it replaces is compared. */
static bool apply_undo_counter(
	struct apply *a, const struct verify_batch *b, size_t i, struct memory *m)
{
	const struct probes_edit *edit = verify_edit(&a->verify, i);
	const struct plan_check *c = ARRAY_AT(&a->verify.plan->checks, struct plan_check, i);
	struct probes_edit back;
	uint8_t now[PROBES_EDIT_BYTES], site[ARCH_SITE_BYTES];

	if (!memory_read(m, edit->address, now, edit->length))
		return false;
	if (!memcmp(now, edit->old, edit->length))
		return true;
	/* One byte is that of many libraries: another one may have been mapped here. */
	if (memcmp(now, edit->new_, edit->length) || (c->guard && !apply_read_site(c, m, site)))
		return false;
	back = *edit;
	memcpy(back.old, edit->new_, edit->length);
	memcpy(back.new_, edit->old, edit->length);
	return apply_write_edit(m, &back) == 0;
}

static const struct apply_role apply_roles[] = {
	[PROBES_ROLE_CODE] = {.check = apply_check_code, .undo = apply_undo_code},
	[PROBES_ROLE_CODE_ALONE] = {.check = apply_check_code, .undo = apply_undo_code},
	[PROBES_ROLE_SEMAPHORE] = {.check = apply_check_semaphore, .undo = apply_undo_semaphore},
	[PROBES_ROLE_COUNTER] = {.check = apply_check_code, .undo = apply_undo_counter},
};

/* ---- batches ---- */

/* Undo what was written, backwards. */
static void apply_undo(struct apply *a, struct memory *m, struct probes_error *e)
{
	struct probes_error ignored;
	size_t kept = 0;

	a->bounded = 0;
	for (size_t k = a->verify.batches.count; k-- > 0;) {
		struct verify_batch *b = verify_batch(&a->verify, k);
		size_t end = a->written;
		bool seen = end > b->first && verify_again(&a->verify, b, m, &ignored) == 0;

		while (a->written > b->first) {
			size_t i = --a->written;
			enum probes_role role = verify_edit(&a->verify, i)->role;

			/* Code is read again, one site at a time. */
			a->unreverted[i] = !(seen || role != PROBES_ROLE_SEMAPHORE) ||
					   !apply_roles[role].undo(a, b, i, m);
			kept += a->unreverted[i];
		}
		if (!seen || verify_again(&a->verify, b, m, &ignored) < 0)
			continue;
		for (size_t i = b->first; i < end; i++) {
			const struct verify_change made = a->undone[i - b->first];

			if (verify_edit(&a->verify, i)->role == PROBES_ROLE_SEMAPHORE &&
				made.from != made.to)
				a->bounded += apply_reconcile(a, b, i, made, m, &ignored) < 0;
		}
	}
	a->barred = a->barred && !kept;
	if (e->status == PROBES_GONE)
		return;
	if (kept && a->bounded)
		error_hint(e,
			"%zu of the writes made before could not be undone, and %zu not exactly, "
			"because others changed those counts: see list",
			kept, a->bounded);
	else if (kept)
		error_hint(e, "%zu of the writes made before could not be undone: see list", kept);
	else if (a->bounded)
		error_hint(e,
			"%zu of the counts could not be undone exactly, because others changed "
			"them meanwhile: see list",
			a->bounded);
}

/*
 * Read back everything that was written of a batch, also after a failure: what our writes took of
 * the counts of others must be put back.
 */
static int apply_read_back(
	struct apply *a, struct verify_batch *b, struct memory *m, struct probes_error *e)
{
	struct probes_error other;
	int r = verify_again(&a->verify, b, m, e);

	if (r < 0)
		return r;
	for (size_t i = b->first; i < a->written; i++) {
		enum probes_role role = verify_edit(&a->verify, i)->role;
		int one = apply_roles[role].check(a, b, i, m, r ? &other : e);

		r = r ? r : one;
	}
	return r;
}

int apply_run(struct apply *a, struct memory *m, struct probes_error *e)
{
	int r = 0;

	a->barred = false;
	for (size_t k = 0; r == 0 && k < a->verify.batches.count; k++) {
		struct verify_batch *b = verify_batch(&a->verify, k);
		size_t end = b->first + b->count;

		r = verify_before(&a->verify, b, m, e);
		for (size_t i = b->first; r == 0 && i < end; i++) {
			const struct probes_edit *edit = verify_edit(&a->verify, i);

			r = apply_write_edit(m, edit);
			if (r == 0) {
				a->written++;
				continue;
			}
			a->barred = edit->role != PROBES_ROLE_SEMAPHORE &&
				    (r == -EIO || r == -EPERM || r == -EACCES);
			verify_failed(edit, r, "write at", e);
		}
		if (a->written > b->first) {
			struct probes_error other;
			int back = apply_read_back(a, b, m, r ? &other : e);

			r = r ? r : back;
		}
	}
	if (r < 0)
		apply_undo(a, m, e);
	return r;
}
