/*
 * A process that does not exist: objects made by elf_builder, laid out as objects of a catalog,
 * and a memory in arrays that fails, tears and changes at whatever step a test says. One world at
 * a time.
 */
#ifndef UNIT_WORLD_H
#define UNIT_WORLD_H

#include "elf_builder.h"
#include "patch/plan.h"
#include "probe/catalog.h"
#include "process/memory.h"

#define WORLD_BIAS 0x7f0000000000ULL
#define WORLD_PC(offset) (ELF_TEXT + (offset))
#define WORLD_DATA(offset) (ELF_DATA + (offset))
#define WORLD_DATA_SIZE 0x1000

/* ---- the memory ---- */

struct fake_region {
	uint64_t address;
	size_t size;
	unsigned char *bytes; /* shared with children */
	bool absent;          /* unmapped: reads and writes fault */
};

struct fake_write {
	uint64_t address;
	size_t length;
	uint8_t bytes[4];
};

/* Whom this world lets write to its code: only who traces the process of the test, say. */
enum fake_writers { FAKE_ALL, FAKE_TRACER, FAKE_NOBODY };

struct fake {
	struct memory memory;
	struct fake_region regions[8];
	size_t region_count;
	unsigned reads, writes;         /* calls so far */
	size_t ranges;                  /* read in all those calls */
	unsigned fail_read, fail_write; /* the call that fails, from 1; 0: none */
	bool stay_broken;               /* all calls after it fail, too */
	int code;                       /* what the failure returns */
	uint64_t hole, hole_end;        /* reads fault between these */
	enum fake_writers code_is_for;
	pid_t process; /* that of the test */
	size_t tear;   /* bytes that a failing write changes before it fails */
	void (*before)(struct fake *f, bool write, void *data); /* before every call */
	void *data;
	struct array log; /* struct fake_write: those that were made */
};

/* The byte at an address, which must be there. */
unsigned char *fake_at(struct fake *f, uint64_t address);

/* Forget what was counted, failed and logged. */
void fake_reset(struct fake *f);

/* A copy of all bytes (free), and whether they are the same now. */
unsigned char *fake_snapshot(const struct fake *f);
bool fake_same(const struct fake *f, const unsigned char *snapshot);

/* ---- the objects ---- */

struct world {
	struct catalog catalog;
	struct fake fake;
	unsigned char *text; /* of the object in the making: what its file holds at ELF_TEXT */
	size_t text_size;
	const struct elf_note *notes;
	size_t note_count;
	size_t relro; /* as elf_spec's */
};

void world_begin(struct world *w);
void world_end(struct world *w);

/*
 * Prepare an object: its text holds a fitting instruction at the pc of every note (an OCaml site
 * that is off, or a nop), which the test may change before it is added.
 */
void world_prepare(struct world *w, const struct elf_note *notes, size_t count, size_t text_size);

/* What is prepared, as a file, and as memory at this bias. */
struct object *world_file(const struct world *w);
void world_map(struct world *w, uint64_t bias);

/* Add it, mapped with this bias. */
struct object_probes *world_add(struct world *w, const char *path, uint64_t bias);

/* begin, prepare and add of one object, "/lib/libtest.so". */
struct object_probes *world_of(struct world *w, const struct elf_note *notes, size_t count);

/* Read and judge everything. */
void world_read(struct world *w);

/* The index of the first probe with this name; the test ends where there is none. */
size_t world_probe(const struct world *w, const char *name);
struct probes_live *world_live(const struct world *w, const char *name);
const struct probes_probe *world_at(const struct world *w, const char *name);

/* In memory: a count, and the byte that switches a site, by their addresses in the file. */
unsigned world_count(struct world *w, uint64_t vaddr);
void world_set_count(struct world *w, uint64_t vaddr, unsigned count);
unsigned char *world_byte(struct world *w, uint64_t vaddr);

#endif
