/*
 * The plan of one object: all sites first for the tactic that needs no stop, then those that are
 * left. Pure.
 */
#include "count/tactics.h"

#include <stdlib.h>

#define TACTICS_TRAMPOLINE_BYTES \
	256 /* at most: ARCH_TRAMPOLINE_BYTES, ARCH_MOVED_BYTES, ARCH_JUMP_BYTES */
#define TACTICS_TRAMPOLINE_ALIGN 16
#define TACTICS_CACHE_LINE 64
#define TACTICS_REACH ((UINT64_C(1) << 31) - TACTICS_PAGE)
#define TACTICS_TRIES                                                              \
	(1 << 20) /* of bytes of evicted sites, before only few are tried for each \
		   */

_Static_assert(
	TACTICS_TRAMPOLINE_BYTES >= ARCH_TRAMPOLINE_BYTES + ARCH_MOVED_BYTES + ARCH_JUMP_BYTES &&
		TACTICS_TRAMPOLINE_BYTES % TACTICS_TRAMPOLINE_ALIGN == 0,
	"a trampoline has room for all its parts");

struct tactics_planner {
	struct tactics *t;
	struct tactics_space *space;
	struct tactics_search search;
	uint64_t code, recorder;      /* addresses */
	uint64_t counter, trampoline; /* the next ones */
	bool no_memory;
};

/* A site and what is around it. */
struct tactics_around {
	uint8_t bytes[TACTICS_BYTES]; /* its code, with a nop at each other site */
	size_t size;
	struct tactics_code code;
	bool unsteady;    /* it would rely on bytes of another site that may become anything */
	uint64_t nearest; /* distance to the nearest other site; TACTICS_BYTES: that or more */
};

static uint64_t tactics_round(uint64_t size, uint64_t unit)
{
	return (size + unit - 1) / unit * unit;
}

/* ---------------------------------------------------------------- what is around a site */

static void tactics_neighbours(const struct tactics *t, size_t i, struct tactics_around *a)
{
	const struct tactics_site *s = &t->sites[i];

	for (size_t j = i; j-- > 0 && s->address - t->sites[j].address < TACTICS_BYTES;) {
		uint64_t distance = s->address - t->sites[j].address;

		a->nearest = distance < a->nearest ? distance : a->nearest;
		a->unsteady |= t->sites[j].whole && distance < ARCH_SITE_BYTES;
	}
	for (size_t j = i + 1; j < t->count; j++) {
		uint64_t distance = t->sites[j].address - s->address;
		uint8_t first; /* of a site that is not counted, counted, or held */

		if (distance >= TACTICS_BYTES)
			break;
		first = s->code[distance];
		a->nearest = distance < a->nearest ? distance : a->nearest;
		a->unsteady |= distance < ARCH_JUMP_BYTES &&
			       (t->sites[j].whole || (first != ARCH_NOP && first != ARCH_JUMP &&
							     first != ARCH_BREAKPOINT));
		if (distance && distance < a->size)
			a->bytes[distance] = ARCH_NOP;
		if (distance && distance <= TACTICS_RELIED)
			a->code.site[distance - 1] = true;
	}
}

static enum tactics_result tactics_look(const struct tactics *t, size_t i, struct tactics_around *a)
{
	const struct tactics_site *s = &t->sites[i];
	struct arch_displaced m;

	*a = (struct tactics_around){.size = s->code_size, .nearest = TACTICS_BYTES};
	if (a->size > TACTICS_BYTES)
		a->size = TACTICS_BYTES;
	if (a->size < ARCH_JUMP_BYTES || s->address < TACTICS_SPACE_START ||
		s->address >= TACTICS_SPACE_END - TACTICS_BYTES)
		return TACTICS_SHORT;
	if (s->code[0] != ARCH_NOP)
		return TACTICS_FOREIGN;
	memcpy(a->bytes, s->code, a->size);
	tactics_neighbours(t, i, a);
	if (s->whole && a->nearest >= ARCH_SITE_BYTES && a->size >= ARCH_SITE_BYTES)
		return arch_is_site(&arch_site_ocaml, s->code) ? TACTICS_PLANNED : TACTICS_FOREIGN;
	if (s->whole || a->unsteady)
		return TACTICS_NEIGHBOUR;
	/* Instructions begin everywhere behind one that cannot be decoded. */
	for (size_t at = 1; at <= TACTICS_RELIED; at += m.length ? m.length : 1) {
		size_t size = at < a->size ? a->size - at : 0;
		uint8_t nop = arch_wide_nop(a->bytes + at, size);

		a->code.start[at - 1] = true;
		arch_displace(a->bytes + at, size, s->address + at, s->address + at, false, &m);
		/* Where the end of it cannot be read, it may be such a nop. */
		a->code.call[at - 1] = nop ? nop <= t->wide_nop : !m.length && size < t->wide_nop;
	}
	memcpy(a->code.bytes, a->bytes + 1, TACTICS_RELIED);
	for (size_t at = 0; at < TACTICS_RELIED; at++)
		if (a->code.start[at] && a->code.bytes[at] == ARCH_BREAKPOINT)
			return TACTICS_BREAKPOINT;
	return TACTICS_PLANNED;
}

/* ---------------------------------------------------------------- trampolines, and what is taken
 */

/*
 * Returns the size of what counts, at the beginning of the next trampoline; 0: out of reach.
 * `called`: the site calls it.
 */
static size_t tactics_write_count(const struct tactics_planner *p, bool called, uint8_t *out)
{
	struct arch_counter counter = {.shared = p->counter};

	if (arch_has_thread_pointer())
		counter = (struct arch_counter){.shared = p->counter,
			.slots = p->counter + TACTICS_SLOTS_AT,
			.slot_count = TACTICS_SLOTS,
			.cookie = p->t->arena,
			.role = p->counter + TACTICS_ROLE_AT,
			.recorder = recorder_entry(p->recorder)};
	counter.called = called;
	return arch_trampoline_count(p->trampoline, &counter, out);
}

/* Take what a site needs: its landings, its counter, its trampoline. */
static enum tactics_result tactics_commit(struct tactics_planner *p, struct tactics_site *s,
	enum probes_tactic tactic, const struct tactics_set *set, const uint8_t *trampoline,
	size_t size)
{
	size_t before = p->space->pages.count;

	s->landing = (uint32_t)p->t->landings.count;
	s->landings = (uint32_t)set->count;
	for (size_t i = 0; i < set->count; i++) {
		struct tactics_landing *l = array_add(&p->t->landings);

		if (!l || !tactics_space_land(p->space, set->list[i].address, set->list[i].size)) {
			p->no_memory = true;
			return TACTICS_NO_ROOM;
		}
		*l = set->list[i];
		tactics_search_note(&p->search, l->address);
	}
	p->space->room -= p->space->pages.count - before;
	memcpy(p->t->code + (p->trampoline - p->code), trampoline, size);
	s->tactic = tactic;
	s->exposed = set->lost;
	s->trampoline = p->trampoline;
	s->counter = p->counter;
	p->trampoline += tactics_round(size, TACTICS_TRAMPOLINE_ALIGN);
	p->counter += TACTICS_COUNTER_BYTES;
	p->t->planned++;
	return TACTICS_PLANNED;
}

static size_t tactics_recorder_size(void)
{
	return tactics_round(recorder_head_size(), TACTICS_TRAMPOLINE_ALIGN);
}

/* ---------------------------------------------------------------- the tactics */

static enum tactics_result tactics_pun(struct tactics_planner *p, size_t i, bool expose)
{
	struct tactics_site *s = &p->t->sites[i];
	uint8_t trampoline[TACTICS_TRAMPOLINE_BYTES];
	struct tactics_around a;
	struct tactics_set set;
	size_t size;

	if (tactics_look(p->t, i, &a) != TACTICS_PLANNED)
		return s->result;
	size = tactics_write_count(p, false, trampoline);
	tactics_set_init(&set);
	tactics_set_jump(&set, &a.code, 0, s->address + ARCH_JUMP_BYTES, p->trampoline);
	if (!size || !arch_jump(p->trampoline + size, s->address + 1, trampoline + size))
		return TACTICS_NO_ARENA;
	if (!tactics_set_fit(&set, p->space, &p->search.arena, expose))
		return TACTICS_NO_LANDING;
	if (set.pages > p->space->room)
		return TACTICS_NO_ROOM;
	if (expose && !p->t->may_expose)
		return TACTICS_EXPOSED;
	s->length = 1;
	memcpy(s->bytes, s->code, sizeof s->bytes);
	s->bytes[0] = ARCH_JUMP;
	return tactics_commit(p, s, PROBES_TACTIC_PUNNED, &set, trampoline, size + ARCH_JUMP_BYTES);
}

/*
 * The call of an OCaml site leads to a trampoline that counts, and then to the handler or back: its
 * bytes are those of a site that is on.
 */
static enum tactics_result tactics_call(struct tactics_planner *p, struct tactics_site *s)
{
	const struct tactics_set none = {.count = 0};
	uint8_t trampoline[TACTICS_TRAMPOLINE_BYTES];
	size_t size = tactics_write_count(p, true, trampoline), run;

	run = arch_trampoline_run(
		p->trampoline + size, s->semaphore, s->handler, trampoline + size);
	memcpy(s->bytes, s->code, sizeof s->bytes);
	if (!size || !run || !arch_call(s->address + 1, p->trampoline, s->bytes + 1))
		return TACTICS_NO_ARENA;
	s->length = ARCH_SITE_BYTES;
	return tactics_commit(p, s, PROBES_TACTIC_OCAML, &none, trampoline, size + run);
}

static enum tactics_result tactics_evict_site(struct tactics_planner *p, size_t i, bool expose)
{
	struct tactics_site *s = &p->t->sites[i];
	uint8_t trampoline[TACTICS_TRAMPOLINE_BYTES];
	size_t size = tactics_write_count(p, false, trampoline), displaced;
	struct tactics_around a;
	struct tactics_eviction e;
	struct arch_displaced m;
	uint64_t from = s->address + 1, to = p->trampoline + size;

	if (tactics_look(p->t, i, &a) != TACTICS_PLANNED)
		return s->result;
	if (a.nearest < ARCH_SITE_BYTES)
		return TACTICS_NEIGHBOUR;
	if (s->address % TACTICS_PAGE + ARCH_SITE_BYTES > TACTICS_PAGE)
		return TACTICS_PAGE_END;
	if (a.size < ARCH_SITE_BYTES)
		return TACTICS_SHORT;
	/* The displaced successor and its way back. */
	s->displaced = arch_displace(a.bytes + 1, a.size - 1, from, to, p->t->shadow_stack, &m);
	if (s->displaced != ARCH_DISPLACED)
		return TACTICS_INSTRUCTION;
	memcpy(trampoline + size, m.code, m.size);
	displaced = m.size;
	if (m.continues) {
		if (!arch_jump(to + m.size, from + m.length, trampoline + size + m.size)) {
			s->displaced = ARCH_DISPLACE_TOO_FAR;
			return TACTICS_INSTRUCTION;
		}
		displaced += ARCH_JUMP_BYTES;
	}
	if (tactics_faults(s) & p->t->handled)
		return TACTICS_FAULTS;
	/* Who counts another site there would change what was displaced. */
	if (a.nearest <= m.length)
		return TACTICS_NEIGHBOUR;

	e = (struct tactics_eviction){.pc = s->address,
		.trampoline = p->trampoline,
		.displaced = to,
		.code = a.code,
		.free = m.length > TACTICS_FREE ? TACTICS_FREE : m.length - 1u,
		.expose = expose};
	e.code.bytes[0] = ARCH_JUMP;
	if (!tactics_evict(&p->search, &e))
		return TACTICS_NO_LANDING;
	if (e.set.pages > p->space->room)
		return TACTICS_NO_ROOM;
	if (expose && !p->t->may_expose)
		return TACTICS_EXPOSED;
	if (!p->t->may_evict)
		return TACTICS_NEEDS_STOP;
	s->length = ARCH_SITE_BYTES;
	s->bytes[0] = s->bytes[1] = ARCH_JUMP;
	memcpy(s->bytes + 2, e.bytes, TACTICS_FREE);
	return tactics_commit(p, s, PROBES_TACTIC_EVICTED, &e.set, trampoline, size + displaced);
}

/* ---------------------------------------------------------------- the plan */

/* An arena with room for all sites that may get a plan. False: there is none. */
static bool tactics_find_arena(struct tactics_planner *p, size_t sites)
{
	struct tactics *t = p->t;
	uint64_t data, code, head = tactics_round(t->head_size, TACTICS_CACHE_LINE);
	uint64_t records = tactics_round(t->records_size, TACTICS_CACHE_LINE);

	if (t->low >= t->high || t->high > TACTICS_SPACE_END || t->head_size > TACTICS_REACH ||
		t->records_size > TACTICS_REACH || sites > TACTICS_REACH / TACTICS_COUNTER_BYTES)
		return false;
	data = tactics_round(head + sites * TACTICS_COUNTER_BYTES, TACTICS_PAGE) +
	       TACTICS_STATE_BYTES;
	code = tactics_round(
		records + tactics_recorder_size() + sites * TACTICS_TRAMPOLINE_BYTES, TACTICS_PAGE);
	if (t->gap)
		t->arena = tactics_space_near(p->space, t->low, t->high,
			TACTICS_OWN_BYTES + data + code + t->gap, TACTICS_REACH);
	if (!t->arena)
		t->arena = tactics_space_near(
			p->space, t->low, t->high, TACTICS_OWN_BYTES + data + code, TACTICS_REACH);
	if (!t->arena)
		return false;
	t->data_size = data;
	t->code_size = code;
	p->counter = t->arena + TACTICS_OWN_BYTES + head;
	p->code = t->arena + TACTICS_OWN_BYTES + data;
	p->recorder = p->code + records;
	p->trampoline = p->recorder + tactics_recorder_size();
	p->search.arena = (struct tactics_range){t->arena, p->code + code};
	t->code = malloc(code);
	p->no_memory = !t->code;
	if (t->code) {
		memset(t->code, ARCH_BREAKPOINT, code);
		return recorder_write_head(
			t->code + records, p->recorder, p->code - TACTICS_STATE_BYTES, t->arena);
	}
	return true;
}

/* May another tactic do for this site? */
static bool tactics_is_open(const struct tactics_site *s)
{
	return s->wanted && !s->trampoline && s->result != TACTICS_NEEDS_STOP &&
	       s->result != TACTICS_EXPOSED && s->result != TACTICS_NO_ARENA &&
	       s->result != TACTICS_NO_ROOM;
}

static void tactics_plan_all(struct tactics_planner *p)
{
	struct tactics *t = p->t;
	/* First what harms least, of what is allowed. */
	bool expose_first = t->may_expose && !t->may_evict;
	const struct {
		enum tactics_result (*plan)(struct tactics_planner *p, size_t i, bool expose);
		bool expose;
	} rounds[] = {
		{tactics_pun, false},
		{expose_first ? tactics_pun : tactics_evict_site, expose_first},
		{expose_first ? tactics_evict_site : tactics_pun, !expose_first},
		{tactics_evict_site, true},
	};

	for (size_t i = 0; i < p->space->pages.count; i++)
		tactics_search_note(
			&p->search, ARRAY_AT(&p->space->pages, struct tactics_page, i)->address);
	for (size_t i = 0; i < t->count && !p->no_memory; i++)
		if (t->sites[i].whole && tactics_is_open(&t->sites[i]) &&
			t->sites[i].result == TACTICS_PLANNED)
			t->sites[i].result = tactics_call(p, &t->sites[i]);
	for (size_t r = 0; r < sizeof rounds / sizeof *rounds; r++)
		for (size_t i = 0; i < t->count && !p->no_memory; i++) {
			struct tactics_site *s = &t->sites[i];
			enum tactics_result result;

			if (!tactics_is_open(s) || s->whole)
				continue;
			result = rounds[r].plan(p, i, rounds[r].expose);
			if (!r || result != TACTICS_NO_LANDING)
				s->result = result;
		}
}

bool tactics_plan(struct tactics *t, struct tactics_space *space)
{
	struct tactics_planner p = {
		.t = t, .space = space, .search = {.space = space, .tries = TACTICS_TRIES}};
	struct tactics_around a;
	size_t sites = 0;

	t->landings = ARRAY_OF(struct tactics_landing);
	t->code = NULL;
	t->arena = t->data_size = t->code_size = t->planned = 0;
	if (!tactics_space_settle(space))
		return false;
	for (size_t i = 0; i < t->count; i++) {
		struct tactics_site *s = &t->sites[i];

		if (!s->wanted)
			continue;
		s->tactic = PROBES_TACTIC_NONE;
		s->trampoline = s->landings = 0;
		s->result = tactics_look(t, i, &a);
		sites += s->result == TACTICS_PLANNED;
	}
	if (sites && tactics_find_arena(&p, sites)) {
		if (!p.no_memory)
			tactics_plan_all(&p);
		if (p.no_memory)
			return false;
		if (!t->planned) {
			free(t->code);
			t->code = NULL;
			t->arena = t->data_size = t->code_size = 0;
			return true;
		}
		/* Take the arena, as far as it is used. */
		t->code_size = tactics_round(p.trampoline - p.code, TACTICS_PAGE);
		return tactics_take(space, t->arena, p.code + t->code_size) &&
		       tactics_space_settle(space);
	}
	for (size_t i = 0; i < t->count; i++)
		if (t->sites[i].wanted && t->sites[i].result == TACTICS_PLANNED)
			t->sites[i].result = TACTICS_NO_ARENA;
	return true;
}

void tactics_done(struct tactics *t)
{
	free(t->code);
	t->code = NULL;
	array_done(&t->landings);
}

uint8_t tactics_faults(const struct tactics_site *s)
{
	struct arch_displaced m;

	arch_displace(s->code + 1, s->code_size ? s->code_size - 1u : 0, s->address + 1,
		s->address + 1, false, &m);
	return s->framed ? m.faults & (uint8_t)~ARCH_FAULTS_POINTER : m.faults;
}

const char *tactics_why(const struct tactics_site *s)
{
	static const char *const why[] = {
		[TACTICS_PLANNED] = "",
		[TACTICS_NEEDS_STOP] = "it can be counted only if all threads stop for a moment",
		[TACTICS_EXPOSED] =
			"a breakpoint or uprobe behind it would crash the process while it is "
			"counted",
		[TACTICS_FOREIGN] = "it does not begin with a nop: another tool holds it, or its "
				    "library changed",
		[TACTICS_NO_NOP] = "it is no nop of one byte, in its file either: only those are "
				   "counted",
		[TACTICS_BREAKPOINT] =
			"another tool holds an instruction right behind it; detach that tool, then "
			"try again",
		[TACTICS_SHORT] = "the code behind it cannot be read",
		[TACTICS_NO_LANDING] =
			"every jump that fits there leads into memory that is in use",
		[TACTICS_NO_ROOM] = "it would need more mappings than the process may have",
		[TACTICS_NEIGHBOUR] = "another site is too near",
		[TACTICS_PAGE_END] = "it lies at the end of a page: no single write changes it",
		[TACTICS_NO_ARENA] = "no free address space for counters near its code",
		[TACTICS_FAULTS] = "the instruction after it can fault, and the program's signal "
				   "handler would then see the wrong address",
	};
	static const char *const displaced[] = {
		[ARCH_DISPLACED] = "",
		[ARCH_DISPLACE_NO_DECODER] =
			"this build has no Zydis to displace the instruction behind it",
		[ARCH_DISPLACE_UNDECODABLE] = "the instruction behind it is unknown",
		[ARCH_DISPLACE_REFUSED] = "the instruction behind it cannot run elsewhere",
		[ARCH_DISPLACE_TOO_FAR] = "the instruction behind it needs an address out of reach",
		[ARCH_DISPLACE_SHADOW_STACK] =
			"the call behind it cannot run elsewhere: a shadow stack checks its return",
	};

	return s->result == TACTICS_INSTRUCTION ? displaced[s->displaced] : why[s->result];
}
