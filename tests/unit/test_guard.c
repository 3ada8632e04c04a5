/*
 * Guards of what things cost, by counts instead of times: looks at the process a refresh and a
 * switch, ranges, allocations while a process may stand still (none), bytes read from a file. They
 * are exact: a design that slips fails here. Not covered: times (make bench), the calls of the
 * whole program (e2e/guard-calls.sh), what goes to the terminal (e2e).
 */
#include "patch/apply.h"
#include "session_world.h"

#include "suites.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- every allocation of ours is counted: the linker wraps them (Makefile.am) ---- */

static size_t guard_allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	guard_allocations++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	guard_allocations++;
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	guard_allocations++;
	return __real_realloc(old, size);
}

/* ---- many probes ---- */

#define GUARD_TEXT(count) (8 * (count) + 64)

/* `count` probes of one site (8 bytes apart) and one semaphore. */
struct guard_many {
	struct elf_note *notes;
	char (*names)[8];
	size_t count;
};

static void guard_begin(struct guard_many *g, size_t count)
{
	g->count = count;
	g->notes = calloc(count, sizeof *g->notes);
	g->names = calloc(count, sizeof *g->names);
	for (size_t i = 0; i < count; i++) {
		snprintf(g->names[i], sizeof g->names[i], "n%05u", (unsigned)i % 100000);
		g->notes[i] = (struct elf_note){WORLD_PC(8 * i), 0,
			WORLD_DATA(4 * (i % (WORLD_DATA_SIZE / 4))), "sdt", g->names[i], "8@%rax"};
	}
}

static void guard_end(struct guard_many *g)
{
	free(g->notes);
	free(g->names);
}

static void guard_world(struct guard_many *g, struct world *w, size_t count)
{
	guard_begin(g, count);
	world_begin(w);
	world_prepare(w, g->notes, count, GUARD_TEXT(count));
	world_add(w, "/lib/many.so", WORLD_BIAS);
}

/* ---- looks ---- */

#define GUARD_PIECE (256 << 10) /* bytes of a look */

/*
 * Ten, a hundred or ten thousand: one look, at two ranges (code, counts), and no allocation. More
 * bytes than one look is good for: as many looks as these bytes need.
 */
START_TEST(guard_refresh)
{
	static const struct {
		size_t probes;
		unsigned looks;
	} worlds[] = {{10, 1}, {100, 1}, {10000, 1}, {99000, 4}};
	struct guard_many g;
	struct reader r;
	struct world w;
	size_t allocations;
	bool changed;
	int code = 0;

	guard_world(&g, &w, worlds[_i].probes);
	ck_assert(reader_init(&r, &w.catalog, NULL, 0));
	ck_assert_uint_eq(r.pieces.count, worlds[_i].looks);
	ck_assert_uint_le(r.total, GUARD_TEXT(worlds[_i].probes) + WORLD_DATA_SIZE);
	ck_assert_uint_le(r.total, worlds[_i].looks * GUARD_PIECE);
	ck_assert_int_eq(reader_fetch(&r, &w.catalog, &w.fake.memory, &changed), 0);
	ck_assert_uint_eq(w.fake.reads, worlds[_i].looks);
	ck_assert_uint_eq(w.fake.ranges, worlds[_i].looks + 1);
	allocations = guard_allocations;
	for (unsigned i = 0; i < 5; i++)
		code |= reader_fetch(&r, &w.catalog, &w.fake.memory, &changed);
	allocations = guard_allocations - allocations;
	ck_assert_int_eq(code, 0);
	ck_assert(!changed);
	ck_assert_uint_eq(w.fake.reads, 6 * worlds[_i].looks);
	ck_assert_uint_eq(allocations, 0);
	reader_done(&r);
	world_end(&w);
	guard_end(&g);
}
END_TEST

/* One change among very many is one probe to judge, whichever look finds it. */
START_TEST(guard_change)
{
	static const size_t changed_one[] = {4321, 98765};
	size_t one = changed_one[_i];
	struct guard_many g;
	struct reader r;
	struct world w;
	bool changed;

	guard_world(&g, &w, one + 200);
	ck_assert(reader_init(&r, &w.catalog, NULL, 0));
	ck_assert_int_eq(reader_fetch(&r, &w.catalog, &w.fake.memory, &changed), 0);
	*world_byte(&w, WORLD_PC(8 * one)) ^= 1;
	ck_assert_int_eq(reader_fetch(&r, &w.catalog, &w.fake.memory, &changed), 0);
	ck_assert(changed && !r.everything);
	ck_assert_uint_eq(r.touched.count, 1);
	ck_assert_uint_eq(*ARRAY_AT(&r.touched, size_t, 0), one);
	reader_done(&r);
	world_end(&w);
	guard_end(&g);
}
END_TEST

/* ---- switching ---- */

/* A plan that enables every probe of the world; the ones that share a count begin new batches. */
static void guard_plan(struct plan *p, struct world *w, size_t count)
{
	const struct probes_switch_options mode = {0};
	struct probes_error e;
	struct array chosen = ARRAY_OF(struct selected);

	for (size_t i = 0; i < count; i++)
		*(struct selected *)array_add(&chosen) = (struct selected){.probe = i};
	ck_assert_int_eq(plan_init(p, &w->catalog, &e), 0);
	ck_assert_int_eq(plan_switch(p, chosen.data, chosen.count, &mode, &e), 0);
	array_done(&chosen);
}

static unsigned guard_batches(size_t writes, size_t batch)
{
	return (unsigned)((writes + batch - 1) / batch);
}

/* Apply, without a single allocation. (Checks of libcheck allocate: none in between.) */
static int guard_run(struct apply *apply, struct world *w, struct probes_error *e)
{
	size_t allocations = guard_allocations;
	int r = apply_run(apply, &w->fake.memory, e);

	allocations = guard_allocations - allocations;
	ck_assert_uint_eq(allocations, 0);
	return r;
}

/* Apply: a write for each that is planned, one look a batch before and one after; no memory. */
START_TEST(guard_apply)
{
	static const struct {
		size_t probes, batch;
		const char *provider;
	} worlds[] = {
		{1, VERIFY_BATCH, "ocaml_2"},
		{700, VERIFY_BATCH, "ocaml_2"},
		{1024, VERIFY_BATCH, "ocaml_2"},
		{700, VERIFY_BATCH_SHARED, "ocaml"},
	};
	size_t count = worlds[_i].probes, batch = worlds[_i].batch;
	struct probes_error e = {0};
	struct guard_many g;
	struct apply apply;
	struct plan plan;
	struct world w;

	guard_world(&g, &w, count);
	for (size_t i = 0; i < count; i++)
		g.notes[i].provider = worlds[_i].provider;
	world_end(&w);
	world_begin(&w);
	world_prepare(&w, g.notes, count, GUARD_TEXT(count));
	world_add(&w, "/lib/many.so", WORLD_BIAS);
	world_read(&w);
	guard_plan(&plan, &w, count);
	ck_assert_uint_eq(plan.edits.count, 2 * count); /* a site and a count each */
	ck_assert_int_eq(apply_init(&apply, &plan, &e), 0);
	fake_reset(&w.fake);
	ck_assert(array_reserve(&w.fake.log, 4 * count)); /* the test's own memory */
	ck_assert_int_eq(guard_run(&apply, &w, &e), 0);
	ck_assert_uint_eq(w.fake.writes, plan.edits.count);
	/* One a batch before, one after. */
	ck_assert_uint_eq(w.fake.reads, 2 * guard_batches(plan.edits.count, batch));
	ck_assert_uint_eq(w.fake.log.count, plan.edits.count); /* bytes */
	apply_done(&apply);
	plan_done(&plan);
	world_end(&w);
	guard_end(&g);
}
END_TEST

/* Undoing allocates nothing either: it happens while the process stands still, too. */
START_TEST(guard_undo)
{
	struct probes_error e = {0};
	struct guard_many g;
	struct apply apply;
	struct plan plan;
	struct world w;

	guard_world(&g, &w, 900);
	world_read(&w);
	guard_plan(&plan, &w, 900);
	ck_assert_int_eq(apply_init(&apply, &plan, &e), 0);
	fake_reset(&w.fake);
	ck_assert(array_reserve(&w.fake.log, 4 * plan.edits.count));
	w.fake.fail_write = (unsigned)plan.edits.count;
	ck_assert_int_lt(guard_run(&apply, &w, &e), 0);
	/* The writes that were made, once there and once back; the one that failed. */
	ck_assert_uint_eq(w.fake.writes, 2 * plan.edits.count - 1);
	/* Two looks a batch, and two while it is undone. */
	ck_assert_uint_eq(w.fake.reads, 4 * guard_batches(plan.edits.count, VERIFY_BATCH_SHARED));
	apply_done(&apply);
	plan_done(&plan);
	world_end(&w);
	guard_end(&g);
}
END_TEST

/* A switch as a whole: a reading before, two looks a batch, a reading after, and its writes. */
START_TEST(guard_switch)
{
	const struct probes_action all = {
		.verb = PROBES_ENABLE, .by = PROBES_BY_REGEXP, .text = "o"};
	struct probes_result *result;
	struct probes_error e = {0};
	struct session_world x;

	session_begin(&x, "");
	ck_assert_int_eq(probes_switch(&x.s, &all, 1, NULL, &result, &e), 0);
	ck_assert_uint_gt(result->edit_count, 0);
	ck_assert_uint_eq(x.w.fake.writes, result->edit_count);
	ck_assert_uint_eq(
		x.w.fake.reads, 2 + 2 * guard_batches(result->edit_count, VERIFY_BATCH_SHARED));
	ck_assert_uint_eq(result->stopped_ns, 0);
	probes_result_free(result);
	session_must_restore(&x);
	session_end(&x);
}
END_TEST

/* ---- files ---- */

/* Bytes that this process has read so far, by any call; -1 where the kernel does not count. */
static long long guard_rchar(void)
{
	FILE *f = fopen("/proc/self/io", "r");
	long long count = -1;

	if (f && fscanf(f, "rchar: %lld", &count) != 1)
		count = -1;
	if (f)
		fclose(f);
	return count;
}

static long long guard_read_object(int fd)
{
	struct object *object;
	struct probes_error e;
	long long before = guard_rchar();

	ck_assert_int_eq(object_read(fd, "guard", &object, &e), 0);
	ck_assert_uint_eq(object->note_count, 1000);
	object_free(object);
	return guard_rchar() - before;
}

/* A file of 2 GiB: its section headers, and those alone, lie behind a hole of debug sections. */
static int guard_sparse(const struct elf_file *f)
{
	const off_t end = (off_t)2 << 30;
	size_t size = f->section_count * sizeof(Elf64_Shdr);
	int fd = elf_open(f->bytes, f->size);
	Elf64_Shdr debug = {
		.sh_type = SHT_PROGBITS, .sh_offset = f->size, .sh_size = (uint64_t)end - f->size};
	Elf64_Ehdr header;

	memcpy(&header, f->bytes, sizeof header);
	header.e_shoff = (uint64_t)end;
	header.e_shnum++;
	ck_assert_int_eq(pwrite(fd, &header, sizeof header, 0), sizeof header);
	ck_assert_int_eq(pwrite(fd, f->bytes + f->sections, size, end), size);
	ck_assert_int_eq(pwrite(fd, &debug, sizeof debug, end + (off_t)size), sizeof debug);
	return fd;
}

/* As much is read of it as of the same notes in a small file: one more section header. */
START_TEST(guard_file)
{
	struct guard_many g;
	struct elf_spec spec = {.note_count = 1000, .text_size = 0x4000, .data_size = 0x1000};
	unsigned char *text = calloc(1, spec.text_size);
	struct elf_file f;
	long long small, large, own = guard_rchar();

	if (own < 0)
		return; /* this kernel keeps no such counts */
	own = guard_rchar() - own;
	guard_begin(&g, 1000);
	spec.notes = g.notes;
	spec.text = text;
	f = elf_build(&spec);
	small = guard_read_object(elf_open(f.bytes, f.size)) - own;
	large = guard_read_object(guard_sparse(&f)) - own;
	ck_assert_int_gt(small, 0);
	ck_assert_int_lt(small, (long long)f.notes_size + 8192);
	ck_assert_int_lt(large, small + 8192);
	free(f.bytes);
	free(text);
	guard_end(&g);
}
END_TEST

Suite *guard_suite(void)
{
	Suite *s = suite_create("guard");
	TCase *t = tcase_create("guard");

	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, guard_refresh, 0, 4);
	tcase_add_loop_test(t, guard_change, 0, 2);
	tcase_add_loop_test(t, guard_apply, 0, 4);
	tcase_add_test(t, guard_undo);
	tcase_add_test(t, guard_switch);
	tcase_add_test(t, guard_file);
	suite_add_tcase(s, t);
	return s;
}
