/*
 * Checks a plan of src/count against its promises, as a processor would find out: it applies the
 * bytes to a copy of the code, puts there what others may put there, follows each jump to its
 * landing, decodes that, and must arrive where the plan says. Knows nothing of how the planner
 * works; for unit tests and the fuzzer.
 */
#ifndef UNIT_TACTICS_CHECK_H
#define UNIT_TACTICS_CHECK_H

#include "count/tactics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#endif

#define CHECK_START UINT64_C(0x10000)
#define CHECK_END UINT64_C(0x7ffffffff000)

/* What the space was before the plan. */
struct tactics_before {
	struct array taken, pages;
	size_t room;
};

struct tactics_checker {
	const struct tactics *t;
	const struct tactics_before *before;
	const struct tactics_space *after;
	struct tactics_landing *landings; /* ascending */
	size_t values;                    /* images that were executed */
	char broken[300];                 /* the first promise that is broken */
};

#define TACTICS_PROMISE(c, promise, ...)                                               \
	do {                                                                           \
		if (!(promise) && !*(c)->broken) {                                     \
			int said = snprintf((c)->broken, sizeof(c)->broken,            \
				"%s:%d: %s: ", __FILE__, __LINE__, #promise);          \
			snprintf((c)->broken + said, sizeof(c)->broken - (size_t)said, \
				__VA_ARGS__);                                          \
		}                                                                      \
	} while (0)

static void tactics_copy(struct array *to, const struct array *from)
{
	*to = (struct array){.size = from->size};
	if (from->count && array_reserve(to, from->count))
		memcpy(to->data, from->data, from->count * from->size);
	to->count = to->data ? from->count : 0;
}

static void tactics_before_init(struct tactics_before *b, const struct tactics_space *space)
{
	tactics_copy(&b->taken, &space->taken);
	tactics_copy(&b->pages, &space->pages);
	b->room = space->room;
}

static void tactics_before_done(struct tactics_before *b)
{
	array_done(&b->taken);
	array_done(&b->pages);
}

static bool tactics_meets(const struct array *ranges, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < ranges->count; i++) {
		const struct tactics_range *r = ARRAY_AT(ranges, struct tactics_range, i);

		if (r->start < end && start < r->end)
			return true;
	}
	return false;
}

static struct tactics_page *tactics_page_of(const struct array *pages, uint64_t address)
{
	for (size_t i = 0; i < pages->count; i++) {
		struct tactics_page *p = ARRAY_AT(pages, struct tactics_page, i);

		if (p->address == address - address % TACTICS_PAGE)
			return p;
	}
	return NULL;
}

static bool tactics_bit(const struct tactics_page *p, uint64_t address)
{
	return p && p->used[address % TACTICS_PAGE / 8] >> address % 8 & 1;
}

/* ---------------------------------------------------------------- the processor */

static int tactics_compare_landings(const void *a, const void *b)
{
	const struct tactics_landing *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Where execution goes from a landing at just this address; 0: there is none, or other code. */
static uint64_t tactics_land_at(const struct tactics_checker *c, uint64_t address)
{
	static const uint8_t through[] = {0xff, 0x25, 0, 0, 0, 0};

	for (int steps = 0; steps < 100; steps++) {
		struct tactics_landing key = {.address = address};
		const struct tactics_landing *l = bsearch(&key, c->landings, c->t->landings.count,
			sizeof *c->landings, tactics_compare_landings);
		uint8_t code[TACTICS_LANDING_BYTES];
		uint64_t target;
		int32_t rel;
		size_t nops = 0;

		if (!l)
			return 0;
		tactics_write_landing(l, code);
		while (nops < l->size && code[nops] == 0x90)
			nops++;
		if (nops == l->size) {
			address += nops;
			continue;
		}
		if (!nops && l->size >= 5 && code[0] == 0xe9) {
			memcpy(&rel, code + 1, sizeof rel);
			return address + 5 + (uint64_t)(int64_t)rel;
		}
		if (nops || l->size < 14 || memcmp(code, through, sizeof through))
			return 0;
		memcpy(&target, code + 6, sizeof target);
		return target;
	}
	return 0;
}

static uint64_t tactics_jump_from(const uint8_t *code, uint64_t address)
{
	int32_t rel;

	memcpy(&rel, code + 1, sizeof rel);
	return code[0] == 0xe9 ? address + 5 + (uint64_t)(int64_t)rel : 0;
}

static size_t tactics_length_of(const uint8_t *bytes, size_t size)
{
#ifdef HAVE_ZYDIS
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction d;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &d, operands)))
		return d.length;
#endif
	(void)bytes;
	(void)size;
	return 0;
}

/* ---------------------------------------------------------------- one site */

/* A site under the eyes of the processor. */
struct tactics_image {
	const struct tactics_site *site;
	uint8_t code[TACTICS_BYTES]; /* with the new bytes */
	bool other[8], start[8];     /* another site, an instruction at + i */
	uint64_t displaced;          /* where the displaced successor is, as found */
};

static void tactics_execute(struct tactics_checker *c, struct tactics_image *image, bool breakpoint)
{
	const struct tactics_site *s = image->site;
	uint64_t arrived = tactics_land_at(c, tactics_jump_from(image->code, s->address));

	/* Exposed to breakpoints: then nothing of ours may lie there that leads elsewhere. */
	if (breakpoint && s->exposed && !arrived)
		arrived = s->trampoline;
	c->values++;
	TACTICS_PROMISE(c, arrived == s->trampoline,
		"site %lx: %02x %02x %02x %02x %02x goes to %lx, not to %lx", s->address,
		image->code[0], image->code[1], image->code[2], image->code[3], image->code[4],
		arrived, s->trampoline);
	if (s->tactic != PROBES_TACTIC_EVICTED || image->code[1] == 0xcc)
		return;
	arrived = tactics_land_at(c, tactics_jump_from(image->code + 1, s->address + 1));
	if (breakpoint && s->exposed && !arrived)
		return;
	if (!image->displaced)
		image->displaced = arrived;
	TACTICS_PROMISE(c, arrived && arrived == image->displaced,
		"site %lx: + 1 goes to %lx, not to %lx", s->address, arrived, image->displaced);
}

/* Each value of the bytes from + at on. */
static void tactics_images(
	struct tactics_checker *c, struct tactics_image *image, size_t at, bool breakpoint)
{
	size_t end = image->site->tactic == PROBES_TACTIC_EVICTED ? 6 : 5;
	uint8_t was = image->code[at];

	if (at == end) {
		tactics_execute(c, image, breakpoint);
		return;
	}
	tactics_images(c, image, at + 1, breakpoint);
	if (image->other[at]) {
		static const uint8_t values[] = {0x90, 0xe9, 0xcc};

		for (int i = 0; i < 3; i++) {
			image->code[at] = values[i];
			tactics_images(c, image, at + 1, breakpoint);
		}
	} else if (image->start[at] && !breakpoint) {
		image->code[at] = 0xcc;
		tactics_images(c, image, at + 1, true);
	}
	image->code[at] = was;
}

static void tactics_check_trampoline(struct tactics_checker *c, const struct tactics_image *image,
	const uint8_t original[TACTICS_BYTES])
{
	const struct tactics *t = c->t;
	const struct tactics_site *s = image->site;
	uint64_t begin = t->arena + TACTICS_OWN_BYTES + t->data_size, end = begin + t->code_size;
	struct arch_counter counter = {.shared = s->counter,
		.slots = s->counter + TACTICS_SLOTS_AT,
		.slot_count = TACTICS_SLOTS,
		.cookie = t->arena,
		.role = s->counter + TACTICS_ROLE_AT,
		.recorder = recorder_entry(begin)};
	uint8_t code[ARCH_TRAMPOLINE_BYTES];
	size_t size = arch_trampoline_count(s->trampoline, &counter, code);
	const uint8_t *trampoline = t->code + (s->trampoline - begin);
	uint64_t next = s->address + 1;

	TACTICS_PROMISE(c, size && s->trampoline >= begin && s->trampoline + size <= end,
		"trampoline %lx", s->trampoline);
	if (*c->broken)
		return;
	TACTICS_PROMISE(
		c, !memcmp(trampoline, code, size), "site %lx: not the trampoline", s->address);
	TACTICS_PROMISE(c,
		s->counter >= t->arena + TACTICS_OWN_BYTES + t->head_size && s->counter % 64 == 0 &&
			s->counter + TACTICS_COUNTER_BYTES <= begin,
		"site %lx: counter %lx", s->address, s->counter);
	if (s->tactic == PROBES_TACTIC_EVICTED) {
		struct arch_displaced m;

		TACTICS_PROMISE(c, image->displaced == s->trampoline + size,
			"site %lx: the successor is at %lx", s->address, image->displaced);
		TACTICS_PROMISE(c,
			arch_displace(original + 1, s->code_size - 1u, next, s->trampoline + size,
				t->shadow_stack, &m) == ARCH_DISPLACED,
			"site %lx", s->address);
		TACTICS_PROMISE(c, s->trampoline + size + m.size <= end, "site %lx", s->address);
		if (*c->broken)
			return;
		TACTICS_PROMISE(c, !memcmp(trampoline + size, m.code, m.size),
			"site %lx: displaced", s->address);
		size += m.size;
		next += m.length;
		if (!m.continues)
			return;
	}
	TACTICS_PROMISE(c, s->trampoline + size + 5 <= end, "site %lx", s->address);
	if (!*c->broken)
		TACTICS_PROMISE(c,
			tactics_jump_from(trampoline + size, s->trampoline + size) == next,
			"site %lx: back to %lx", s->address,
			tactics_jump_from(trampoline + size, s->trampoline + size));
}

/* The bytes, and the code as it was before anybody counted. */
static void tactics_check_bytes(struct tactics_checker *c, const struct tactics_site *s,
	const uint8_t original[TACTICS_BYTES], const bool *start, uint64_t nearest)
{
	static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
	size_t length = tactics_length_of(original + 1, s->code_size - 1u);

	TACTICS_PROMISE(c, s->bytes[0] == 0xe9, "site %lx", s->address);
	TACTICS_PROMISE(c, !s->exposed || c->t->may_expose, "site %lx", s->address);
	/* Bytes behind those that are known may be any. */
	for (size_t i = 1; i < (s->tactic == PROBES_TACTIC_EVICTED ? 6 : 5); i++) {
		size_t known = s->code_size - i;

		TACTICS_PROMISE(c,
			s->exposed || !start[i] || !c->t->wide_nop ||
				memcmp(original + i, nop5,
					known < sizeof nop5 ? known : sizeof nop5),
			"site %lx: a call may come to + %zu", s->address, i);
	}
	if (s->tactic == PROBES_TACTIC_PUNNED) {
		TACTICS_PROMISE(c, s->length == 1, "site %lx", s->address);
		return;
	}
	TACTICS_PROMISE(c,
		s->tactic == PROBES_TACTIC_EVICTED && s->length == 6 && s->code_size >= 6,
		"site %lx", s->address);
	TACTICS_PROMISE(c, c->t->may_evict && s->bytes[1] == 0xe9, "site %lx", s->address);
	TACTICS_PROMISE(c, s->address % TACTICS_PAGE + 6 <= TACTICS_PAGE, "site %lx", s->address);
	TACTICS_PROMISE(c, nearest >= 6 && nearest > length, "site %lx: %lu to the next",
		s->address, nearest);
	for (size_t i = 1 + length; i < 6; i++)
		TACTICS_PROMISE(
			c, s->bytes[i] == s->code[i], "site %lx: + %zu changes", s->address, i);
}

/* A call of an OCaml site: to its trampoline, which goes on at the handler or returns. */
static void tactics_check_call(struct tactics_checker *c, size_t i)
{
	const struct tactics *t = c->t;
	const struct tactics_site *s = &t->sites[i];
	uint64_t begin = t->arena + TACTICS_OWN_BYTES + t->data_size;
	struct arch_counter counter = {.shared = s->counter,
		.slots = s->counter + TACTICS_SLOTS_AT,
		.slot_count = TACTICS_SLOTS,
		.cookie = t->arena,
		.role = s->counter + TACTICS_ROLE_AT,
		.recorder = recorder_entry(begin),
		.called = true};
	uint8_t code[ARCH_TRAMPOLINE_BYTES], run[ARCH_TRAMPOLINE_RUN_BYTES];
	size_t size = arch_trampoline_count(s->trampoline, &counter, code);
	size_t rest = arch_trampoline_run(s->trampoline + size, s->semaphore, s->handler, run);
	int32_t rel;

	TACTICS_PROMISE(c, s->whole && s->length == 6 && s->code_size >= 6 && !s->landings,
		"site %lx", s->address);
	TACTICS_PROMISE(c, s->code[0] == 0x90 && (s->code[1] == 0x3d || s->code[1] == 0xe8),
		"site %lx is no OCaml site", s->address);
	memcpy(&rel, s->bytes + 2, sizeof rel);
	TACTICS_PROMISE(c,
		s->bytes[0] == 0x90 && s->bytes[1] == 0xe8 &&
			s->address + 6 + (uint64_t)(int64_t)rel == s->trampoline,
		"site %lx does not call its trampoline", s->address);
	TACTICS_PROMISE(c,
		size && rest && s->trampoline >= begin &&
			s->trampoline + size + rest <= begin + t->code_size,
		"site %lx: trampoline %lx", s->address, s->trampoline);
	if (!*c->broken)
		TACTICS_PROMISE(c,
			!memcmp(t->code + (s->trampoline - begin), code, size) &&
				!memcmp(t->code + (s->trampoline - begin) + size, run, rest),
			"site %lx: not the trampoline", s->address);
	for (size_t j = 0; j < t->count; j++)
		TACTICS_PROMISE(c, j == i || t->sites[j].address - s->address >= 6,
			"site %lx lies in %lx", t->sites[j].address, s->address);
}

static void tactics_check_site(struct tactics_checker *c, size_t i)
{
	const struct tactics_site *s = &c->t->sites[i];
	struct tactics_image image = {.site = s};
	uint8_t original[TACTICS_BYTES] = {0};
	size_t size = s->code_size < TACTICS_BYTES ? s->code_size : TACTICS_BYTES;
	uint64_t nearest = UINT64_MAX;

	TACTICS_PROMISE(c, s->code_size >= 5 && s->code[0] == 0x90, "site %lx", s->address);
	memcpy(original, s->code, size);
	for (size_t j = 0; j < c->t->count; j++) {
		const struct tactics_site *o = &c->t->sites[j];
		uint64_t behind = o->address - s->address, before = s->address - o->address;

		if (j == i)
			continue;
		nearest = behind < nearest ? behind : nearest;
		nearest = before < nearest ? before : nearest;
		if (behind && behind < 8)
			image.other[behind] = true;
		if (behind && behind < size)
			original[behind] = 0x90;
		TACTICS_PROMISE(c, !o->whole || (behind >= 5 && before >= 6),
			"site %lx relies on a whole one", s->address);
	}
	for (size_t at = 1; at < 6;) {
		size_t length = at < size ? tactics_length_of(original + at, size - at) : 0;

		image.start[at] = true;
		TACTICS_PROMISE(
			c, image.other[at] || original[at] != 0xcc, "site %lx: int3", s->address);
		at += length ? length : 1;
	}
	tactics_check_bytes(c, s, original, image.start, nearest);
	memcpy(image.code, s->code, size);
	memcpy(image.code, s->bytes, s->length);
	if (!*c->broken)
		tactics_images(c, &image, 1, false);
	if (!*c->broken)
		tactics_check_trampoline(c, &image, original);
}

/* ---------------------------------------------------------------- the whole */

static void tactics_check_arena(struct tactics_checker *c)
{
	const struct tactics *t = c->t;
	uint64_t end = t->arena + TACTICS_OWN_BYTES + t->data_size + t->code_size;
	uint64_t low = t->low < t->arena ? t->low : t->arena, high = t->high > end ? t->high : end;

	TACTICS_PROMISE(c, t->arena % TACTICS_PAGE == 0 && t->arena >= CHECK_START, "arena");
	TACTICS_PROMISE(c, end > t->arena && end <= CHECK_END, "arena");
	TACTICS_PROMISE(c, !tactics_meets(&c->before->taken, t->arena, end), "arena taken");
	TACTICS_PROMISE(c, end <= t->low || t->arena >= t->high, "arena in the object");
	TACTICS_PROMISE(c, high - low < UINT64_C(1) << 31, "arena far away");
	for (size_t i = 0; i < c->before->pages.count; i++) {
		uint64_t page = ARRAY_AT(&c->before->pages, struct tactics_page, i)->address;

		TACTICS_PROMISE(c, page + TACTICS_PAGE <= t->arena || page >= end, "arena, page");
	}
	for (size_t i = 0; i < t->count; i++) {
		const struct tactics_site *s = &t->sites[i];

		for (size_t j = 0; s->trampoline && j < i; j++) {
			const struct tactics_site *o = &t->sites[j];
			uint64_t trampolines = s->trampoline > o->trampoline
						       ? s->trampoline - o->trampoline
						       : o->trampoline - s->trampoline;
			uint64_t counters = s->counter > o->counter ? s->counter - o->counter
								    : o->counter - s->counter;

			TACTICS_PROMISE(c,
				!o->trampoline ||
					(trampolines > 100 && counters >= TACTICS_COUNTER_BYTES),
				"sites %lx and %lx overlap", s->address, o->address);
		}
	}
}

static void tactics_check_landings(struct tactics_checker *c)
{
	const struct tactics *t = c->t;
	uint64_t end = t->arena + TACTICS_OWN_BYTES + t->data_size + t->code_size;

	for (size_t i = 0; i < t->landings.count; i++) {
		const struct tactics_landing *l = &c->landings[i];
		const struct tactics_page *page = tactics_page_of(&c->after->pages, l->address),
					  *was = tactics_page_of(&c->before->pages, l->address);

		TACTICS_PROMISE(c, l->size && l->size <= TACTICS_LANDING_BYTES, "size");
		TACTICS_PROMISE(
			c, l->address >= CHECK_START && l->address < CHECK_END, "%lx", l->address);
		TACTICS_PROMISE(
			c, l->address % TACTICS_PAGE + l->size <= TACTICS_PAGE, "%lx", l->address);
		TACTICS_PROMISE(c,
			i + 1 == t->landings.count || l->address + l->size <= l[1].address,
			"%lx overlaps", l->address);
		TACTICS_PROMISE(c, l->address + l->size <= t->arena || l->address >= end,
			"%lx in the arena", l->address);
		TACTICS_PROMISE(c,
			was || !tactics_meets(&c->before->taken, l->address, l->address + 1),
			"%lx is taken", l->address);
		TACTICS_PROMISE(c, page, "%lx has no page", l->address);
		for (size_t k = 0; page && k < l->size; k++)
			TACTICS_PROMISE(c,
				tactics_bit(page, l->address + k) &&
					!tactics_bit(was, l->address + k),
				"%lx is used", l->address);
	}
}

static void tactics_check_space(struct tactics_checker *c)
{
	const struct array *taken = &c->after->taken, *pages = &c->after->pages;
	size_t fresh = 0;

	for (size_t i = 0; i < taken->count; i++) {
		const struct tactics_range *r = ARRAY_AT(taken, struct tactics_range, i);

		TACTICS_PROMISE(c, r->start < r->end && (!i || r[-1].end < r->start), "taken");
	}
	for (size_t i = 0; i < c->before->taken.count; i++) {
		const struct tactics_range *r =
			ARRAY_AT(&c->before->taken, struct tactics_range, i);

		TACTICS_PROMISE(c, tactics_meets(taken, r->start, r->start + 1), "given back");
	}
	for (size_t i = 0; i < pages->count; i++) {
		const struct tactics_page *p = ARRAY_AT(pages, struct tactics_page, i);

		TACTICS_PROMISE(c, !i || p[-1].address < p->address, "pages ascend");
		TACTICS_PROMISE(c, tactics_meets(taken, p->address, p->address + 1), "page free");
		fresh += !tactics_page_of(&c->before->pages, p->address);
	}
	TACTICS_PROMISE(c,
		pages->count == c->before->pages.count + fresh &&
			c->after->room == c->before->room - fresh && fresh <= c->before->room,
		"%zu new pages", fresh);
	TACTICS_PROMISE(c, !c->t->arena || tactics_meets(taken, c->t->arena, c->t->arena + 1),
		"the arena is free");
}

/* NULL: all promises are kept. Else which is broken; valid until the next call. */
static const char *tactics_check(const struct tactics *t, const struct tactics_before *before,
	const struct tactics_space *after)
{
	static struct tactics_checker c;
	size_t planned = 0;

	c = (struct tactics_checker){.t = t, .before = before, .after = after};
	c.landings = malloc((t->landings.count + 1) * sizeof *c.landings);
	if (!c.landings)
		return "no memory";
	if (t->landings.count)
		memcpy(c.landings, t->landings.data, t->landings.count * sizeof *c.landings);
	qsort(c.landings, t->landings.count, sizeof *c.landings, tactics_compare_landings);
	for (size_t i = 0; i < t->count; i++)
		planned += t->sites[i].wanted && t->sites[i].result == TACTICS_PLANNED;
	TACTICS_PROMISE(&c,
		planned == t->planned && !planned == !t->arena &&
			(planned || (!t->code && !t->landings.count)),
		"%zu planned", planned);
	if (planned)
		tactics_check_arena(&c);
	tactics_check_landings(&c);
	tactics_check_space(&c);
	for (size_t i = 0; i < t->count; i++) {
		const struct tactics_site *s = &t->sites[i];

		if (s->wanted && s->result == TACTICS_PLANNED && s->tactic == PROBES_TACTIC_OCAML)
			tactics_check_call(&c, i);
		else if (s->wanted && s->result == TACTICS_PLANNED)
			tactics_check_site(&c, i);
		TACTICS_PROMISE(&c,
			!s->wanted || !*tactics_why(s) == (s->result == TACTICS_PLANNED),
			"site %lx: no reason", s->address);
	}
	free(c.landings);
	return *c.broken ? c.broken : NULL;
}

#endif
