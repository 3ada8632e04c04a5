/*
 * What a plan looks at in the process, and what it says. Changes nothing there. What is found was
 * laid out before: while a process stands still nothing is allocated here.
 */
#include "patch/verify.h"

#include "base/error.h"
#include "base/order.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define VERIFY_GAP 256
#define VERIFY_LONGEST (1 << 20)
#define VERIFY_NEAR 8 /* writes before one among which its site is looked for */

/* One thing to look at, for laying out in the order of addresses. */
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

/* ---- laying out ---- */

/* The site that is looked at for a write, 0: none. */
static uint64_t verify_site(const struct verify *l, size_t i)
{
	return verify_check(l, i)->guard;
}

/* A write just before this one that looks at the same site, as those of one probe do; or i. */
static size_t verify_same(const struct verify *l, const struct verify_batch *b, size_t i)
{
	uint64_t site = verify_site(l, i);

	for (size_t k = i; k-- > b->first && i - k <= VERIFY_NEAR;) {
		if (verify_edit(l, k)->probe != verify_edit(l, i)->probe)
			break;
		if (verify_site(l, k) == site)
			return k;
	}
	return i;
}

/* All that is to be looked at for one write. */
static bool verify_want(
	struct verify *l, const struct verify_batch *b, size_t i, struct array *looks)
{
	const struct probes_edit *w = verify_edit(l, i);
	const struct plan_check *c = verify_check(l, i);
	uint64_t site = verify_site(l, i);
	struct verify_range *look;

	if (!array_reserve(looks, 2 + (size_t)c->refcount_site_count))
		return false;
	look = (struct verify_range *)looks->data + looks->count;
	if (site && verify_same(l, b, i) == i)
		*look++ = (struct verify_range){site, ARCH_SITE_BYTES, &l->site[i]};
	if (w->role == PROBES_ROLE_SEMAPHORE)
		*look++ = (struct verify_range){w->address, w->length, &l->count[i]};
	for (uint32_t k = c->refcount_site; k < c->refcount_site + c->refcount_site_count; k++)
		*look++ = (struct verify_range){
			verify_refcount_site(l, k)->address, 1, &l->refcount_site[k]};
	looks->count = (size_t)(look - (struct verify_range *)looks->data);
	return true;
}

/* `looks` is emptied first: it is there to be used again. */
static bool verify_lay_out(struct verify *l, struct verify_batch *b, struct array *looks)
{
	bool fits = true;

	looks->count = 0;
	for (size_t i = b->first; fits && i < b->first + b->count; i++)
		fits = verify_want(l, b, i, looks);
	fits = fits && order_by_number(looks->data, looks->count, looks->size,
			       offsetof(struct verify_range, address));
	for (size_t i = 0; fits && i < looks->count; i++) {
		const struct verify_range *look = ARRAY_AT(looks, struct verify_range, i);
		size_t offset = spans_add(&b->spans, look->address, look->length);

		*look->offset = (uint32_t)offset;
		fits = offset <= UINT32_MAX;
	}
	for (size_t i = b->first; i < b->first + b->count; i++)
		l->site[i] = l->site[verify_same(l, b, i)];
	return fits;
}

static size_t verify_count_batch(const struct verify *l, size_t first)
{
	size_t left = l->plan->edits.count - first, most = VERIFY_BATCH, n = 0;

	while (n < left && n < most && (n == 0 || !verify_check(l, first + n)->cut)) {
		const struct plan_check *c = verify_check(l, first + n++);

		if (c->guard_counts || c->refcount_site_count)
			most = VERIFY_BATCH_SHARED;
	}
	return n;
}

static struct verify_batch *verify_add_batch(struct verify *l, size_t first)
{
	struct verify_batch *b = array_add(&l->batches);

	if (!b)
		return NULL;
	b->first = first;
	b->count = verify_count_batch(l, first);
	spans_init(&b->spans, VERIFY_GAP, VERIFY_LONGEST);
	return b;
}

static bool verify_lay_out_all(struct verify *l)
{
	size_t largest = 1, end;
	struct array looks;
	bool fits = true;

	array_init(&looks, sizeof(struct verify_range));
	for (size_t at = 0; fits && at < l->plan->edits.count; at = end) {
		struct verify_batch *b = verify_add_batch(l, at);

		fits = b && verify_lay_out(l, b, &looks);
		end = at + (fits ? b->count : 0);
		largest = fits && b->spans.total > largest ? b->spans.total : largest;
	}
	array_done(&looks);
	l->bytes = fits ? malloc(largest) : NULL;
	return l->bytes;
}

bool verify_init(struct verify *l, const struct plan *plan)
{
	*l = (struct verify){.plan = plan};
	array_init(&l->batches, sizeof(struct verify_batch));
	l->site = calloc(plan->edits.count + 1, sizeof *l->site);
	l->count = malloc((plan->edits.count + 1) * sizeof *l->count);
	l->refcount_site = malloc((plan->refcount_sites.count + 1) * sizeof *l->refcount_site);
	l->seen = malloc(plan->refcount_sites.count + 1);
	if (l->site && l->count && l->refcount_site && l->seen && verify_lay_out_all(l))
		return true;
	verify_done(l);
	return false;
}

void verify_done(struct verify *l)
{
	for (size_t i = 0; i < l->batches.count; i++)
		spans_done(&verify_batch(l, i)->spans);
	array_done(&l->batches);
	free(l->site);
	free(l->count);
	free(l->refcount_site);
	free(l->seen);
	free(l->bytes);
	*l = (struct verify){.plan = l->plan};
}

/* ---- errors ---- */

int verify_failed(const struct probes_edit *w, int code, const char *doing, struct probes_error *e)
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
	char want[2 * PLAN_LOOK + 1], have[2 * PLAN_LOOK + 1];

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

/* The byte of a site, and those behind it, which nobody's switching changes. */
int verify_at_site(const struct verify *l, const struct verify_batch *b, size_t i, uint8_t byte,
	struct probes_error *e)
{
	const struct plan_check *c = verify_check(l, i);
	const unsigned char *found = l->bytes + l->site[i] + c->guard_at - 1;
	uint8_t expected[PLAN_LOOK] = {byte};

	if (!verify_got(l, b, l->site[i], ARCH_SITE_BYTES))
		return verify_failed(verify_edit(l, i), -EFAULT, "read what is at", e);
	memcpy(expected + 1, c->bytes + c->guard_at, ARCH_FIXED_BYTES);
	return memcmp(found, expected, PLAN_LOOK)
		       ? verify_mismatch(verify_edit(l, i)->address, expected, found, PLAN_LOOK, e)
		       : 0;
}

/* Is the code of the sites of this count still mapped where it was? */
static int verify_at_guard(
	const struct verify *l, const struct verify_batch *b, size_t i, struct probes_error *e)
{
	const struct plan_check *c = verify_check(l, i);
	const unsigned char *found;

	if (!c->guard)
		return 0;
	if (!verify_got(l, b, l->site[i], ARCH_SITE_BYTES))
		return verify_failed(verify_edit(l, i), -EFAULT, "read what is at", e);
	found = l->bytes + l->site[i] + c->guard_at;
	return memcmp(found, c->bytes + c->guard_at, ARCH_FIXED_BYTES)
		       ? verify_mismatch(c->guard + c->guard_at, c->bytes + c->guard_at, found,
				 ARCH_FIXED_BYTES, e)
		       : 0;
}

/* A count, and what proves that it is still that count. */
static int verify_at_count(
	const struct verify *l, const struct verify_batch *b, size_t i, struct probes_error *e)
{
	const struct probes_edit *w = verify_edit(l, i);
	const unsigned char *found = l->bytes + l->count[i];

	if (!verify_got(l, b, l->count[i], w->length))
		return verify_failed(w, -EFAULT, "read what is at", e);
	if (memcmp(found, w->old, w->length))
		return verify_mismatch(w->address, w->old, found, w->length, e);
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
	return verify_see(l, b, l->site[i], verify_check(l, i)->bytes[0]);
}

static uint8_t verify_refcount_site_seen(
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
		l->seen[k] = verify_refcount_site_seen(l, b, k);
		seen->held += l->seen[k] != VERIFY_FREE;
	}
	if (!verify_got(l, b, l->count[i], 2))
		return false;
	seen->value = edit_value(l->bytes + l->count[i]);
	return verify_at_guard(l, b, i, &ignored) == 0;
}

/* Has a uprobe come since the plan, so that this write would take its part? */
static int verify_at_holders(
	struct verify *l, const struct verify_batch *b, size_t i, struct probes_error *e)
{
	const struct probes_edit *w = verify_edit(l, i);
	unsigned to = edit_value(w->new_);
	struct verify_count seen;

	if (!verify_note(l, b, i, &seen) || to >= edit_value(w->old) || to >= seen.held)
		return 0;
	error_set(e, PROBES_REFUSED, -EBUSY, "refused to write in the process");
	error_why(e,
		"the count at 0x%llx would become %u, but %u of its sites are held by "
		"uprobes (or breakpoints) now",
		(unsigned long long)w->address, to, seen.held);
	return error_hint(e, "look again; nothing was changed");
}

/* What has happened to the refcount_sites of a count since. */
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

static struct verify_events verify_events(
	const struct verify *l, const struct verify_batch *b, size_t i)
{
	const struct plan_check *c = verify_check(l, i);
	struct verify_events v = {0};

	if (c->guard_counts)
		verify_event(&v, l->guard_seen[i - b->first], verify_see_guard(l, b, i));
	for (uint32_t k = c->refcount_site; k < c->refcount_site + c->refcount_site_count; k++)
		verify_event(&v, l->seen[k], verify_refcount_site_seen(l, b, k));
	return v;
}

/* ---- looking ---- */

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

	for (size_t i = 0; r == 0 && i < b->count; i++) {
		size_t at = b->first + i;
		const struct probes_edit *w = verify_edit(l, at);

		if (w->role == PROBES_ROLE_CODE)
			r = verify_at_site(l, b, at, w->old[0], e);
		else if ((r = verify_at_count(l, b, at, e)) == 0)
			r = verify_at_holders(l, b, at, e);
	}
	return r;
}

/*
 * Uprobes that come or go count without taking turns with us: what they count between our look and
 * our write is lost. But their sites tell: the kernel counts, and then places or removes its int3,
 * under one write lock of the address space, and our write needs that lock, too
 * (register_for_each_vma in kernel/events/uprobes.c, access_remote_vm in mm/memory.c). What was
 * counted before our write has changed its site by then, and after the look, which reads code
 * before data, as they lie; so of all the changes of sites those are lost that the count now does
 * not show.
 *
 * Where that makes no sense others count, too, and it is left alone. An int3 need not count: that
 * one has gone takes nothing away where that could be a part of those who still hold sites.
 */
int64_t verify_lost(
	const struct verify *l, const struct verify_batch *b, size_t i, struct verify_change made)
{
	const struct verify_events v = verify_events(l, b, i);
	struct probes_error ignored;
	int64_t counted, lost;

	if ((!v.came && !v.gone) || v.unseen || !verify_got(l, b, l->count[i], 2))
		return 0;
	/* Other code is mapped there now: bytes that look like uprobes are part of it. */
	if (verify_at_guard(l, b, i, &ignored) < 0)
		return 0;
	counted = (int64_t)edit_value(l->bytes + l->count[i]) - made.to;
	lost = v.came - v.gone - counted;
	if (lost > v.came || lost < -v.gone)
		return 0;
	if (lost < 0 && (made.from < v.held + v.gone - v.came || made.to + counted + lost < v.held))
		return 0;
	return lost;
}
