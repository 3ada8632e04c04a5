/* Searching the code of a process. */
#include "process/gadgets.h"

#include "base/error.h"
#include "process/maps.h"
#include "process/memory.h"
#include "process/procfs.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GADGETS_PIECE 65536 /* bytes read at once */
#define GADGETS_PIECES 128  /* of one mapping, at most */

/* Where the files begin that are never unloaded: the program and its loader. */
struct gadgets_files {
	const struct mapping *file[2];
};

static bool gadgets_stays(const struct gadgets_files *files, const struct mapping *m)
{
	const char *name = strrchr(m->path, '/');

	if (!m->executable || !m->readable || m->writable || m->shared)
		return false;
	if (!m->inode)
		return !strcmp(m->path, "[vdso]");
	return (name && (!strncmp(name, "/libc.", 6) || !strncmp(name, "/libc-", 6))) ||
	       (files->file[0] && maps_share_file(m, files->file[0])) ||
	       (files->file[1] && maps_share_file(m, files->file[1]));
}

static bool gadgets_complete(const struct gadgets *g)
{
	return g->at[ARCH_USEFUL_CALL] && g->at[ARCH_USEFUL_SIGRETURN];
}

static void gadgets_search(
	struct gadgets *g, struct memory *memory, const struct mapping *m, uint8_t *piece)
{
	uint64_t at = m->start;

	for (size_t i = 0; i < GADGETS_PIECES && at < m->end && !gadgets_complete(g); i++) {
		size_t size = m->end - at < GADGETS_PIECE ? m->end - at : GADGETS_PIECE;

		if (!memory_read(memory, at, piece, size))
			return;
		for (int what = 0; what < ARCH_USEFULS; what++) {
			size_t offset = g->at[what] ? SIZE_MAX : arch_find(what, piece, size);

			/* gadgets_stand reads that many bytes. */
			if (offset != SIZE_MAX && at + offset + ARCH_USEFUL_BYTES <= m->end)
				g->at[what] = at + offset;
		}
		/* The code may lie across two pieces. */
		at += size == GADGETS_PIECE ? size - ARCH_USEFUL_BYTES : size;
	}
}

int gadgets_find(struct gadgets *g, const struct identity *who, struct memory *m,
	const struct array *mappings, struct probes_error *e)
{
	static const unsigned long known[] = {AT_PHDR, AT_BASE};
	struct gadgets_files files = {{NULL, NULL}};
	uint8_t *piece = malloc(GADGETS_PIECE);
	uint64_t address;

	*g = (struct gadgets){{0}};
	if (!piece)
		return error_memory(e, "code of a process");
	for (size_t i = 0; i < 2; i++)
		if (identity_auxv(who, known[i], &address) == 0 && address)
			files.file[i] = maps_find(mappings, address);
	for (size_t i = 0; i < mappings->count && !gadgets_complete(g); i++) {
		const struct mapping *mapping = ARRAY_AT(mappings, struct mapping, i);

		if (gadgets_stays(&files, mapping))
			gadgets_search(g, m, mapping, piece);
	}
	free(piece);
	if (gadgets_complete(g))
		return 0;
	if (!identity_alive(who) || !memory_alive(m))
		return identity_gone(who, e);
	error_set(e, PROBES_REFUSED, -ENOTSUP, "cannot run a system call in process %d", who->pid);
	error_why(e,
		"neither the program nor its C library has the code for that (a static program "
		"without signal handlers does not)");
	return error_hint(e, "count its hits by uprobes, as root; times and events need that code");
}

bool gadgets_stand(const struct gadgets *g, struct memory *m)
{
	for (int what = 0; what < ARCH_USEFULS; what++) {
		uint8_t bytes[ARCH_USEFUL_BYTES];

		if (!memory_read(m, g->at[what], bytes, sizeof bytes) ||
			arch_find(what, bytes, sizeof bytes) != 0)
			return false;
	}
	return true;
}
