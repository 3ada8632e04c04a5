/*
 * One ELF file: its segments, its build-id, its notes, its bytes. Read through libelf from a
 * descriptor, on demand: only headers, string tables and note sections are read, however large the
 * file is.
 */
#pragma once

#include "base/budget.h"
#include "base/spans.h"
#include "elf/note.h"
#include "elf/tally.h"
#include "probes.h"

#include <sys/types.h>

struct object_segment {
	uint64_t vaddr, offset, filesz, memsz;
	bool readable, writable, executable;
};

/* The state of a file's section headers. */
enum object_sections {
	OBJECT_SECTIONS_READ,
	OBJECT_SECTIONS_NONE, /* stripped */
	OBJECT_SECTIONS_BAD   /* zeroed, cut off, or without the names of the sections */
};

/* Identifies a file across a close and a reopen. Compared by memcmp: no padding. */
struct object_mark {
	uint64_t device, inode, size;
	int64_t seconds, nanoseconds; /* of its last change */
};

struct object {
	int fd;                          /* owned, open for reading; -1: see object_rest */
	struct object_mark mark;         /* of a file that was closed */
	bool fixed;                      /* ET_EXEC: addresses are final */
	bool no_code;                    /* a debug file: headers and notes, but no code or data */
	struct object_segment *segments; /* the PT_LOADs, in file order */
	size_t segment_count;
	uint64_t relro, relro_end; /* PT_GNU_RELRO: becomes read-only after relocation; 0: none */
	uint64_t headers_vaddr;    /* where the program headers are loaded; 0: unknown */
	char *interpreter;         /* PT_INTERP, or NULL */
	unsigned char build_id[64];
	size_t build_id_size;    /* 0: none */
	uint64_t build_id_vaddr; /* of its bytes, when a segment holds them; else 0 */
	enum object_sections sections;
	struct note *notes; /* prelink-adjusted; from sections, else from PT_NOTE segments */
	size_t note_count;
	size_t note_malformed; /* malformed notes or sections, which were skipped */
	bool notes_compressed; /* a notes section is compressed and was skipped */
	size_t note_left_out;  /* the last notes, which the budget refused */
	struct tally tally;    /* its probes, if they were only counted */
	char *strings;         /* the strings that the notes point to */
};

/*
 * Read an ELF file for this machine. Takes ownership of `fd`, also on failure (closed then). `name`
 * is for errors. Status PROBES_NO_TARGET: not an ELF file, for another machine, or truncated.
 */
int object_read(int fd, const char *name, struct object **object, struct probes_error *e);
void object_free(struct object *object);

/* How much of a file to keep in memory. */
struct object_terms {
	struct budget *budget; /* charged for what is kept; NULL: limited only by the file's size */
	bool count;            /* keep no notes, only count their probes */
};

/* The same with terms. PROBES_FAILED, -E2BIG: the budget refused the file. */
int object_read_on(int fd, const char *name, const struct object_terms *terms,
	struct object **object, struct probes_error *e);

/*
 * object_rest closes the file, to free a descriptor; its bytes cannot be read until it is reopened.
 * object_wake takes a new descriptor of the file; if that is another file, or the file has changed,
 * it closes the descriptor and returns false.
 */
void object_rest(struct object *object);
bool object_wake(struct object *object, int fd);

/* Free the notes; return their strings, which the caller frees. */
char *object_drop_notes(struct object *object);

/* The PT_LOAD that contains these bytes at run time, or NULL. */
const struct object_segment *object_segment_at(
	const struct object *object, uint64_t vaddr, uint64_t length);

/*
 * Fill the spans (addresses are vaddrs) from the file into buffer (spans->total bytes) and set
 * `got` of each span. Holes between segments are read as zeros; reading ends where the file does.
 */
void object_read_spans(const struct object *object, struct spans *spans, unsigned char *buffer);

/* The link-time address of a defined dynamic symbol, or 0. */
uint64_t object_symbol(const struct object *object, const char *symbol);
