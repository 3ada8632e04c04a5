/*
 * What a plan looks at in the process, and what it says. Changes nothing there. What is found was
 * laid out before: while a process stands still nothing is allocated here.
 */
#include "patch/look.h"

#include "base/error.h"
#include "base/order.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_GAP 256
#define LOOK_LONGEST (1 << 20)
#define LOOK_NEAR 8 /* writes before one among which its site is looked for */

/* One thing to look at, for laying out in the order of addresses. */
struct look_wish {
	uint64_t address;
	size_t length;
	uint32_t *offset;
};

static const struct plan_check *look_check(const struct look *l, size_t i)
{
	return ARRAY_AT(&l->plan->checks, struct plan_check, i);
}

static const struct plan_witness *look_witness(const struct look *l, size_t i)
{
	return ARRAY_AT(&l->plan->witnesses, struct plan_witness, i);
}

/* ---- laying out ---- */

/* The site that is looked at for a write, 0: none. */
static uint64_t look_site(const struct look *l, size_t i)
{
	const struct probes_write *w = look_write(l, i);

	return w->is_site ? w->address - SITE_SWITCH : look_check(l, i)->guard;
}

/* A write just before this one that looks at the same site, as those of one probe do; or i. */
static size_t look_same(const struct look *l, const struct look_batch *b, size_t i)
{
	uint64_t site = look_site(l, i);

	for (size_t k = i; k-- > b->first && i - k <= LOOK_NEAR;) {
		if (look_write(l, k)->probe != look_write(l, i)->probe)
			break;
		if (look_site(l, k) == site)
			return k;
	}
	return i;
}

/* All that is to be looked at for one write. */
static bool look_want(struct look *l, const struct look_batch *b, size_t i, struct array *looks)
{
	const struct probes_write *w = look_write(l, i);
	const struct plan_check *c = look_check(l, i);
	uint64_t site = look_site(l, i);
	struct look_wish *look;

	if (!array_reserve(looks, 2 + (size_t)c->witness_count))
		return false;
	look = (struct look_wish *)looks->data + looks->count;
	if (site && look_same(l, b, i) == i)
		*look++ = (struct look_wish){site, SITE_BYTES, &l->site[i]};
	if (!w->is_site)
		*look++ = (struct look_wish){w->address, w->length, &l->count[i]};
	for (uint32_t k = c->witness; k < c->witness + c->witness_count; k++)
		*look++ = (struct look_wish){look_witness(l, k)->address, 1, &l->witness[k]};
	looks->count = (size_t)(look - (struct look_wish *)looks->data);
	return true;
}

/* `looks` is emptied first: it is there to be used again. */
static bool look_lay_out(struct look *l, struct look_batch *b, struct array *looks)
{
	bool fits = true;

	looks->count = 0;
	for (size_t i = b->first; fits && i < b->first + b->count; i++)
		fits = look_want(l, b, i, looks);
	fits = fits && order_by_number(looks->data, looks->count, looks->size,
			       offsetof(struct look_wish, address));
	for (size_t i = 0; fits && i < looks->count; i++) {
		const struct look_wish *look = ARRAY_AT(looks, struct look_wish, i);
		size_t offset = spans_add(&b->spans, look->address, look->length);

		*look->offset = (uint32_t)offset;
		fits = offset <= UINT32_MAX;
	}
	for (size_t i = b->first; i < b->first + b->count; i++)
		l->site[i] = l->site[look_same(l, b, i)];
	return fits;
}

static size_t look_count_batch(const struct look *l, size_t first)
{
	size_t left = l->plan->writes.count - first, most = LOOK_BATCH, n = 0;

	while (n < left && n < most && (n == 0 || !look_check(l, first + n)->cut)) {
		const struct plan_check *c = look_check(l, first + n++);

		if (c->guard_counts || c->witness_count)
			most = LOOK_BATCH_SHARED;
	}
	return n;
}

static struct look_batch *look_add_batch(struct look *l, size_t first)
{
	struct look_batch *b = array_add(&l->batches);

	if (!b)
		return NULL;
	b->first = first;
	b->count = look_count_batch(l, first);
	spans_init(&b->spans, LOOK_GAP, LOOK_LONGEST);
	return b;
}

static bool look_lay_out_all(struct look *l)
{
	size_t largest = 1, end;
	struct array looks;
	bool fits = true;

	array_init(&looks, sizeof(struct look_wish));
	for (size_t at = 0; fits && at < l->plan->writes.count; at = end) {
		struct look_batch *b = look_add_batch(l, at);

		fits = b && look_lay_out(l, b, &looks);
		end = at + (fits ? b->count : 0);
		largest = fits && b->spans.total > largest ? b->spans.total : largest;
	}
	array_done(&looks);
	l->bytes = fits ? malloc(largest) : NULL;
	return l->bytes;
}

bool look_init(struct look *l, const struct plan *plan)
{
	*l = (struct look){.plan = plan};
	array_init(&l->batches, sizeof(struct look_batch));
	l->site = calloc(plan->writes.count + 1, sizeof *l->site);
	l->count = malloc((plan->writes.count + 1) * sizeof *l->count);
	l->witness = malloc((plan->witnesses.count + 1) * sizeof *l->witness);
	l->seen = malloc(plan->witnesses.count + 1);
	if (l->site && l->count && l->witness && l->seen && look_lay_out_all(l))
		return true;
	look_done(l);
	return false;
}

void look_done(struct look *l)
{
	for (size_t i = 0; i < l->batches.count; i++)
		spans_done(&look_batch(l, i)->spans);
	array_done(&l->batches);
	free(l->site);
	free(l->count);
	free(l->witness);
	free(l->seen);
	free(l->bytes);
	*l = (struct look){.plan = l->plan};
}

/* ---- errors ---- */

int look_failed(const struct probes_write *w, int code, const char *doing, struct probes_error *e)
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

static void look_hex(const unsigned char *bytes, size_t count, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

static int look_mismatch(uint64_t address, const unsigned char *expected,
	const unsigned char *found, size_t length, struct probes_error *e)
{
	char want[2 * PLAN_LOOK + 1], have[2 * PLAN_LOOK + 1];

	look_hex(expected, length, want);
	look_hex(found, length, have);
	error_set(e, PROBES_REFUSED, -EBUSY, "refused to write in the process");
	error_why(e, "0x%llx holds %s where %s was expected: somebody else changed it",
		(unsigned long long)address, have, want);
	return error_hint(e, "look again; nothing was changed");
}

/* ---- comparing ---- */

static bool look_got(
	const struct look *l, const struct look_batch *b, uint32_t offset, size_t length)
{
	return l->whole || spans_got(&b->spans, offset, length) == length;
}

/* The byte of a site, and those behind it, which nobody's switching changes. */
int look_at_site(const struct look *l, const struct look_batch *b, size_t i, uint8_t byte,
	struct probes_error *e)
{
	const struct plan_check *c = look_check(l, i);
	const unsigned char *found = l->bytes + l->site[i] + SITE_SWITCH;
	uint8_t expected[PLAN_LOOK] = {byte};

	if (!look_got(l, b, l->site[i], SITE_BYTES))
		return look_failed(look_write(l, i), -EFAULT, "read what is at", e);
	memcpy(expected + 1, c->bytes + SITE_SWITCH + 1, SITE_FOLLOWING);
	return memcmp(found, expected, PLAN_LOOK)
		       ? look_mismatch(look_write(l, i)->address, expected, found, PLAN_LOOK, e)
		       : 0;
}

/* Is the code of the sites of this count still mapped where it was? */
static int look_at_guard(
	const struct look *l, const struct look_batch *b, size_t i, struct probes_error *e)
{
	const struct plan_check *c = look_check(l, i);
	const unsigned char *found;

	if (!c->guard)
		return 0;
	if (!look_got(l, b, l->site[i], SITE_BYTES))
		return look_failed(look_write(l, i), -EFAULT, "read what is at", e);
	found = l->bytes + l->site[i] + c->guard_at;
	return memcmp(found, c->bytes + c->guard_at, SITE_FOLLOWING)
		       ? look_mismatch(c->guard + c->guard_at, c->bytes + c->guard_at, found,
				 SITE_FOLLOWING, e)
		       : 0;
}

/* A count, and what proves that it is still that count. */
static int look_at_count(
	const struct look *l, const struct look_batch *b, size_t i, struct probes_error *e)
{
	const struct probes_write *w = look_write(l, i);
	const unsigned char *found = l->bytes + l->count[i];

	if (!look_got(l, b, l->count[i], sizeof w->old))
		return look_failed(w, -EFAULT, "read what is at", e);
	if (memcmp(found, w->old, sizeof w->old))
		return look_mismatch(w->address, w->old, found, sizeof w->old, e);
	return look_at_guard(l, b, i, e);
}

/* ---- who else holds sites ---- */

enum look_seen { LOOK_FREE, LOOK_HELD, LOOK_UNSEEN };

static uint8_t look_see(
	const struct look *l, const struct look_batch *b, uint32_t offset, uint8_t own)
{
	if (!look_got(l, b, offset, 1))
		return LOOK_UNSEEN;
	return l->bytes[offset] == own ? LOOK_FREE : LOOK_HELD;
}

static uint8_t look_see_guard(const struct look *l, const struct look_batch *b, size_t i)
{
	return look_see(l, b, l->site[i], look_check(l, i)->bytes[0]);
}

static uint8_t look_see_witness(const struct look *l, const struct look_batch *b, uint32_t k)
{
	return look_see(l, b, l->witness[k], look_witness(l, k)->own);
}

/* A site that cannot be read may be held. */
bool look_note(struct look *l, const struct look_batch *b, size_t i, struct look_count *seen)
{
	const struct plan_check *c = look_check(l, i);
	struct probes_error ignored;

	*seen = (struct look_count){0};
	if (c->guard_counts) {
		l->guard_seen[i - b->first] = look_see_guard(l, b, i);
		seen->held = l->guard_seen[i - b->first] != LOOK_FREE;
	}
	for (uint32_t k = c->witness; k < c->witness + c->witness_count; k++) {
		l->seen[k] = look_see_witness(l, b, k);
		seen->held += l->seen[k] != LOOK_FREE;
	}
	if (!look_got(l, b, l->count[i], 2))
		return false;
	seen->value = plan_count(l->bytes + l->count[i]);
	return look_at_guard(l, b, i, &ignored) == 0;
}

/* Has a uprobe come since the plan, so that this write would take its part? */
static int look_at_holders(
	struct look *l, const struct look_batch *b, size_t i, struct probes_error *e)
{
	const struct probes_write *w = look_write(l, i);
	unsigned to = plan_count(w->new_);
	struct look_count seen;

	if (!look_note(l, b, i, &seen) || to >= plan_count(w->old) || to >= seen.held)
		return 0;
	error_set(e, PROBES_REFUSED, -EBUSY, "refused to write in the process");
	error_why(e,
		"the count at 0x%llx would become %u, but %u of its sites are held by "
		"uprobes (or breakpoints) now",
		(unsigned long long)w->address, to, seen.held);
	return error_hint(e, "look again; nothing was changed");
}

/* What has happened to the witnesses of a count since. */
struct look_events {
	int64_t came, gone, held;
	bool unseen;
};

static void look_event(struct look_events *v, uint8_t before, uint8_t now)
{
	v->came += before == LOOK_FREE && now == LOOK_HELD;
	v->gone += before == LOOK_HELD && now == LOOK_FREE;
	v->held += now == LOOK_HELD;
	v->unseen = v->unseen || before == LOOK_UNSEEN || now == LOOK_UNSEEN;
}

static struct look_events look_events(const struct look *l, const struct look_batch *b, size_t i)
{
	const struct plan_check *c = look_check(l, i);
	struct look_events v = {0};

	if (c->guard_counts)
		look_event(&v, l->guard_seen[i - b->first], look_see_guard(l, b, i));
	for (uint32_t k = c->witness; k < c->witness + c->witness_count; k++)
		look_event(&v, l->seen[k], look_see_witness(l, b, k));
	return v;
}

/* ---- looking ---- */

int look_again(struct look *l, struct look_batch *b, struct memory *m, struct probes_error *e)
{
	int r = m->ops->read(m, &b->spans, l->bytes);

	l->whole = r == 0 && spans_whole(&b->spans);
	return r < 0 ? look_failed(look_write(l, b->first), r, "read what is at", e) : 0;
}

int look_before(struct look *l, struct look_batch *b, struct memory *m, struct probes_error *e)
{
	int r = look_again(l, b, m, e);

	for (size_t i = 0; r == 0 && i < b->count; i++) {
		size_t at = b->first + i;
		const struct probes_write *w = look_write(l, at);

		if (w->is_site)
			r = look_at_site(l, b, at, w->old[0], e);
		else if ((r = look_at_count(l, b, at, e)) == 0)
			r = look_at_holders(l, b, at, e);
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
int64_t look_lost(
	const struct look *l, const struct look_batch *b, size_t i, struct look_change made)
{
	const struct look_events v = look_events(l, b, i);
	struct probes_error ignored;
	int64_t counted, lost;

	if ((!v.came && !v.gone) || v.unseen || !look_got(l, b, l->count[i], 2))
		return 0;
	/* Other code is mapped there now: bytes that look like uprobes are part of it. */
	if (look_at_guard(l, b, i, &ignored) < 0)
		return 0;
	counted = (int64_t)plan_count(l->bytes + l->count[i]) - made.to;
	lost = v.came - v.gone - counted;
	if (lost > v.came || lost < -v.gone)
		return 0;
	if (lost < 0 && (made.from < v.held + v.gone - v.came || made.to + counted + lost < v.held))
		return 0;
	return lost;
}
