/*
 * The only file that changes a running process. Writes touch the bytes that
 * change and no others; a run of bytes read earlier is never written back, since
 * that would erase what another tool has put there meanwhile.
 */
#include "patch/apply.h"

#include "base/error.h"
#include "base/order.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define APPLY_GAP 256
#define APPLY_LONGEST (1 << 20)
#define APPLY_NEAR 8 /* writes before one among which its site is looked for */

struct apply_batch {
	size_t first, count; /* writes of the plan */
	struct spans spans;  /* of all that is looked at */
};

/* One thing to look at, for laying out in the order of addresses. */
struct apply_look {
	uint64_t address;
	size_t length;
	uint32_t *offset;
};

static const struct probes_write *apply_at(const struct apply *a, size_t i)
{
	return ARRAY_AT(&a->plan->writes, struct probes_write, i);
}

static const struct plan_check *apply_check_at(const struct apply *a, size_t i)
{
	return ARRAY_AT(&a->plan->checks, struct plan_check, i);
}

static const struct plan_witness *apply_witness(const struct apply *a, size_t i)
{
	return ARRAY_AT(&a->plan->witnesses, struct plan_witness, i);
}

/* ---- laying out ---- */

/* The site that is looked at for a write, 0: none. */
static uint64_t apply_site(const struct apply *a, size_t i)
{
	const struct probes_write *w = apply_at(a, i);

	return w->is_site ? w->address - SITE_SWITCH : apply_check_at(a, i)->guard;
}

/* The one of the last few writes that looks at the same site, as a probe's site and count do; or i.
 */
static size_t apply_same(const struct apply *a, const struct apply_batch *b, size_t i)
{
	uint64_t site = apply_site(a, i);

	for (size_t k = i; k-- > b->first && i - k <= APPLY_NEAR;)
		if (apply_site(a, k) == site)
			return k;
	return i;
}

/* All that is to be looked at for one write. */
static bool apply_want(struct apply *a, const struct apply_batch *b, size_t i, struct array *looks)
{
	const struct probes_write *w = apply_at(a, i);
	const struct plan_check *c = apply_check_at(a, i);
	uint64_t site = apply_site(a, i);
	struct apply_look *look;

	if (!array_reserve(looks, 2 + (size_t)c->witness_count))
		return false;
	look = (struct apply_look *)looks->data + looks->count;
	if (site && apply_same(a, b, i) == i)
		*look++ = (struct apply_look){site, SITE_BYTES, &a->site[i]};
	if (!w->is_site)
		*look++ = (struct apply_look){w->address, w->length, &a->count[i]};
	for (uint32_t k = c->witness; k < c->witness + c->witness_count; k++)
		*look++ = (struct apply_look){apply_witness(a, k)->address, 1, &a->witness[k]};
	looks->count = (size_t)(look - (struct apply_look *)looks->data);
	return true;
}

/* `looks` is emptied first: it is there to be used again. */
static bool apply_lay_out(struct apply *a, struct apply_batch *b, struct array *looks)
{
	bool fits = true;

	looks->count = 0;
	for (size_t i = b->first; fits && i < b->first + b->count; i++)
		fits = apply_want(a, b, i, looks);
	fits = fits && order_by_number(looks->data, looks->count, looks->size,
			       offsetof(struct apply_look, address));
	for (size_t i = 0; fits && i < looks->count; i++) {
		const struct apply_look *look = ARRAY_AT(looks, struct apply_look, i);
		size_t offset = spans_add(&b->spans, look->address, look->length);

		*look->offset = (uint32_t)offset;
		fits = offset <= UINT32_MAX;
	}
	for (size_t i = b->first; i < b->first + b->count; i++)
		a->site[i] = a->site[apply_same(a, b, i)];
	return fits;
}

static size_t apply_count_batch(const struct apply *a, size_t first)
{
	size_t left = a->plan->writes.count - first, most = APPLY_BATCH, n = 0;

	while (n < left && n < most && (n == 0 || !apply_check_at(a, first + n)->cut)) {
		const struct plan_check *c = apply_check_at(a, first + n++);

		if (c->guard_counts || c->witness_count)
			most = APPLY_BATCH_SHARED;
	}
	return n;
}

static struct apply_batch *apply_add_batch(struct apply *a, size_t first)
{
	struct apply_batch *b = array_add(&a->batches);

	if (!b)
		return NULL;
	b->first = first;
	b->count = apply_count_batch(a, first);
	spans_init(&b->spans, APPLY_GAP, APPLY_LONGEST);
	return b;
}

static bool apply_lay_out_all(struct apply *a)
{
	size_t largest = 1, end;
	struct array looks;
	bool fits = true;

	array_init(&looks, sizeof(struct apply_look));
	for (size_t at = 0; fits && at < a->plan->writes.count; at = end) {
		struct apply_batch *b = apply_add_batch(a, at);

		fits = b && apply_lay_out(a, b, &looks);
		end = at + (fits ? b->count : 0);
		largest = fits && b->spans.total > largest ? b->spans.total : largest;
	}
	array_done(&looks);
	a->bytes = fits ? malloc(largest) : NULL;
	return a->bytes;
}

int apply_init(struct apply *a, const struct plan *plan, struct probes_error *e)
{
	*a = (struct apply){.plan = plan};
	array_init(&a->batches, sizeof(struct apply_batch));
	a->site = calloc(plan->writes.count + 1, sizeof *a->site);
	a->count = malloc((plan->writes.count + 1) * sizeof *a->count);
	a->witness = malloc((plan->witnesses.count + 1) * sizeof *a->witness);
	a->left = mmap(NULL, plan->writes.count + 1, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a->site && a->count && a->witness && a->left != MAP_FAILED && apply_lay_out_all(a))
		return 0;
	apply_done(a);
	return error_memory(e, "a plan");
}

void apply_done(struct apply *a)
{
	for (size_t i = 0; i < a->batches.count; i++)
		spans_done(&ARRAY_AT(&a->batches, struct apply_batch, i)->spans);
	array_done(&a->batches);
	free(a->site);
	free(a->count);
	free(a->witness);
	free(a->bytes);
	a->site = a->count = a->witness = NULL;
	a->bytes = NULL;
	if (a->left && a->left != MAP_FAILED)
		munmap(a->left, a->plan->writes.count + 1);
	a->left = NULL;
}

/* ---- errors ---- */

static int apply_failed(
	const struct probes_write *w, int code, const char *doing, struct probes_error *e)
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

static bool apply_got(
	const struct apply *a, const struct apply_batch *b, uint32_t offset, size_t length)
{
	return a->whole || spans_got(&b->spans, offset, length) == length;
}

/* The byte of a site, and those behind it, which nobody's switching changes. */
static int apply_check_site(const struct apply *a, const struct apply_batch *b, size_t i,
	uint8_t byte, struct probes_error *e)
{
	const struct plan_check *c = apply_check_at(a, i);
	const unsigned char *found = a->bytes + a->site[i] + SITE_SWITCH;
	uint8_t expected[PLAN_LOOK] = {byte};

	if (!apply_got(a, b, a->site[i], SITE_BYTES))
		return apply_failed(apply_at(a, i), -EFAULT, "read what is at", e);
	memcpy(expected + 1, c->bytes + SITE_SWITCH + 1, SITE_FOLLOWING);
	return memcmp(found, expected, PLAN_LOOK)
		       ? apply_mismatch(apply_at(a, i)->address, expected, found, PLAN_LOOK, e)
		       : 0;
}

/* A count, and what proves that it is still that count. */
static int apply_check_count(
	const struct apply *a, const struct apply_batch *b, size_t i, struct probes_error *e)
{
	const struct probes_write *w = apply_at(a, i);
	const struct plan_check *c = apply_check_at(a, i);
	const unsigned char *found = a->bytes + a->count[i];

	if (!apply_got(a, b, a->count[i], sizeof w->old))
		return apply_failed(w, -EFAULT, "read what is at", e);
	if (memcmp(found, w->old, sizeof w->old))
		return apply_mismatch(w->address, w->old, found, sizeof w->old, e);
	if (!c->guard)
		return 0;
	if (!apply_got(a, b, a->site[i], SITE_BYTES))
		return apply_failed(w, -EFAULT, "read what is at", e);
	found = a->bytes + a->site[i] + c->guard_at;
	return memcmp(found, c->bytes + c->guard_at, SITE_FOLLOWING)
		       ? apply_mismatch(c->guard + c->guard_at, c->bytes + c->guard_at, found,
				 SITE_FOLLOWING, e)
		       : 0;
}

static bool apply_is(
	const struct apply *a, const struct apply_batch *b, uint32_t offset, uint8_t byte)
{
	return a->bytes[offset] == byte || !apply_got(a, b, offset, 1);
}

/* How many of a count's witnesses were held by others when its batch was looked at. */
static uint32_t apply_held(const struct apply *a, const struct apply_batch *b, size_t i)
{
	const struct plan_check *c = apply_check_at(a, i);
	uint32_t held = c->guard_counts && !apply_is(a, b, a->site[i], c->bytes[0]);

	for (uint32_t k = c->witness; k < c->witness + c->witness_count; k++)
		held += !apply_is(a, b, a->witness[k], apply_witness(a, k)->own);
	return held;
}

static int apply_read(
	struct apply *a, struct apply_batch *b, struct memory *m, struct probes_error *e)
{
	int r = m->ops->read(m, &b->spans, a->bytes);

	a->whole = r == 0 && spans_whole(&b->spans);
	return r < 0 ? apply_failed(apply_at(a, b->first), r, "read what is at", e) : 0;
}

/* Compare the process with what the plan says of this batch. */
static int apply_look(
	struct apply *a, struct apply_batch *b, struct memory *m, struct probes_error *e)
{
	int r = apply_read(a, b, m, e);

	for (size_t i = 0; r == 0 && i < b->count; i++) {
		size_t at = b->first + i;
		const struct probes_write *w = apply_at(a, at);

		r = w->is_site ? apply_check_site(a, b, at, w->old[0], e)
			       : apply_check_count(a, b, at, e);
		a->held[i] = apply_held(a, b, at);
	}
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

static unsigned apply_count(const uint8_t *bytes)
{
	return bytes[0] | (unsigned)bytes[1] << 8;
}

static int apply_write_count(struct memory *m, uint64_t address, const uint8_t *now, unsigned count)
{
	const uint8_t to[2] = {(uint8_t)count, (uint8_t)(count >> 8)};

	return apply_write(m, address, now, to, sizeof to);
}

static int apply_write_batch(
	struct apply *a, const struct apply_batch *b, struct memory *m, struct probes_error *e)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct probes_write *w = apply_at(a, b->first + i);
		int r = apply_write(m, w->address, w->old, w->new_, w->length);

		if (r < 0) {
			a->barred = w->is_site && (r == -EIO || r == -EPERM || r == -EACCES);
			return apply_failed(w, r, "write at", e);
		}
		a->written++;
	}
	return 0;
}

/*
 * A uprobe that comes or goes counts without taking turns with us, and between our look and our
 * write its part is lost. But then the site tells: the kernel counts and places or removes its int3
 * under one write lock of the address space, and our write needs that lock too
 * (register_for_each_vma in kernel/events/uprobes.c, access_remote_vm in mm/memory.c). So by the
 * time of our write both were done, after a look that saw neither; and what is there now is just
 * what we wrote. Where it is anything else the kernel counted after us, and nothing was lost.
 */
static int apply_reconcile(
	const struct probes_write *w, struct memory *m, int64_t came, struct probes_error *e)
{
	int64_t count = apply_count(w->new_) + came;
	uint8_t now[2];
	int r;

	if (!came || count < 0 || count > UINT16_MAX)
		return 0;
	if (!memory_read(m, w->address, now, sizeof now))
		return apply_failed(w, -EFAULT, "read what is at", e);
	if (memcmp(now, w->new_, sizeof now))
		return 0;
	r = apply_write_count(m, w->address, now, (unsigned)count);
	return r < 0 ? apply_failed(w, r, "write at", e) : 0;
}

/*
 * Read a batch back. A semaphore that differs is no failure: others count there too, and our part
 * is added already.
 */
static int apply_look_back(
	struct apply *a, struct apply_batch *b, struct memory *m, struct probes_error *e)
{
	int r = apply_read(a, b, m, e);

	for (size_t i = 0; r == 0 && i < b->count; i++) {
		size_t at = b->first + i;
		const struct probes_write *w = apply_at(a, at);

		if (w->is_site)
			r = apply_check_site(a, b, at, w->new_[0], e);
		else
			r = apply_reconcile(w, m, (int64_t)apply_held(a, b, at) - a->held[i], e);
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
		       apply_count(now) - apply_count(w->new_) + apply_count(w->old)) == 0;
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

		r = apply_look(a, b, m, e);
		if (r == 0)
			r = apply_write_batch(a, b, m, e);
		if (r == 0)
			r = apply_look_back(a, b, m, e);
	}
	if (r < 0)
		apply_undo_all(a, m, e);
	return r;
}
