/*
 * The only file that changes a running process. Writes touch the bytes that
 * change and no others; a run of bytes read earlier is never written back, since
 * that would erase what another tool has put there meanwhile.
 */
#include "patch/apply.h"

#include "base/error.h"
#include "base/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define APPLY_GAP 256
#define APPLY_LONGEST (1 << 20)

struct apply_batch {
	size_t first, count;  /* writes of the plan */
	struct spans spans;   /* of all that is looked at */
	size_t *look, *guard; /* per write: offsets in the buffer */
};

/* One thing to look at, for laying out in the order of addresses. */
struct apply_look {
	uint64_t address;
	size_t length;
	size_t *offset;
};

static const struct plan_write *apply_at(const struct apply *a, size_t i)
{
	return ARRAY_AT(&a->plan->writes, struct plan_write, i);
}

/* ---- laying out ---- */

static bool apply_lay_out(struct apply *a, struct apply_batch *b)
{
	struct apply_look *looks = calloc(2 * b->count, sizeof *looks);
	size_t n = 0;
	bool fits;

	b->look = calloc(b->count, sizeof *b->look);
	b->guard = calloc(b->count, sizeof *b->guard);
	fits = looks && b->look && b->guard;
	for (size_t i = 0; fits && i < b->count; i++) {
		const struct plan_write *w = apply_at(a, b->first + i);

		looks[n++] = (struct apply_look){w->address, w->look, &b->look[i]};
		if (w->guard)
			looks[n++] = (struct apply_look){w->guard, SITE_FOLLOWING, &b->guard[i]};
	}
	fits = fits && order_by_number(looks, n, sizeof *looks, 0);
	for (size_t i = 0; fits && i < n; i++) {
		*looks[i].offset = spans_add(&b->spans, looks[i].address, looks[i].length);
		fits = *looks[i].offset != SIZE_MAX;
	}
	free(looks);
	return fits;
}

static bool apply_add_batch(struct apply *a, size_t first)
{
	struct apply_batch *b = array_add(&a->batches);
	size_t end = first + 1;

	if (!b)
		return false;
	while (end < a->plan->writes.count && end - first < APPLY_BATCH && !apply_at(a, end)->cut)
		end++;
	b->first = first;
	b->count = end - first;
	spans_init(&b->spans, APPLY_GAP, APPLY_LONGEST);
	return apply_lay_out(a, b);
}

int apply_init(struct apply *a, const struct plan *plan, struct probes_error *e)
{
	size_t largest = 1, next = 0;

	*a = (struct apply){.plan = plan};
	array_init(&a->batches, sizeof(struct apply_batch));
	while (next < plan->writes.count) {
		const struct apply_batch *b;

		if (!apply_add_batch(a, next)) {
			apply_done(a);
			return error_memory(e, "a plan");
		}
		b = ARRAY_AT(&a->batches, struct apply_batch, a->batches.count - 1);
		next = b->first + b->count;
		largest = b->spans.total > largest ? b->spans.total : largest;
	}
	a->bytes = malloc(largest);
	a->left = mmap(NULL, plan->writes.count + 1, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a->bytes && a->left != MAP_FAILED)
		return 0;
	apply_done(a);
	return error_memory(e, "a plan");
}

void apply_done(struct apply *a)
{
	for (size_t i = 0; i < a->batches.count; i++) {
		struct apply_batch *b = ARRAY_AT(&a->batches, struct apply_batch, i);

		spans_done(&b->spans);
		free(b->look);
		free(b->guard);
	}
	array_done(&a->batches);
	free(a->bytes);
	a->bytes = NULL;
	if (a->left && a->left != MAP_FAILED)
		munmap(a->left, a->plan->writes.count + 1);
	a->left = NULL;
}

/* ---- errors ---- */

static int apply_failed(
	const struct plan_write *w, int code, const char *doing, struct probes_error *e)
{
	error_set(e, code == -ESRCH ? PROBES_GONE : PROBES_FAILED, code, "cannot %s 0x%llx", doing,
		(unsigned long long)w->address);
	if (code == -ESRCH)
		return error_why(e, "the process has ended, or runs another program now");
	if (code == -EIO || code == -EPERM || code == -EACCES)
		error_hint(e, "shared mappings and kernels started with proc_mem.force_override "
			      "forbid such writes");
	return code;
}

static void apply_hex(const unsigned char *bytes, size_t count, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

static int apply_mismatch(uint64_t address, const unsigned char *expected,
	const unsigned char *found, size_t length, struct probes_error *e)
{
	char want[2 * PLAN_LOOK + 1], have[2 * PLAN_LOOK + 1];

	apply_hex(expected, length, want);
	apply_hex(found, length, have);
	error_set(e, PROBES_REFUSED, -EBUSY, "refused to write in the process");
	error_why(e, "0x%llx holds %s where %s was expected: somebody else changed it",
		(unsigned long long)address, have, want);
	return error_hint(e, "look again; nothing was changed");
}

/* ---- looking ---- */

static int apply_check(const struct apply *a, const struct apply_batch *b, size_t i, bool after,
	struct probes_error *e)
{
	const struct plan_write *w = apply_at(a, b->first + i);
	const unsigned char *found = a->bytes + b->look[i];
	unsigned char expected[PLAN_LOOK];

	memcpy(expected, w->old, sizeof expected);
	if (after)
		memcpy(expected, w->new_, w->length);
	if (spans_got(&b->spans, b->look[i], w->look) < w->look)
		return apply_failed(w, -EFAULT, "read what is at", e);
	if (memcmp(found, expected, w->look))
		return apply_mismatch(w->address, expected, found, w->look, e);
	if (!w->guard || after)
		return 0;
	if (spans_got(&b->spans, b->guard[i], SITE_FOLLOWING) < SITE_FOLLOWING)
		return apply_failed(w, -EFAULT, "read what is at", e);
	found = a->bytes + b->guard[i];
	if (memcmp(found, w->guard_bytes, SITE_FOLLOWING))
		return apply_mismatch(w->guard, w->guard_bytes, found, SITE_FOLLOWING, e);
	return 0;
}

/*
 * Compare the process with what the plan says of this batch, before it or after. After it a
 * semaphore that differs is no failure: others count there too, and our part is added already.
 */
static int apply_look(struct apply *a, struct apply_batch *b, struct memory *m, bool after,
	struct probes_error *e)
{
	int r = m->ops->read(m, &b->spans, a->bytes);

	if (r < 0)
		return apply_failed(apply_at(a, b->first), r, "read what is at", e);
	for (size_t i = 0; r == 0 && i < b->count; i++)
		if (!after || apply_at(a, b->first + i)->is_site)
			r = apply_check(a, b, i, after, e);
	return r;
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

/*
 * A uprobe that comes or goes counts without taking turns with us: what is written is added to a
 * count of this very moment, not to one from the beginning of the batch, which may be milliseconds
 * old by now. (An addition that nobody can come between there is none from outside.)
 */
static int apply_look_again(struct memory *m, const struct plan_write *w, struct probes_error *e)
{
	uint8_t now[2];

	if (!w->shared)
		return 0;
	if (!memory_read(m, w->address, now, sizeof now))
		return apply_failed(w, -EFAULT, "read what is at", e);
	return memcmp(now, w->old, sizeof now)
		       ? apply_mismatch(w->address, w->old, now, sizeof now, e)
		       : 0;
}

static int apply_write_batch(
	struct apply *a, const struct apply_batch *b, struct memory *m, struct probes_error *e)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct plan_write *w = apply_at(a, b->first + i);
		int r = apply_look_again(m, w, e);

		if (r < 0)
			return r;
		r = apply_write(m, w->address, w->old, w->new_, w->length);
		if (r < 0) {
			a->barred = w->is_site && (r == -EIO || r == -EPERM || r == -EACCES);
			return apply_failed(w, r, "write at", e);
		}
		a->written++;
	}
	return 0;
}

/* ---- undoing ---- */

static unsigned apply_count(const uint8_t *bytes)
{
	return bytes[0] | (unsigned)bytes[1] << 8;
}

/* Take one write back: a site only where our byte still is, a count by our part of it. */
static bool apply_undo(struct memory *m, const struct plan_write *w)
{
	uint8_t now[2], back[2];
	unsigned count;

	if (!memory_read(m, w->address, now, w->length))
		return false;
	if (w->is_site)
		return now[0] == w->old[0] ||
		       (now[0] == w->new_[0] && m->ops->write(m, w->address, w->old, 1) == 0);
	count = apply_count(now) - apply_count(w->new_) + apply_count(w->old);
	back[0] = (uint8_t)count;
	back[1] = (uint8_t)(count >> 8);
	return apply_write(m, w->address, now, back, 2) == 0;
}

static void apply_undo_all(struct apply *a, struct memory *m, struct probes_error *e)
{
	size_t kept = 0;

	while (a->written > 0) {
		a->written--;
		a->left[a->written] = !apply_undo(m, apply_at(a, a->written));
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
	for (size_t i = 0; r == 0 && i < a->batches.count; i++) {
		struct apply_batch *b = ARRAY_AT(&a->batches, struct apply_batch, i);

		r = apply_look(a, b, m, false, e);
		if (r == 0)
			r = apply_write_batch(a, b, m, e);
		if (r == 0)
			r = apply_look(a, b, m, true, e);
	}
	if (r < 0)
		apply_undo_all(a, m, e);
	return r;
}
