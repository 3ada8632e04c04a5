/* See world.h. */
#include "world.h"

#include "probe/reader.h"
#include "probe/state.h"
#include "process/procfs.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the memory ---- */

/* The one in use: a session holds a copy of its struct memory. */
static struct fake *fake_current;

static struct fake_region *fake_find(struct fake *f, uint64_t address)
{
	for (size_t i = 0; i < f->region_count; i++)
		if (address >= f->regions[i].address &&
			address - f->regions[i].address < f->regions[i].size)
			return &f->regions[i];
	return NULL;
}

unsigned char *fake_at(struct fake *f, uint64_t address)
{
	struct fake_region *r = fake_find(f, address);

	ck_assert_ptr_nonnull(r);
	return &r->bytes[address - r->address];
}

static size_t fake_copy(struct fake *f, const struct span *s, unsigned char *to)
{
	size_t got = 0;

	while (got < s->length) {
		const struct fake_region *r = fake_find(f, s->address + got);
		size_t at, more;

		if (!r || r->absent ||
			(s->address + got >= f->hole && s->address + got < f->hole_end))
			break;
		at = s->address + got - r->address;
		more = r->size - at < s->length - got ? r->size - at : s->length - got;
		if (s->address + got < f->hole && more > f->hole - (s->address + got))
			more = f->hole - (s->address + got);
		memcpy(to + got, r->bytes + at, more);
		got += more;
	}
	return got;
}

static bool fake_fails(const struct fake *f, unsigned step, unsigned fail)
{
	return fail && (step == fail || (f->stay_broken && step > fail));
}

static int fake_read(struct memory *m, struct spans *spans, unsigned char *buffer)
{
	struct fake *f = fake_current;

	(void)m;
	f->reads++;
	f->ranges += spans->list.count;
	if (f->before)
		f->before(f, false, f->data);
	for (size_t i = 0; i < spans->list.count; i++) {
		struct span *s = ARRAY_AT(&spans->list, struct span, i);

		s->got = fake_copy(f, s, buffer + s->offset);
	}
	/* Even then the buffer may hold part of it. */
	return fake_fails(f, f->reads, f->fail_read) ? f->code : 0;
}

/* As the kernel does with proc_mem.force_override; the first region is the code. */
static bool fake_bars(struct fake *f, uint64_t address)
{
	char name[64];

	if (f->code_is_for == FAKE_ALL || fake_find(f, address) != &f->regions[0])
		return false;
	return f->code_is_for == FAKE_NOBODY || procfs_tracer(AT_FDCWD, name, sizeof name,
							"/proc/%d/status", f->process) != getpid();
}

static int fake_write(struct memory *m, uint64_t address, const void *bytes, size_t length)
{
	struct fake *f = fake_current;
	size_t made = length;
	int code = 0;

	(void)m;
	f->writes++;
	if (f->before)
		f->before(f, true, f->data);
	if (fake_bars(f, address))
		return -EIO;
	if (fake_fails(f, f->writes, f->fail_write)) {
		code = f->code;
		made = f->tear < length ? f->tear : length;
	}
	for (size_t i = 0; i < made; i++) {
		struct fake_region *r = fake_find(f, address + i);
		struct fake_write *log;

		if (!r || r->absent)
			return -EIO;
		r->bytes[address + i - r->address] = ((const unsigned char *)bytes)[i];
		log = array_add(&f->log);
		/* No check of libcheck: they allocate, and test_guard counts. */
		if (!log)
			abort();
		*log = (struct fake_write){address + i, 1, {((const uint8_t *)bytes)[i]}};
	}
	return code;
}

static const struct memory_ops fake_ops = {.read = fake_read, .write = fake_write};

static void fake_add(struct fake *f, uint64_t address, const unsigned char *bytes, size_t size)
{
	struct fake_region *r = &f->regions[f->region_count++];

	ck_assert_uint_le(f->region_count, sizeof f->regions / sizeof *f->regions);
	*r = (struct fake_region){.address = address, .size = size};
	r->bytes = mmap(NULL, size + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(r->bytes, MAP_FAILED);
	f->process = getpid();
	if (bytes)
		memcpy(r->bytes, bytes, size);
}

void fake_reset(struct fake *f)
{
	f->reads = f->writes = f->fail_read = f->fail_write = 0;
	f->stay_broken = false;
	f->tear = 0;
	f->code = -EIO;
	f->before = NULL;
	f->log.count = 0;
}

unsigned char *fake_snapshot(const struct fake *f)
{
	size_t total = 0, at = 0;
	unsigned char *all;

	for (size_t i = 0; i < f->region_count; i++)
		total += f->regions[i].size;
	all = malloc(total + 1);
	ck_assert_ptr_nonnull(all);
	for (size_t i = 0; i < f->region_count; at += f->regions[i++].size)
		memcpy(all + at, f->regions[i].bytes, f->regions[i].size);
	return all;
}

bool fake_same(const struct fake *f, const unsigned char *snapshot)
{
	size_t at = 0;

	for (size_t i = 0; i < f->region_count; at += f->regions[i++].size)
		if (memcmp(snapshot + at, f->regions[i].bytes, f->regions[i].size))
			return false;
	return true;
}

/* ---- the objects ---- */

void world_begin(struct world *w)
{
	*w = (struct world){0};
	catalog_init(&w->catalog);
	fake_current = &w->fake;
	w->fake.memory = (struct memory){.ops = &fake_ops, .pid = 1, .fd = -1};
	w->fake.log = ARRAY_OF(struct fake_write);
	fake_reset(&w->fake);
}

void world_end(struct world *w)
{
	catalog_done(&w->catalog);
	for (size_t i = 0; i < w->fake.region_count; i++)
		munmap(w->fake.regions[i].bytes, w->fake.regions[i].size + 1);
	array_done(&w->fake.log);
	free(w->text);
}

static void world_put_site(struct world *w, const struct elf_note *n)
{
	static const unsigned char off[6] = {0x90, 0x3d, 0x11, 0x22, 0x33, 0x44};
	uint64_t at = n->pc - ELF_TEXT;
	bool ocaml = !strncmp(n->provider, "ocaml", 5);

	if (n->pc < ELF_TEXT || at >= w->text_size || w->text_size - at < 6)
		return;
	memcpy(w->text + at, off, ocaml ? 6 : 1);
}

void world_prepare(struct world *w, const struct elf_note *notes, size_t count, size_t text_size)
{
	free(w->text);
	w->text = malloc(text_size);
	ck_assert_ptr_nonnull(w->text);
	for (size_t i = 0; i < text_size; i++)
		w->text[i] = (unsigned char)(0x40 + i % 0x2f);
	w->text_size = text_size;
	w->notes = notes;
	w->note_count = count;
	for (size_t i = 0; i < count; i++)
		world_put_site(w, &notes[i]);
}

struct object *world_file(const struct world *w)
{
	const struct elf_spec spec = {.notes = w->notes,
		.note_count = w->note_count,
		.text = w->text,
		.text_size = w->text_size,
		.data_size = WORLD_DATA_SIZE,
		.relro = w->relro};
	struct elf_file f = elf_build(&spec);
	struct probes_error e;
	struct object *file;

	ck_assert_int_eq(object_read(elf_open(f.bytes, f.size), "a file", &file, &e), 0);
	free(f.bytes);
	return file;
}

void world_map(struct world *w, uint64_t bias)
{
	fake_add(&w->fake, bias + ELF_TEXT, w->text, w->text_size);
	fake_add(&w->fake, bias + ELF_DATA, NULL, WORLD_DATA_SIZE);
}

struct object_probes *world_add(struct world *w, const char *path, uint64_t bias)
{
	struct probes_object info = {.path = path, .bias = bias};
	struct object *file = world_file(w);
	struct probes_error e;
	struct object_probes *h;

	ck_assert_int_eq(object_probes_new(&info, file, "", true, &h, &e), 0);
	ck_assert(catalog_add(&w->catalog, h));
	world_map(w, bias);
	return h;
}

struct object_probes *world_of(struct world *w, const struct elf_note *notes, size_t count)
{
	world_begin(w);
	world_prepare(w, notes, count, 0x2000);
	return world_add(w, "/lib/libtest.so", WORLD_BIAS);
}

void world_read(struct world *w)
{
	struct reader r;
	bool changed;

	ck_assert(reader_init(&r, &w->catalog, NULL, 0));
	ck_assert_int_eq(reader_fetch(&r, &w->catalog, &w->fake.memory, &changed), 0);
	ck_assert(changed);
	reader_done(&r);
	for (size_t i = 0; i < w->catalog.probe_count; i++) {
		size_t local;
		struct object_probes *h = catalog_find(&w->catalog, i, &local);

		state_judge(h, local);
	}
}

size_t world_probe(const struct world *w, const char *name)
{
	for (size_t i = 0; i < w->catalog.probe_count; i++)
		if (!strcmp(catalog_probe(&w->catalog, i)->name, name))
			return i;
	ck_abort_msg("there is no probe %s", name);
	return 0;
}

struct probes_live *world_live(const struct world *w, const char *name)
{
	size_t local;
	const struct object_probes *h = catalog_find(&w->catalog, world_probe(w, name), &local);

	return &h->live[local];
}

const struct probes_probe *world_at(const struct world *w, const char *name)
{
	return catalog_probe(&w->catalog, world_probe(w, name));
}

unsigned char *world_byte(struct world *w, uint64_t vaddr)
{
	return fake_at(&w->fake, WORLD_BIAS + vaddr);
}

unsigned world_count(struct world *w, uint64_t vaddr)
{
	return world_byte(w, vaddr)[0] | (unsigned)world_byte(w, vaddr)[1] << 8;
}

void world_set_count(struct world *w, uint64_t vaddr, unsigned count)
{
	world_byte(w, vaddr)[0] = (unsigned char)count;
	world_byte(w, vaddr)[1] = (unsigned char)(count >> 8);
}
