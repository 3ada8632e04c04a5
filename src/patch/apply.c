/*
 * The only file that changes a running process. Writes touch the bytes that
 * change and no others; a run of bytes read earlier is never written back, since
 * that would erase what another tool has put there meanwhile.
 */
#include "patch/apply.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

int apply_init(struct apply *a, const struct plan *plan, struct probes_error *e)
{
	*a = (struct apply){0};
	a->left = mmap(NULL, plan->edits.count + 1, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a->left != MAP_FAILED && verify_init(&a->verify, plan))
		return 0;
	apply_done(a);
	return error_memory(e, "a plan");
}

void apply_done(struct apply *a)
{
	verify_done(&a->verify);
	if (a->left && a->left != MAP_FAILED)
		munmap(a->left, a->verify.plan->edits.count + 1);
	a->left = NULL;
}

/* ---- writing ---- */

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

static int apply_write_count(struct memory *m, uint64_t address, const uint8_t *now, unsigned count)
{
	const uint8_t to[2] = {(uint8_t)count, (uint8_t)(count >> 8)};

	return apply_write(m, address, now, to, sizeof to);
}

static int apply_write_batch(
	struct apply *a, const struct verify_batch *b, struct memory *m, struct probes_error *e)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct probes_edit *w = verify_edit(&a->verify, b->first + i);
		int r = apply_write(m, w->address, w->old, w->new_, w->length);

		if (r < 0) {
			a->barred = w->role == PROBES_ROLE_CODE &&
				    (r == -EIO || r == -EPERM || r == -EACCES);
			return verify_failed(w, r, "write at", e);
		}
		a->written++;
	}
	return 0;
}

/* Put back what is lost of the counts of others. */
static int apply_reconcile(struct apply *a, const struct verify_batch *b, size_t i,
	struct verify_change made, struct memory *m, struct probes_error *e)
{
	const struct probes_edit *w = verify_edit(&a->verify, i);
	int64_t lost = verify_lost(&a->verify, b, i, made);
	uint8_t now[2];
	int r;

	if (!lost)
		return 0;
	if (!memory_read(m, w->address, now, sizeof now))
		return verify_failed(w, -EFAULT, "read what is at", e);
	if (edit_value(now) + lost < 0 || edit_value(now) + lost > UINT16_MAX)
		return 0;
	r = apply_write_count(m, w->address, now, (unsigned)(edit_value(now) + lost));
	return r < 0 ? verify_failed(w, r, "write at", e) : 0;
}

/*
 * Read back what was written of a batch, all of it: what has to be put back does not wait for what
 * failed. A semaphore that differs is no failure: others count there too, and our part is added
 * already.
 */
static int apply_look_back(
	struct apply *a, struct verify_batch *b, struct memory *m, struct probes_error *e)
{
	struct probes_error other;
	int r = verify_again(&a->verify, b, m, e);

	if (r < 0)
		return r;
	for (size_t i = b->first; i < a->written; i++) {
		const struct probes_edit *w = verify_edit(&a->verify, i);
		struct verify_change made = {edit_value(w->old), edit_value(w->new_)};
		struct probes_error *to = r ? &other : e;
		int one = w->role == PROBES_ROLE_CODE
				  ? verify_at_site(&a->verify, b, i, w->new_[0], to)
				  : apply_reconcile(a, b, i, made, m, to);

		r = r ? r : one;
	}
	return r;
}

/* ---- undoing ---- */

/* Undo a site only if our byte is still there, followed by the site's own code. */
static bool apply_undo_site(struct apply *a, size_t i, struct memory *m)
{
	const struct probes_edit *w = verify_edit(&a->verify, i);
	const struct plan_check *c = ARRAY_AT(&a->verify.plan->checks, struct plan_check, i);
	uint8_t now[PLAN_LOOK];

	if (!memory_read(m, w->address, now, sizeof now) ||
		memcmp(now + 1, c->bytes + c->guard_at, ARCH_FIXED_BYTES))
		return false;
	return now[0] == w->old[0] ||
	       (now[0] == w->new_[0] && m->ops->write(m, w->address, w->old, 1) == 0);
}

/*
 * The value of a count without our part; false: the undo would take a part that uprobes may hold.
 * Others may have lowered it below our part, or raised it to where no room is left for it.
 */
static bool apply_undo_to(struct apply *a, size_t i, const struct verify_count *seen, unsigned *to)
{
	const struct probes_edit *w = verify_edit(&a->verify, i);
	bool shared = ARRAY_AT(&a->verify.plan->checks, struct plan_check, i)->shared;
	int64_t limit = shared ? KIND_SHARED_LIMIT : UINT16_MAX, now = seen->value;
	int64_t wanted = now - edit_value(w->new_) + edit_value(w->old), bounded = wanted;

	if (wanted < 0)
		bounded = 0;
	else if (wanted > now && wanted > limit)
		bounded = now > limit ? now : limit;
	if (bounded < now && bounded < seen->held)
		return false;
	a->bounded += bounded != wanted;
	*to = (unsigned)bounded;
	return true;
}

/* Based on the read of its batch: changes since then are kept. */
static bool apply_undo_count(
	struct apply *a, const struct verify_batch *b, size_t i, struct memory *m)
{
	const struct probes_edit *w = verify_edit(&a->verify, i);
	struct verify_change *made = &a->undone[i - b->first];
	struct verify_count seen;
	uint8_t now[2];

	*made = (struct verify_change){0};
	if (!verify_note(&a->verify, b, i, &seen))
		return false;
	now[0] = (uint8_t)seen.value;
	now[1] = (uint8_t)(seen.value >> 8);
	*made = (struct verify_change){seen.value, seen.value};
	if (!apply_undo_to(a, i, &seen, &made->to))
		return false;
	if (apply_write_count(m, w->address, now, made->to) == 0)
		return true;
	made->to = seen.value;
	return false;
}

/* Undo the writes made of a batch, backwards. Returns how many stay. */
static size_t apply_undo_batch(struct apply *a, struct verify_batch *b, struct memory *m)
{
	size_t end = a->written, kept = 0;
	struct probes_error ignored;
	bool seen = verify_again(&a->verify, b, m, &ignored) == 0;

	while (a->written > b->first) {
		size_t i = --a->written;

		a->left[i] = verify_edit(&a->verify, i)->role == PROBES_ROLE_CODE
				     ? !apply_undo_site(a, i, m)
				     : !seen || !apply_undo_count(a, b, i, m);
		kept += a->left[i];
	}
	if (!seen || verify_again(&a->verify, b, m, &ignored) < 0)
		return kept;
	for (size_t i = b->first; i < end; i++) {
		const struct verify_change made = a->undone[i - b->first];

		if (verify_edit(&a->verify, i)->role == PROBES_ROLE_SEMAPHORE &&
			made.from != made.to)
			a->bounded += apply_reconcile(a, b, i, made, m, &ignored) < 0;
	}
	return kept;
}

static void apply_undo_all(struct apply *a, struct memory *m, struct probes_error *e)
{
	size_t kept = 0;

	a->bounded = 0;
	for (size_t i = a->verify.batches.count; i-- > 0;)
		if (a->written > verify_batch(&a->verify, i)->first)
			kept += apply_undo_batch(a, verify_batch(&a->verify, i), m);
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

int apply_run(struct apply *a, struct memory *m, struct probes_error *e)
{
	int r = 0;

	a->barred = false;
	for (size_t i = 0; r == 0 && i < a->verify.batches.count; i++) {
		struct verify_batch *b = verify_batch(&a->verify, i);

		r = verify_before(&a->verify, b, m, e);
		if (r == 0)
			r = apply_write_batch(a, b, m, e);
		if (a->written > b->first) {
			struct probes_error other;
			int back = apply_look_back(a, b, m, r ? &other : e);

			r = r ? r : back;
		}
	}
	if (r < 0)
		apply_undo_all(a, m, e);
	return r;
}
