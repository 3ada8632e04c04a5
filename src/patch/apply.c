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
	a->left = mmap(NULL, plan->writes.count + 1, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a->left != MAP_FAILED && look_init(&a->look, plan))
		return 0;
	apply_done(a);
	return error_memory(e, "a plan");
}

void apply_done(struct apply *a)
{
	look_done(&a->look);
	if (a->left && a->left != MAP_FAILED)
		munmap(a->left, a->look.plan->writes.count + 1);
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
	struct apply *a, const struct look_batch *b, struct memory *m, struct probes_error *e)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct probes_write *w = look_write(&a->look, b->first + i);
		int r = apply_write(m, w->address, w->old, w->new_, w->length);

		if (r < 0) {
			a->barred = w->is_site && (r == -EIO || r == -EPERM || r == -EACCES);
			return look_failed(w, r, "write at", e);
		}
		a->written++;
	}
	return 0;
}

/* Put back what is lost of the counts of others. */
static int apply_reconcile(struct apply *a, const struct look_batch *b, size_t i, struct memory *m,
	struct probes_error *e)
{
	const struct probes_write *w = look_write(&a->look, i);
	int64_t lost = look_lost(&a->look, b, i);
	uint8_t now[2];
	int r;

	if (!lost)
		return 0;
	if (!memory_read(m, w->address, now, sizeof now))
		return look_failed(w, -EFAULT, "read what is at", e);
	if (plan_count(now) + lost < 0 || plan_count(now) + lost > UINT16_MAX)
		return 0;
	r = apply_write_count(m, w->address, now, (unsigned)(plan_count(now) + lost));
	return r < 0 ? look_failed(w, r, "write at", e) : 0;
}

/*
 * Read back what was written of a batch, all of it: what has to be put back does not wait for what
 * failed. A semaphore that differs is no failure: others count there too, and our part is added
 * already.
 */
static int apply_look_back(
	struct apply *a, struct look_batch *b, struct memory *m, struct probes_error *e)
{
	struct probes_error other;
	int r = look_again(&a->look, b, m, e);

	if (r < 0)
		return r;
	for (size_t i = b->first; i < a->written; i++) {
		const struct probes_write *w = look_write(&a->look, i);
		struct probes_error *to = r ? &other : e;
		int one = w->is_site ? look_at_site(&a->look, b, i, w->new_[0], to)
				     : apply_reconcile(a, b, i, m, to);

		r = r ? r : one;
	}
	return r;
}

/* ---- undoing ---- */

/* Take one write back: a site only where our byte still is, a count by our part of it. */
static bool apply_undo(struct memory *m, const struct probes_write *w)
{
	uint8_t now[2];

	if (!memory_read(m, w->address, now, w->length))
		return false;
	if (w->is_site)
		return now[0] == w->old[0] ||
		       (now[0] == w->new_[0] && m->ops->write(m, w->address, w->old, 1) == 0);
	return apply_write_count(m, w->address, now,
		       plan_count(now) - plan_count(w->new_) + plan_count(w->old)) == 0;
}

static void apply_undo_all(struct apply *a, struct memory *m, struct probes_error *e)
{
	size_t kept = 0;

	while (a->written > 0) {
		a->written--;
		a->left[a->written] = !apply_undo(m, look_write(&a->look, a->written));
		kept += a->left[a->written];
	}
	a->barred = a->barred && !kept;
	if (kept && e->status != PROBES_GONE)
		error_hint(e, "%zu of the writes made before could not be undone: see list", kept);
}

int apply_run(struct apply *a, struct memory *m, struct probes_error *e)
{
	int r = 0;

	a->barred = false;
	for (size_t i = 0; r == 0 && i < a->look.batches.count; i++) {
		struct look_batch *b = look_batch(&a->look, i);

		r = look_before(&a->look, b, m, e);
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
