/*
 * Covers count/arena and count/space: what is made of a plan, and what is read back of a process
 * that may have written anything there; where nothing may be mapped.
 */
#include "count/arena.h"
#include "count/space.h"

#include "session_world.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARENA_AT 0x7f0000000000u
#define HEAD_SIZE 8192 /* at least arena_head_size(2) */
#define DATA_SIZE (HEAD_SIZE + TACTICS_PAGE + TACTICS_STATE_BYTES)

static struct tactics plan;
static struct tactics_site sites[3];
static struct tactics_landing landings[3];
static uint8_t code[4 * TACTICS_PAGE];
static struct world world;

/* Two of three sites are planned; three landings lie in two pages, not in order. */
static void set_up(void)
{
	memset(sites, 0, sizeof sites);
	for (size_t i = 0; i < 3; i++) {
		sites[i].address = 0x400100 + 0x100 * i;
		sites[i].wanted = i != 1;
		sites[i].tactic = PROBES_TACTIC_PUNNED;
		sites[i].length = 1;
		memset(sites[i].code, 0x90, sizeof sites[i].code);
		memset(sites[i].bytes, 0x90, sizeof sites[i].bytes);
		sites[i].bytes[0] = 0xe9;
		sites[i].counter =
			ARENA_AT + TACTICS_OWN_BYTES + HEAD_SIZE + i / 2 * TACTICS_COUNTER_BYTES;
	}
	memset(code, 0xaa, sizeof code);
	landings[0] = (struct tactics_landing){
		.address = 0x500ff0, .target = ARENA_AT + 3 * TACTICS_PAGE, .size = 5};
	landings[1] = (struct tactics_landing){
		.address = 0x503010, .target = 0x7e0000000000u, .size = 14};
	landings[2] = (struct tactics_landing){
		.address = 0x500010, .target = ARENA_AT + 3 * TACTICS_PAGE, .size = 5};
	plan = (struct tactics){.sites = sites,
		.count = 3,
		.planned = 2,
		.arena = ARENA_AT,
		.data_size = DATA_SIZE,
		.code_size = sizeof code,
		.code = code,
		.records_size = arena_records_size(2),
		.landings = {landings, 3, 3, sizeof landings[0]}};
}

static const struct recorder_sealed none;

/* An arena as another session finds it: a process with the bytes of the file. */
static void make(struct arena *w, struct array *pages)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(arena_make(w, fd, &plan, false, 7, &none, pages), 0);
	ck_assert_int_ne(ftruncate(fd, 0), 0);
	close(fd);
}

START_TEST(made_of_a_plan)
{
	struct array pages;
	struct arena w;
	uint8_t jump[TACTICS_LANDING_BYTES];

	make(&w, &pages);
	ck_assert_uint_eq(w.data, ARENA_AT + TACTICS_OWN_BYTES);
	ck_assert_uint_eq(w.address, w.data + DATA_SIZE);
	ck_assert_uint_eq(w.site_count, 2);
	ck_assert_uint_eq(w.sites[0].address, 0x400100);
	ck_assert_uint_eq(w.sites[1].address, 0x400300);
	ck_assert_uint_eq(w.sites[1].counter, HEAD_SIZE + TACTICS_COUNTER_BYTES);
	ck_assert_uint_eq(w.sites[1].new_[0], 0xe9);
	ck_assert_uint_eq(w.sites[1].old[0], 0x90);
	ck_assert_uint_eq(pages.count, 2);
	ck_assert_uint_eq(*ARRAY_AT(&pages, uint64_t, 0), 0x500000);
	ck_assert_uint_eq(*ARRAY_AT(&pages, uint64_t, 1), 0x503000);
	ck_assert_uint_eq(w.file_size, sizeof code + 2 * TACTICS_PAGE + DATA_SIZE);
	ck_assert_mem_eq(w.file + arena_records_size(2), code, recorder_sealed_at());
	for (size_t i = 0; i < 3; i++) {
		size_t at = sizeof code + (landings[i].address - 0x500000 > 0x1000) * TACTICS_PAGE;

		tactics_write_landing(&landings[i], jump);
		ck_assert_int_eq(memcmp(w.file + at + landings[i].address % TACTICS_PAGE, jump,
					 landings[i].size),
			0);
	}
	array_done(&pages);
	arena_done(&w);
}
END_TEST

static unsigned char *data_of(const struct arena *w)
{
	return w->file + w->file_size - w->data_size;
}

static void put(const struct arena *w, size_t at, uint64_t value)
{
	memcpy(data_of(w) + at, &value, sizeof value);
}

/* The process has the code and the data. */
static void map(const struct arena *w)
{
	world.fake.regions[0] =
		(struct fake_region){.address = w->address, .size = w->code_size, .bytes = w->file};
	world.fake.regions[1] =
		(struct fake_region){.address = w->data, .size = w->data_size, .bytes = data_of(w)};
	world.fake.region_count = 2;
}

/* Hits of all threads are summed; from a restart on they count from 0. */
START_TEST(hits)
{
	struct array pages;
	struct arena w;

	make(&w, &pages);
	ck_assert_uint_eq(arena_hits(&w, 0), 0);
	put(&w, w.sites[0].counter, 5);
	for (size_t i = 0; i < TACTICS_SLOTS; i++)
		put(&w, w.sites[0].counter + TACTICS_SLOTS_AT + i * sizeof(struct arch_slot) + 8,
			i);
	ck_assert_uint_eq(arena_hits(&w, 0), 5 + TACTICS_SLOTS * (TACTICS_SLOTS - 1) / 2);
	ck_assert_uint_eq(arena_hits(&w, 1), 0);
	arena_restart(&w, NULL, 0);
	ck_assert_uint_eq(arena_hits(&w, 0), 0);
	put(&w, w.sites[0].counter, 8);
	ck_assert_uint_eq(arena_hits(&w, 0), 3);
	array_done(&pages);
	arena_done(&w);
}
END_TEST

/* What another session reads of it, and of the same bytes where the process has changed one. */
START_TEST(read_by_others)
{
	struct memory *m = &world.fake.memory;
	struct arena w, other;
	struct array pages;
	size_t refused = 0;

	make(&w, &pages);
	put(&w, w.sites[1].counter, 7);
	world_begin(&world);
	map(&w);
	ck_assert_int_eq(arena_read(&other, m, w.address, w.file_size, NULL), ARENA_FOUND);
	ck_assert_uint_eq(other.site_count, 2);
	ck_assert_uint_eq(other.serial, 7);
	ck_assert_int_eq(memcmp(other.sites, w.sites, 2 * sizeof *w.sites), 0);
	/* Only what is watched is read. */
	ck_assert(arena_refresh(&other, m));
	ck_assert_uint_eq(arena_hits(&other, 1), 0);
	ck_assert(arena_watch(&other, 1));
	ck_assert(arena_refresh(&other, m));
	ck_assert_uint_eq(arena_hits(&other, 1), 7);
	put(&w, w.sites[1].counter, 9);
	put(&w, w.sites[0].counter, 5);
	ck_assert_uint_eq(arena_hits(&other, 1), 7);
	ck_assert(arena_watch(&other, 1));
	ck_assert(arena_refresh(&other, m));
	ck_assert_uint_eq(arena_hits(&other, 1), 9);
	ck_assert_uint_eq(arena_hits(&other, 0), 0);
	ck_assert(arena_watch(&other, 0));
	ck_assert(arena_refresh(&other, m));
	ck_assert_uint_eq(arena_hits(&other, 0), 5);
	ck_assert_uint_eq(arena_hits(&other, 1), 9);
	/* It begins at the hits of now, not at those that were read last. */
	put(&w, w.sites[1].counter, 12);
	arena_restart(&other, m, 1);
	ck_assert(arena_refresh(&other, m));
	ck_assert_uint_eq(arena_hits(&other, 1), 0);
	arena_done(&other);
	ck_assert_int_eq(arena_read(&other, m, w.address + 64, w.file_size, NULL), ARENA_NONE);
	ck_assert_int_eq(arena_read(&other, m, 0x1000, w.file_size, NULL), ARENA_NONE);
	/* A part of it is not mapped: a jump would lead nowhere. */
	ck_assert_int_eq(
		arena_read(&other, m, w.address, w.file_size - TACTICS_PAGE, NULL), ARENA_NONE);
	for (size_t at = 0; at < arena_records_size(2); at++) {
		w.file[at] ^= 0xff;
		if (arena_read(&other, m, w.address, w.file_size, NULL) == ARENA_FOUND) {
			for (size_t i = 0; i < other.site_count; i++)
				(void)arena_hits(&other, i);
			arena_done(&other);
		} else {
			refused++;
		}
		w.file[at] ^= 0xff;
	}
	ck_assert_uint_ge(refused, 8 + 8 + 6);
	world.fake.region_count = 0; /* not the world's to free */
	world_end(&world);
	array_done(&pages);
	arena_done(&w);
}
END_TEST

/* Sessions say of themselves what they do there: the maker in its mapping, others by writing. */
START_TEST(records)
{
	const struct arena_holder said = {.session = ARENA_OWNER(7, 9), .number = 3};
	struct arena_holder all[ARENA_HOLDERS];
	struct memory *m = &world.fake.memory;
	struct arena w, other;
	struct array pages;
	uint8_t bits = 2;

	make(&w, &pages);
	world_begin(&world);
	map(&w);
	ck_assert_int_eq(arena_read(&other, m, w.address, w.file_size, NULL), ARENA_FOUND);
	ck_assert_uint_eq(arena_bits_size(&w), 1);
	for (int round = 0; round < 2; round++) {
		struct arena *from = round ? &other : &w, *to = round ? &w : &other;
		size_t at = round ? 0 : ARENA_HOLDERS - 1;

		ck_assert(arena_set_holder(from, m, at, &said, &bits));
		ck_assert(arena_read_holders(to, m, all));
		ck_assert_mem_eq(&all[at], &said, sizeof said);
		ck_assert_uint_eq(all[at + 1 - 2 * !round].session, 0);
		ck_assert(arena_read_bits(to, m, at, &bits));
		ck_assert_uint_eq(bits, 2);
		arena_set_left(from, m, 1, (uint8_t)(3 + round));
		arena_read_left(to, m);
		ck_assert_uint_eq(to->sites[1].left, 3 + round);
	}
	/* It lies before the counters. */
	ck_assert_uint_eq(arena_hits(&w, 0), 0);
	world.fake.region_count = 0; /* not the world's to free */
	world_end(&world);
	array_done(&pages);
	arena_done(&other);
	arena_done(&w);
}
END_TEST

/* Its sites are charged before they are read, and what makes no sense stays charged. */
START_TEST(read_within_a_budget)
{
	struct memory *m = &world.fake.memory;
	struct budget full = {0}, b = {0};
	struct array pages;
	struct arena w, other;

	make(&w, &pages);
	world_begin(&world);
	world.fake.regions[0] = (struct fake_region){.address = w.address,
		.size = sizeof(struct arena_head) + 2 * sizeof(struct arena_site),
		.bytes = w.file};
	world.fake.region_count = 1;
	ck_assert(budget_take(&full, BUDGET_SESSION));
	ck_assert_int_eq(arena_read(&other, m, w.address, w.file_size, &full), ARENA_LEFT_OUT);
	/* The counters of no site are read. */
	ck_assert_int_eq(arena_read(&other, m, w.address, w.file_size, &b), ARENA_FOUND);
	arena_done(&other);
	world.fake.regions[0].size -= 1;
	budget_done(&full);
	budget_trim(&b);
	full.taken = b.taken;
	ck_assert_int_eq(arena_read(&other, m, w.address, w.file_size, &b), ARENA_NONE);
	budget_trim(&b);
	ck_assert_uint_ge(b.taken, full.taken + 2 * sizeof(struct arena_site));
	budget_done(&b);
	world.fake.region_count = 0; /* not the world's to free */
	world_end(&world);
	array_done(&pages);
	arena_done(&w);
}
END_TEST

/* The maker and another session measure there in turn; counters and state are apart. */
START_TEST(measured_in_turn)
{
	const struct recorder_role role = {.what = RECORDER_END, .key.size = 4};
	struct memory *m = &world.fake.memory;
	struct recorder_state *state;
	struct recorder_sum sum;
	struct arena w, other;
	struct array pages;

	make(&w, &pages);
	world_begin(&world);
	map(&w);
	ck_assert_int_eq(arena_read(&other, m, w.address, w.file_size, NULL), ARENA_FOUND);
	state = (struct recorder_state *)(w.file + w.file_size - TACTICS_STATE_BYTES);
	for (int round = 0; round < 2; round++) {
		struct arena *one = round ? &other : &w;

		memset(state, 0xaa, TACTICS_STATE_BYTES);
		put(&w, w.sites[0].counter, 5);
		ck_assert(arena_measure(one, m, 42, 0));
		ck_assert_uint_eq(state->session, 42);
		ck_assert_uint_eq(arena_cookie(one), ARENA_AT);
		ck_assert_uint_eq(arena_state(one), w.data + ((uint8_t *)state - data_of(&w)));
		ck_assert(arena_measured(one, m, false, false, &sum));
		ck_assert_uint_eq(sum.matched + sum.open + sum.lost + sum.nested, 0);
		state->slots[RECORDER_SLOTS - 1] = (struct recorder_slot){.owner = 1,
			.nested = 2,
			.least = 3,
			.most = 4,
			.epoch = 1,
			.buckets = {[RECORDER_BUCKETS - 1] = 9}};
		ck_assert(arena_measured(one, m, false, true, &sum));
		ck_assert_uint_eq(sum.matched, 9);
		ck_assert_uint_eq(sum.nested, 2);
		ck_assert_uint_eq(sum.least, 3);
		ck_assert(arena_measured(one, m, false, true, &sum));
		ck_assert_uint_eq(sum.least, UINT64_MAX);
		arena_unmeasure(one, m);
		ck_assert_uint_eq(state->session, 0);
		ck_assert(arena_set_role(one, m, 1, &role));
		ck_assert_mem_eq(
			data_of(&w) + w.sites[1].counter + TACTICS_ROLE_AT, &role, sizeof role);
		/* Who counts anew does not measure. */
		arena_restart(one, m, 1);
		ck_assert_uint_eq(data_of(&w)[w.sites[1].counter + TACTICS_ROLE_AT], 0);
		ck_assert_uint_eq(*(uint64_t *)(data_of(&w) + w.sites[0].counter), 5);
	}
	arena_done(&other);
	world.fake.region_count = 0; /* not the world's to free */
	world_end(&world);
	array_done(&pages);
	arena_done(&w);
}
END_TEST

/* The state has memory only once a pair is measured, or if the process locks what it maps. */
START_TEST(state_has_no_memory)
{
	for (int locked = 0; locked < 2; locked++) {
		int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		struct array pages;
		struct arena w;
		struct stat st;

		ck_assert_int_eq(arena_make(&w, fd, &plan, locked, 1, &none, &pages), 0);
		ck_assert_int_eq(fstat(fd, &st), 0);
		ck_assert_uint_eq((uint64_t)st.st_blocks * 512,
			w.file_size - (locked ? 0 : TACTICS_STATE_BYTES));
		close(fd);
		array_done(&pages);
		arena_done(&w);
	}
}
END_TEST

#ifdef HAVE_ZYDIS
/* A trampoline that has displaced an instruction is not used before another one. */
START_TEST(the_same_instruction)
{
	/* nop; mov $imm64, %rax */
	static const uint8_t text[] = {0x90, 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 0x90, 0x90};
	uint8_t other[sizeof text];
	struct array pages;
	struct arena w;

	sites[0].tactic = PROBES_TACTIC_EVICTED;
	sites[0].length = ARCH_SITE_BYTES;
	sites[0].code_size = sizeof text;
	memcpy(sites[0].code, text, sizeof text);
	make(&w, &pages);
	ck_assert(arena_fits(&w, 0, text, sizeof text));
	for (size_t i = 1; i < sizeof text; i++) {
		memcpy(other, text, sizeof text);
		other[i] ^= 1;
		ck_assert_int_eq(arena_fits(&w, 0, other, sizeof other), i > 10);
	}
	ck_assert(!arena_fits(&w, 0, text, 10));
	ck_assert(!arena_fits(&w, 0, text, 0));
	ck_assert(arena_fits(&w, 1, text, 0)); /* one byte: it moved nothing */
	array_done(&pages);
	arena_done(&w);
}
END_TEST
#endif

/* ---- the jumps of several arenas ---- */

enum { CHOICES = 4 };

/*
 * At one address sites of libraries that follow each other there, and tactics with and without a
 * stop: the arena is found again whose old bytes these are, whatever another session looked at
 * first.
 */
START_TEST(chooses_of_all_arenas)
{
	static const struct {
		uint8_t behind, tactic;
	} made[CHOICES] = {{1, PROBES_TACTIC_PUNNED}, {0x48, PROBES_TACTIC_EVICTED},
		{2, PROBES_TACTIC_PUNNED}, {0x48, PROBES_TACTIC_PUNNED}};
	struct probes_session s = {.process = true};
	struct probes_site site = {.address = 0x400100};
	struct object_jump jump = {0};
	struct object_probes h = {.sites = &site, .site_count = 1, .jumps = &jump};
	/* nop; mov $imm64, %rax */
	uint8_t text[] = {0x90, 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 0x90, 0x90};
	struct probes_error e;

	s.arenas = ARRAY_OF(struct arena);
	s.entries = ARRAY_OF(struct jumps_entry);
	for (size_t i = 0; i < CHOICES; i++) {
		struct arena *w = array_add(&s.arenas);

		*w = (struct arena){.site_count = 2, .sites = calloc(2, sizeof *w->sites)};
		w->sites[0].address = site.address - 0x10 * i;
		w->sites[0].length = w->sites[1].length = 1;
		w->sites[1].address = site.address + (i ? 0 : 1);
		if (!i)
			w->sites[0].address = site.address;
		for (size_t k = 0; k < 2; k++) {
			w->sites[k].tactic = made[i].tactic;
			memcpy(w->sites[k].old, text, ARCH_SITE_BYTES);
			w->sites[k].old[1] = made[i].behind;
			memcpy(w->sites[k].behind, text + 1, 11);
		}
	}
	ck_assert_int_eq(jumps_index(&s, 0, &e), 0);
	ck_assert_uint_eq(s.entries.count, 2 * CHOICES);
	ck_assert(jumps_choose(&s, &h, 0, text, sizeof text, false));
	ck_assert_uint_eq(jump.arena, 3);
	ck_assert_uint_eq(jump.entry, 1);
#ifdef HAVE_ZYDIS
	ARRAY_AT(&s.arenas, struct arena, 3)->sites[1].old[1] = 4;
	ck_assert(jumps_choose(&s, &h, 0, text, sizeof text, false));
	ck_assert_uint_eq(jump.arena, 1);
#endif
	text[1] = 1;
	ck_assert(jumps_choose(&s, &h, 0, text, sizeof text, false));
	ck_assert_uint_eq(jump.arena, 0);
	ck_assert_uint_eq(jump.entry, 0);
	text[1] = 2;
	ck_assert(jumps_choose(&s, &h, 0, text, sizeof text, false));
	ck_assert_uint_eq(jump.arena, 2);
	text[1] = 3;
	ck_assert(!jumps_choose(&s, &h, 0, text, sizeof text, false));
	ck_assert(!jumps_choose(&s, &h, 0, text, ARCH_SITE_BYTES - 1, false));
	/* Where one is unknown, none is added. */
	ck_assert_int_eq(jumps_check_known(&s, &e), 0);
	s.arenas_left_out = true;
	ck_assert_int_lt(jumps_check_known(&s, &e), 0);
	ck_assert_int_eq(e.status, PROBES_REFUSED);
	jumps_done(&s);
}
END_TEST

/* Where the memory of a site goes, or changes, once its jump is written and was read back. */
struct lost {
	unsigned reads; /* since the jump was written */
	bool unmapped;
};

static void lose(struct fake *f, bool write, void *data)
{
	struct lost *lost = data;

	if (write || !f->log.count || ++lost->reads != 2)
		return;
	f->regions[0].absent = lost->unmapped;
	*fake_at(f, WORLD_BIAS + WORLD_PC(0x70)) = 0x90;
}

/* A site that is not counted though nothing failed says why. */
START_TEST(a_lost_site_says_why)
{
	static unsigned char file[2 * TACTICS_PAGE];
	struct lost lost = {.unmapped = _i};
	struct session_world x;
	struct arena_site *site;
	struct object_probes *h;
	struct probes_result *result;
	struct probes_error e;
	struct arena *w;
	size_t probe;

	session_begin(&x, "");
	h = catalog_object(&x.w.catalog, 0);
	probe = world_probe(&x.w, "bare");
	x.s.arenas = ARRAY_OF(*w);
	x.s.entries = ARRAY_OF(struct jumps_entry);
	w = array_add(&x.s.arenas);
	*w = (struct arena){.site_count = 1,
		.sites = calloc(1, sizeof *w->sites),
		.file = file,
		.file_size = sizeof file,
		.data_size = sizeof file};
	site = w->sites;
	site->address = WORLD_BIAS + WORLD_PC(0x70);
	site->counter = TACTICS_PAGE;
	site->tactic = PROBES_TACTIC_PUNNED;
	site->length = 1;
	memcpy(site->old, h->original[object_probes_site(h, &h->probes[probe])], sizeof site->old);
	memcpy(site->new_, site->old, sizeof site->new_);
	site->new_[0] = 0xe9;
	ck_assert_int_eq(jumps_index(&x.s, 0, &e), 0);
	fake_reset(&x.w.fake);
	x.w.fake.before = lose;
	x.w.fake.data = &lost;
	ck_assert_msg(session_do(&x, PROBES_COUNT, "bare", NULL, &result, &e) == 0, "%s: %s",
		e.what, e.why);
	ck_assert_int_eq(result->items[0].outcome, PROBES_DONE);
	ck_assert(!probes_site_hits_at(&x.s, probe, 0).counted);
	ck_assert_ptr_nonnull(probes_site_hits_at(&x.s, probe, 0).why);
	ck_assert_ptr_nonnull(strstr(probes_site_hits_at(&x.s, probe, 0).why, "meanwhile"));
	probes_result_free(result);
	x.w.fake.before = NULL;
	x.w.fake.regions[0].absent = false;
	w->file = NULL;
	jumps_done(&x.s);
	session_end(&x);
}
END_TEST

/* The hits of before belong to who counted first: another session, or the killed one of a jump that
 * was taken over. Those of a jump that this session wrote are all its own. */
START_TEST(hits_since_this_session)
{
	static const struct {
		bool mine, taken;
		uint64_t since[3];
	} cases[] = {
		{true, false, {100, 107, 3}}, {true, true, {0, 7, 3}}, {false, false, {0, 7, 3}}};
	static const uint64_t seen[] = {100, 107, 3}; /* then its counter began again */
	static unsigned char file[2 * TACTICS_PAGE];
	struct arena_site site = {.counter = TACTICS_PAGE};
	struct session_world x;
	struct object_probes *h;
	struct probes_error e;
	size_t probe, at;
	struct arena *w;

	session_begin(&x, "");
	h = catalog_object(&x.w.catalog, 0);
	probe = world_probe(&x.w, "bare");
	at = object_probes_site(h, &h->probes[probe]);
	x.s.arenas = ARRAY_OF(*w);
	x.s.entries = ARRAY_OF(struct jumps_entry);
	w = array_add(&x.s.arenas);
	*w = (struct arena){.site_count = 1,
		.sites = &site,
		.file = file,
		.file_size = sizeof file,
		.data_size = sizeof file};
	free(h->jumps);
	h->jumps = calloc(h->site_count, sizeof *h->jumps);
	h->site_live[at].counted = true;
	h->jumps[at] =
		(struct object_jump){.length = 1, .mine = cases[_i].mine, .taken = cases[_i].taken};
	for (size_t k = 0; k < h->site_count; k++)
		h->jumps[k].arena = k == at ? 0 : PROBES_NONE;
	for (size_t k = 0; k < 3; k++) {
		memcpy(file + TACTICS_PAGE, &seen[k], sizeof seen[k]);
		ck_assert_int_eq(probes_read_hits(&x.s, &e), 0);
		ck_assert_uint_eq(probes_hits(&x.s, probe).hits, seen[k]);
		ck_assert_uint_eq(probes_hits(&x.s, probe).since, cases[_i].since[k]);
		ck_assert_uint_eq(probes_site_hits_at(&x.s, probe, 0).since, cases[_i].since[k]);
	}
	w->file = NULL;
	w->sites = NULL;
	jumps_done(&x.s);
	session_end(&x);
}
END_TEST

/* ---- space ---- */

static const char space_maps[] = "00400000-00402000 r-xp 00000000 fe:01 18 /a\n"
				 "01000000-01021000 rw-p 00000000 00:00 0 [heap]\n"
				 "7effff000000-7effff001000 rw-p 00000000 00:00 0 \n"
				 "7effff100000-7effff200000 rw-p 00000000 00:00 0 \n"
				 "7f0000000000-7f0000001000 r-xp 00000000 fe:01 19 /b\n"
				 "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n";
static const char space_limits[] =
	"Limit                     Soft Limit           Hard Limit           Units\n"
	"Max stack size            8388608              unlimited            bytes\n";

static bool space_holds(const struct tactics_space *space, uint64_t address)
{
	for (size_t i = 0; i < space->taken.count; i++) {
		const struct tactics_range *r = ARRAY_AT(&space->taken, struct tactics_range, i);

		if (address >= r->start && address < r->end)
			return true;
	}
	return false;
}

/* What a limit leaves is mostly the program's own. */
START_TEST(limits_leave_room)
{
	static const char limits[] = "Max locked memory         8388608              8388608\n"
				     "Max address space         unlimited            unlimited\n",
			  low[] = "Max address space         104857600            unlimited\n",
			  status[] = "Name:\ta\nVmSize:\t   61440 kB\nVmLck:\t    4096 kB\n";
	const uint64_t mib = 1 << 20;
	uint64_t left;

	ck_assert(space_spares(limits, status, SPACE_ADDRESSES, 1000 * mib, &left));
	ck_assert_uint_eq(left, UINT64_MAX);
	ck_assert(space_spares(low, status, SPACE_ADDRESSES, 10 * mib, &left));
	ck_assert_uint_eq(left, 40 * mib);
	ck_assert(!space_spares(low, status, SPACE_ADDRESSES, 10 * mib + 1, &left));
	ck_assert(space_spares(limits, status, SPACE_LOCKED, mib, &left));
	ck_assert(!space_spares(limits, status, SPACE_LOCKED, mib + 1, &left));
	ck_assert_uint_eq(left, 4 * mib);
	/* What was lowered below what is used, and what is not said. */
	ck_assert(!space_spares("Max address space 4096 4096", status, SPACE_ADDRESSES, 1, &left));
	ck_assert(space_spares(limits, "", SPACE_LOCKED, 1000 * mib, &left));
	ck_assert(space_spares("", status, SPACE_LOCKED, 1000 * mib, &left));
}
END_TEST

START_TEST(where_nothing_may_be_mapped)
{
	/* The 47th field is where the heap begins. */
	char stat[600] = "1 (a ) (b) R", maps[sizeof space_maps];
	struct tactics_space space;
	size_t mappings;

	for (int field = 4; field < 47; field++)
		strcat(stat, " 1");
	strcat(stat, " 33554432 1 1\n"); /* 0x2000000 */
	memcpy(maps, space_maps, sizeof maps);
	tactics_space_init(&space);
	ck_assert(space_parse(&space, maps, space_limits, stat, &mappings));
	ck_assert_uint_eq(mappings, 6);
	ck_assert(space_holds(&space, 0x401fff));
	ck_assert(!space_holds(&space, 0x402000));
	ck_assert(space_holds(&space, 0x1021000 + SPACE_HEAP - 1));
	ck_assert(space_holds(&space, 0x2000000 + SPACE_HEAP - 1));
	ck_assert(!space_holds(&space, 0x2000000 + SPACE_HEAP));
	ck_assert(space_holds(&space, 0x7ffc00021000 - 0x800000 - SPACE_STACK));
	ck_assert(!space_holds(&space, 0x7ffc00021000 - 0x800000 - SPACE_STACK - 1));
	/* Below what may be stacks that grow, down to what is mapped there. */
	ck_assert(space_holds(&space, 0x7effff000000 - 0x800000 - SPACE_STACK));
	ck_assert(!space_holds(&space, 0x7effff000000 - 0x800000 - SPACE_STACK - 1));
	ck_assert(space_holds(&space, 0x7effff001000));
	ck_assert(space_holds(&space, 0x7effff0fffff));
	ck_assert(!space_holds(&space, 0x7effff200000));
	tactics_space_done(&space);
	/* Without a limit, and with texts that the kernel never writes. */
	memcpy(maps, space_maps, sizeof maps);
	tactics_space_init(&space);
	ck_assert(space_parse(&space, maps, "Max stack size unlimited", "", &mappings));
	ck_assert(space_holds(&space, 0x7ffc00021000 - SPACE_STACK_MOST));
	tactics_space_done(&space);
}
END_TEST

Suite *arena_suite(void)
{
	Suite *suite = suite_create("arena");
	TCase *tcase = tcase_create("all");

	tcase_add_checked_fixture(tcase, set_up, NULL);
	tcase_add_test(tcase, made_of_a_plan);
	tcase_add_test(tcase, hits);
	tcase_add_test(tcase, read_by_others);
	tcase_add_test(tcase, records);
	tcase_add_test(tcase, read_within_a_budget);
#ifdef HAVE_ZYDIS
	tcase_add_test(tcase, the_same_instruction);
#endif
	tcase_add_test(tcase, measured_in_turn);
	tcase_add_test(tcase, state_has_no_memory);
	tcase_add_test(tcase, chooses_of_all_arenas);
	tcase_add_loop_test(tcase, hits_since_this_session, 0, 3);
	tcase_add_loop_test(tcase, a_lost_site_says_why, 0, 2);
	tcase_add_test(tcase, where_nothing_may_be_mapped);
	tcase_add_test(tcase, limits_leave_room);
	suite_add_tcase(suite, tcase);
	return suite;
}
