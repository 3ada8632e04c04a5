/*
 * What one ELF file says: its segments, its build-id, its notes. Read through
 * libelf from a descriptor, on demand: headers, string tables and the note
 * sections are all that is touched of a file, however large it is.
 */
#ifndef ELF_OBJECT_H
#define ELF_OBJECT_H

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

/* What the section headers of a file are worth. */
enum object_sections {
	OBJECT_SECTIONS_READ,
	OBJECT_SECTIONS_NONE, /* stripped of them */
	OBJECT_SECTIONS_BAD   /* zeroed, cut off, or without the names of the sections */
};

/* By which a file that was closed is told again; nothing between the members. */
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
	struct note *notes; /* prelink-adjusted; of the sections, else of the PT_NOTE segments */
	size_t note_count;
	size_t note_malformed; /* notes or sections that made no sense and were left out */
	bool notes_compressed; /* a section of them is, and was left out for that */
	size_t note_left_out;  /* for which the budget had no room: its last ones */
	struct tally tally;    /* of the probes of a file that was only counted */
	char *strings;         /* what the notes point into */
};

/*
 * Read an ELF file for this machine. `fd` becomes the object's, also on failure (closed then).
 * `name` is for the texts of errors. Status PROBES_NO_TARGET: no ELF, another machine's, truncated.
 */
int object_read(int fd, const char *name, struct object **object, struct probes_error *e);
void object_free(struct object *object);

/* How much of a file is taken into memory. */
struct object_terms {
	struct budget
		*budget; /* what is kept is taken from it; NULL: no bound but the file's size */
	bool count;      /* keep no note: count the probes that they make */
};

/* The same on terms. A file that has no room in the budget for anything: PROBES_FAILED, -E2BIG. */
int object_read_on(int fd, const char *name, const struct object_terms *terms,
	struct object **object, struct probes_error *e);

/*
 * Close the file, for which there may be no descriptor to spare; its bytes cannot be read until it
 * is opened again. object_wake takes such a descriptor (closed where it is of another file, or of
 * one that was changed meanwhile: false).
 */
void object_rest(struct object *object);
bool object_wake(struct object *object, int fd);

/* Free the notes; their strings become the caller's (free). */
char *object_drop_notes(struct object *object);

/* The PT_LOAD that holds these bytes at run time, or NULL. */
const struct object_segment *object_segment_at(
	const struct object *object, uint64_t vaddr, uint64_t length);

/*
 * Fill the spans (addresses are vaddrs) from the file into buffer (spans->total bytes) and set
 * each span's `got`. Bytes beyond what the file holds are simply not got.
 */
void object_read_spans(const struct object *object, struct spans *spans, unsigned char *buffer);

/* The link-time address of a defined dynamic symbol, or 0. */
uint64_t object_symbol(const struct object *object, const char *symbol);

#endif
