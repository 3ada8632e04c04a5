/*
 * The probes of one object: what its notes describe, and the last readings of a live process.
 * Arrays are allocated once and never move.
 */
#pragma once

#include "elf/object.h"
#include "elf/symbols.h"
#include "probe/kind.h"
#include "probes.h"
#include "process/maps.h"

/* A jump that counts the hits of a site, prepared in the process (count/arena.h). */
struct object_jump {
	uint8_t length; /* of the bytes that it replaces, from the site's address on; 0: none */
	enum probes_tactic tactic : 8;
	uint8_t vary; /* bit k: the byte at k is the first of another site as well */
	uint8_t old[ARCH_SITE_BYTES], new_[ARCH_SITE_BYTES];
	uint32_t arena, entry; /* of the session: where its counter is */
	uint64_t hits;         /* at the last reading */
	uint64_t base;         /* of these, before this session: others counted already */
	bool ran;              /* it counted at some reading of this session */
	bool mine;             /* this session counts there */
	bool taken;            /* ... but another session wrote it */
	bool shared;           /* another session counts there, too: the jump stays */
	bool missed;           /* forked with it, and it was gone when the process was opened */
	uint8_t raised; /* of the first site of a probe: what its semaphores hold because this
			   session counts */
	bool placed;    /* a uprobe of this session holds the site (session/kernel.c) */
	bool torn;      /* during a repair: a killed session has left the site off, whatever its
			   count says */
	struct uprobe *uprobe; /* that counts there, or did; the session owns it; NULL: none */
	const char *why;       /* why there is none, after a try; NULL: none was made */
};

struct object_probes {
	struct object_probes *next; /* of its catalog; NULL: the last */
	struct probes_object info;
	char *path;
	char build_id[129];
	char why[192];
	struct maps_location location; /* of its mapping: a rescan recognizes the object by it */
	bool no_code;            /* known from a debug file only: there are no original bytes */
	char *strings;           /* which the probes' texts point into */
	struct object *file;     /* owned; NULL if there are no notes */
	struct symbols *symbols; /* owned; opened at the first lookup */
	char **names; /* per site: those of its arguments, one behind the other, as far as they
			 were looked up (session/detail.c); or NULL */

	struct probes_probe *probes; /* by provider, then name */
	size_t probe_count;
	struct probes_site *sites; /* those of one probe follow each other, by pc */
	size_t site_count;
	struct probes_semaphore *semaphores; /* likewise, by address */
	size_t semaphore_count;

	/* Per site: what the caller says of it (session/described.c), which is the caller's; NULL:
	   an object with a file. */
	const struct probes_described_site **described;

	/* Of a process; NULL in a session with a file. */
	uint8_t (*original)[ARCH_SITE_BYTES]; /* per site: the file's bytes */
	uint32_t *same;            /* see object_probes_same; NULL: no semaphores are shared */
	struct object_jump *jumps; /* per site; NULL: counting was never tried */
	const char *no_uprobe;     /* why the kernel places none in the file; NULL: not refused */

	/* The last readings. */
	struct probes_live *live;           /* per probe */
	struct probes_site_live *site_live; /* per site */
	uint32_t *values;                   /* per semaphore; PROBES_NONE: not read */

	/* What the session changed here (session/session.h), which frees it; NULL: nothing. */
	struct ownership *ownership;
};

/*
 * Make the probes that the notes of `file` describe. The new object owns `file`, also on failure;
 * NULL: `why` says why there is none. `live`: in a process, where address = bias + vaddr.
 */
int object_probes_new(const struct probes_object *info, struct object *file, const char *why,
	bool live, struct object_probes **object_probes, struct probes_error *e);
void object_probes_free(struct object_probes *h);

/* Set the build-id that was read from memory, of an object without a file. */
void object_probes_set_build_id(struct object_probes *h, const unsigned char *bytes, size_t size);

/* The object is no longer mapped: drop all readings. */
void object_probes_unload(struct object_probes *h);

/*
 * Mark the probes broken whose semaphores are not writable now, and unmark the others. `ranges`:
 * the writable ranges of the process (struct maps_range). Returns whether any probe changed.
 */
bool object_probes_check_writable(struct object_probes *h, const struct array *ranges);

/* Index, within the object, of a probe's first site and first semaphore. */
size_t object_probes_site(const struct object_probes *h, const struct probes_probe *p);
size_t object_probes_semaphore(const struct object_probes *h, const struct probes_probe *p);

/* The first semaphore at the same address, which stands for all semaphores there. */
static inline uint32_t object_probes_same(const struct object_probes *h, size_t semaphore)
{
	return h->same ? h->same[semaphore] : (uint32_t)semaphore;
}

/*
 * Was the jump cut off from its counter, by the last reading? A uprobe that leaves writes the first
 * byte of the file back, and no other; another tool may have switched an OCaml site off; or a
 * session was killed while it wrote one. The site runs correctly, and hits are not counted.
 */
static inline bool object_probes_cut_off(const struct object_probes *h, size_t site)
{
	const struct object_jump *j = h->jumps ? &h->jumps[site] : NULL;
	const uint8_t *live = h->site_live[site].bytes;

	if (!j || j->length <= 1 || h->site_live[site].count < j->length || live[0] != j->old[0])
		return false;
	if (j->tactic == PROBES_TACTIC_OCAML)
		return live[1] == arch_site_ocaml.off[0] &&
		       (j->torn || memcmp(live + 2, j->old + 2, 4));
	return !memcmp(live + 1, j->new_ + 1, j->length - 1u);
}

/*
 * Are these bytes of a site, that jump? The bytes behind one that was written alone are its
 * displacement, up to the next site: otherwise it is the jump of another plan, and so longer.
 */
static inline bool object_probes_jumps(
	const struct object_jump *j, const uint8_t *bytes, size_t count)
{
	if (!j->length || count < j->length || memcmp(bytes, j->new_, j->length) != 0)
		return false;
	for (size_t i = j->length; i < count && i < ARCH_JUMP_BYTES && !(j->vary >> i & 1); i++)
		if (bytes[i] != j->new_[i] && bytes[i] != ARCH_BREAKPOINT)
			return false;
	return true;
}

/* Are the hits of a site counted, by the last reading? */
static inline bool object_probes_counted(const struct object_probes *h, size_t site)
{
	const struct object_jump *j = h->jumps ? &h->jumps[site] : NULL;
	const struct probes_site_live *live = &h->site_live[site];

	if (j && j->tactic == PROBES_TACTIC_KERNEL)
		return j->placed && live->count && live->bytes[0] == ARCH_BREAKPOINT;
	return j && object_probes_jumps(j, live->bytes, live->count);
}

/* Does a jump replace the code that switches a counted site? A uprobe replaces only its nop. */
static inline bool object_probes_replaced(const struct object_probes *h, size_t site)
{
	return h->jumps && h->jumps[site].tactic != PROBES_TACTIC_KERNEL;
}

/* Index, within the object, of the probe that has this site or semaphore. */
size_t object_probes_probe_of(const struct object_probes *h, bool is_site, size_t index);

/*
 * The sites that count in each semaphore, of all probes that share it. Where the kernel counts in a
 * semaphore, too, each uprobe at one of these sites is 1 of its value.
 */
struct semaphore_sites {
	uint32_t *begin; /* per semaphore (object_probes_same): index of its first site in `sites`;
			    and the end */
	uint32_t *sites; /* indices in the object */
};

/* False: no memory; semaphore_sites_done is needed then, too. */
bool semaphore_sites_init(struct semaphore_sites *c, const struct object_probes *h);
void semaphore_sites_done(struct semaphore_sites *c);

/* The sites of one semaphore (object_probes_same), by address, each address once. */
static inline const uint32_t *semaphore_sites_of(
	const struct semaphore_sites *c, uint32_t semaphore, uint32_t *count)
{
	*count = c->begin[semaphore + 1] - c->begin[semaphore];
	return &c->sites[c->begin[semaphore]];
}
