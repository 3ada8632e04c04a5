#include "patch/verify.h"

#include "base/error.h"
#include "base/order.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define VERIFY_GAP 256
#define VERIFY_LONGEST (1 << 20)
#define VERIFY_NEAR 8 /* edits before one that are searched for the same guard */

/* One range of a reading, to be sorted by address. */
struct verify_range {
	uint64_t address;
	size_t length;
	uint32_t *offset;
};

static const struct plan_check *verify_check(const struct verify *l, size_t i)
{
	return ARRAY_AT(&l->plan->checks, struct plan_check, i);
}

static const struct plan_refcount_site *verify_refcount_site(const struct verify *l, size_t i)
{
	return ARRAY_AT(&l->plan->refcount_sites, struct plan_refcount_site, i);
}

/* ---- layout ---- */

/* An edit just before this one that has the same guard, as those of one probe do; else i. */
static size_t verify_same(const struct verify *l, const struct verify_batch *b, size_t i)
{
	for (size_t k = i; k-- > b->first && i - k <= VERIFY_NEAR;) {
		if (verify_edit(l, k)->probe != verify_edit(l, i)->probe)
			break;
		if (verify_check(l, k)->guard == verify_check(l, i)->guard)
			return k;
	}
	return i;
}

/* Is the edit read with its guard? */
static bool verify_in_guard(const struct probes_edit *edit, const struct plan_check *c)
{
	return c->guard && edit->address >= c->guard &&
	       edit->address + edit->length <= c->guard + ARCH_SITE_BYTES;
}

/* Lay out the reading of a batch. `ranges`: scratch. */
static bool verify_lay_out(struct verify *l, struct verify_batch *b, struct array *ranges)
{
	ranges->count = 0;
	for (size_t i = b->first; i < b->first + b->count; i++) {
		const struct probes_edit *edit = verify_edit(l, i);
		const struct plan_check *c = verify_check(l, i);
		uint32_t end = c->refcount_site + c->refcount_site_count;
		struct verify_range *range;

		if (!array_reserve(ranges, 2 + (size_t)c->refcount_site_count))
			return false;
		range = (struct verify_range *)ranges->data + ranges->count;
		if (c->guard && verify_same(l, b, i) == i)
			*range++ = (struct verify_range){c->guard, ARCH_SITE_BYTES, &l->guard[i]};
		if (!verify_in_guard(edit, c))
			*range++ = (struct verify_range){edit->address, edit->length, &l->own[i]};
		for (uint32_t k = c->refcount_site; k < end; k++)
			*range++ = (struct verify_range){
				verify_refcount_site(l, k)->address, 1, &l->refcount_site[k]};
		ranges->count = (size_t)(range - (struct verify_range *)ranges->data);
	}
	if (!order_array(ranges, offsetof(struct verify_range, address)))
		return false;
	ARRAY_EACH(const struct verify_range, range, ranges) {
		size_t offset = spans_add(&b->spans, range->address, range->length);

		if (offset > UINT32_MAX)
			return false;
		*range->offset = (uint32_t)offset;
	}
	for (size_t i = b->first; i < b->first + b->count; i++) {
		const struct probes_edit *edit = verify_edit(l, i);
		const struct plan_check *c = verify_check(l, i);

		l->guard[i] = l->guard[verify_same(l, b, i)];
		if (verify_in_guard(edit, c))
			l->own[i] = l->guard[i] + (uint32_t)(edit->address - c->guard);
	}
	return true;
}

bool verify_init(struct verify *l, const struct plan *plan)
{
	size_t count = plan->edits.count, largest = 1;
	struct array ranges = ARRAY_OF(struct verify_range);
	bool fits;

	*l = (struct verify){.plan = plan};
	l->batches = ARRAY_OF(struct verify_batch);
	l->own = calloc(count + 1, sizeof *l->own);
	l->guard = calloc(count + 1, sizeof *l->guard);
	l->refcount_site = malloc((plan->refcount_sites.count + 1) * sizeof *l->refcount_site);
	l->seen = malloc(plan->refcount_sites.count + 1);
	fits = l->own && l->guard && l->refcount_site && l->seen;
	for (size_t at = 0; fits && at < count;) {
		struct verify_batch *b = array_add(&l->batches);
		size_t most = VERIFY_BATCH;

		if (!b) {
			fits = false;
			break;
		}
		b->first = at;
		spans_init(&b->spans, VERIFY_GAP, VERIFY_LONGEST);
		for (; at < count && b->count < most; at++, b->count++) {
			const struct plan_check *c = verify_check(l, at);

			if (b->count && c->cut)
				break;
			if (c->guard_counts || c->refcount_site_count)
				most = VERIFY_BATCH_SHARED;
		}
		fits = verify_lay_out(l, b, &ranges);
		largest = b->spans.total > largest ? b->spans.total : largest;
	}
	array_done(&ranges);
	l->bytes = fits ? malloc(largest) : NULL;
	if (l->bytes)
		return true;
	verify_done(l);
	return false;
}

void verify_done(struct verify *l)
{
	for (size_t i = 0; i < l->batches.count; i++)
		spans_done(&verify_batch(l, i)->spans);
	array_done(&l->batches);
	free(l->own);
	free(l->guard);
	free(l->refcount_site);
	free(l->seen);
	free(l->bytes);
	*l = (struct verify){.plan = l->plan};
}

/* ---- errors ---- */

int verify_failed(
	const struct probes_edit *edit, int code, const char *doing, struct probes_error *e)
{
	error_set(e, code == -ESRCH ? PROBES_GONE : PROBES_FAILED, code, "cannot %s 0x%llx", doing,
		(unsigned long long)edit->address);
	if (code == -ESRCH)
		return error_why(e, "the process has ended, or runs another program now");
	if (code == -EIO || code == -EPERM || code == -EACCES)
		error_hint(e, "shared mappings and kernels started with proc_mem.force_override "
			      "forbid such writes");
	return code;
}

static void verify_hex(const unsigned char *bytes, size_t count, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

static int verify_mismatch(uint64_t address, const unsigned char *expected,
	const unsigned char *found, size_t length, struct probes_error *e)
{
	char want[2 * PROBES_EDIT_BYTES + 1], have[2 * PROBES_EDIT_BYTES + 1];

	verify_hex(expected, length, want);
	verify_hex(found, length, have);
	error_set(e, PROBES_REFUSED, -EBUSY, "refused to write in the process");
	error_why(e, "0x%llx holds %s where %s was expected: somebody else changed it",
		(unsigned long long)address, have, want);
	return error_hint(e, "look again; nothing was changed");
}

/* ---- comparing ---- */

static bool verify_got(
	const struct verify *l, const struct verify_batch *b, uint32_t offset, size_t length)
{
	return l->whole || spans_got(&b->spans, offset, length) == length;
}

static int verify_unreadable(const struct verify *l, size_t i, struct probes_error *e)
{
	return verify_failed(verify_edit(l, i), -EFAULT, "read what is at", e);
}

bool verify_guard(const struct plan_check *c, const uint8_t site[ARCH_SITE_BYTES])
{
	for (int k = c->guard_at; k < c->guard_at + ARCH_FIXED_BYTES; k++)
		if (site[k] != c->bytes[k] && !(c->guard_varies >> k & 1))
			return false;
	return true;
}

/* Is the code at the guard still mapped there? */
static int verify_at_guard(
	const struct verify *l, const struct verify_batch *b, size_t i, struct probes_error *e)
{
	const struct plan_check *c = verify_check(l, i);
	const uint8_t *site = l->bytes + l->guard[i];

	if (!c->guard)
		return 0;
	if (!verify_got(l, b, l->guard[i], ARCH_SITE_BYTES))
		return verify_unreadable(l, i, e);
	if (verify_guard(c, site))
		return 0;
	return verify_mismatch(c->guard + c->guard_at, c->bytes + c->guard_at, site + c->guard_at,
		ARCH_FIXED_BYTES, e);
}

int verify_at(const struct verify *l, const struct verify_batch *b, size_t i,
	const uint8_t *expected, struct probes_error *e)
{
	const struct probes_edit *edit = verify_edit(l, i);
	const uint8_t *found = l->bytes + l->own[i];

	if (!verify_got(l, b, l->own[i], edit->length))
		return verify_unreadable(l, i, e);
	if (memcmp(found, expected, edit->length))
		return verify_mismatch(edit->address, expected, found, edit->length, e);
	return verify_at_guard(l, b, i, e);
}

/* ---- who else holds sites ---- */

enum verify_seen { VERIFY_FREE, VERIFY_HELD, VERIFY_UNSEEN };

static uint8_t verify_see(
	const struct verify *l, const struct verify_batch *b, uint32_t offset, uint8_t own)
{
	if (!verify_got(l, b, offset, 1))
		return VERIFY_UNSEEN;
	return l->bytes[offset] == own ? VERIFY_FREE : VERIFY_HELD;
}

static uint8_t verify_see_guard(const struct verify *l, const struct verify_batch *b, size_t i)
{
	return verify_see(
		l, b, l->guard[i] + ARCH_HELD_AT, verify_check(l, i)->bytes[ARCH_HELD_AT]);
}

static uint8_t verify_see_refcount_site(
	const struct verify *l, const struct verify_batch *b, uint32_t k)
{
	return verify_see(l, b, l->refcount_site[k], verify_refcount_site(l, k)->own);
}

/* A site that cannot be read may be held. */
bool verify_note(
	struct verify *l, const struct verify_batch *b, size_t i, struct verify_count *seen)
{
	const struct plan_check *c = verify_check(l, i);
	struct probes_error ignored;

	*seen = (struct verify_count){0};
	if (c->guard_counts) {
		l->guard_seen[i - b->first] = verify_see_guard(l, b, i);
		seen->held = l->guard_seen[i - b->first] != VERIFY_FREE;
	}
	for (uint32_t k = c->refcount_site; k < c->refcount_site + c->refcount_site_count; k++) {
		l->seen[k] = verify_see_refcount_site(l, b, k);
		seen->held += l->seen[k] != VERIFY_FREE;
	}
	if (!verify_got(l, b, l->own[i], 2))
		return false;
	seen->value = edit_value(l->bytes + l->own[i]);
	return verify_at_guard(l, b, i, &ignored) == 0;
}

/* What has happened since then to the sites of a count. */
struct verify_events {
	int64_t came, gone, held;
	bool unseen;
};

static void verify_event(struct verify_events *v, uint8_t before, uint8_t now)
{
	v->came += before == VERIFY_FREE && now == VERIFY_HELD;
	v->gone += before == VERIFY_HELD && now == VERIFY_FREE;
	v->held += now == VERIFY_HELD;
	v->unseen = v->unseen || before == VERIFY_UNSEEN || now == VERIFY_UNSEEN;
}

/* ---- the readings ---- */

int verify_again(struct verify *l, struct verify_batch *b, struct memory *m, struct probes_error *e)
{
	int r = m->ops->read(m, &b->spans, l->bytes);

	l->whole = r == 0 && spans_whole(&b->spans);
	return r < 0 ? verify_failed(verify_edit(l, b->first), r, "read what is at", e) : 0;
}

int verify_before(
	struct verify *l, struct verify_batch *b, struct memory *m, struct probes_error *e)
{
	int r = verify_again(l, b, m, e);

	for (size_t i = b->first; r == 0 && i < b->first + b->count; i++) {
		const struct probes_edit *edit = verify_edit(l, i);
		unsigned to = edit_value(edit->new_);
		struct verify_count seen;

		r = verify_at(l, b, i, edit->old, e);
		if (r < 0 || edit->role != PROBES_ROLE_SEMAPHORE || !verify_note(l, b, i, &seen) ||
			to >= seen.value || to >= seen.held)
			continue;
		/* A uprobe came after the plan, and the edit would take its part of the count. */
		error_set(e, PROBES_REFUSED, -EBUSY, "refused to write in the process");
		error_why(e,
			"the count at 0x%llx would become %u, but %u of its sites are held by "
			"uprobes (or breakpoints) now",
			(unsigned long long)edit->address, to, seen.held);
		r = error_hint(e, "look again; nothing was changed");
	}
	return r;
}

/*
 * Uprobes that come or go do not take our lock. What the kernel counts for them between our read
 * and our write is overwritten. But their sites show it: the kernel counts, and then places or
 * removes its int3, under one write lock of the address space, which our write needs as well
 * (register_for_each_vma in kernel/events/uprobes.c, access_remote_vm in mm/memory.c). What was
 * counted before our write has changed its site by then, and after our read, which reads code
 * before data, since it ascends; so those changes of sites were lost that the count does not show
 * now.
 *
 * Where that does not add up, other tools count as well, and the count is left alone. An int3 need
 * not count: one that is gone is not subtracted where that could be the part of those who still
 * hold sites.
 */
int64_t verify_lost(
	const struct verify *l, const struct verify_batch *b, size_t i, struct verify_change made)
{
	const struct plan_check *c = verify_check(l, i);
	struct verify_events v = {0};
	struct probes_error ignored;
	int64_t counted, lost;

	if (c->guard_counts)
		verify_event(&v, l->guard_seen[i - b->first], verify_see_guard(l, b, i));
	for (uint32_t k = c->refcount_site; k < c->refcount_site + c->refcount_site_count; k++)
		verify_event(&v, l->seen[k], verify_see_refcount_site(l, b, k));
	if ((!v.came && !v.gone) || v.unseen || !verify_got(l, b, l->own[i], 2))
		return 0;
	/* Other code is mapped there now: bytes that look like uprobes are part of it. */
	if (verify_at_guard(l, b, i, &ignored) < 0)
		return 0;
	counted = (int64_t)edit_value(l->bytes + l->own[i]) - made.to;
	lost = v.came - v.gone - counted;
	if (lost > v.came || lost < -v.gone)
		return 0;
	if (lost < 0 && (made.from < v.held + v.gone - v.came || made.to + counted + lost < v.held))
		return 0;
	return lost;
}
