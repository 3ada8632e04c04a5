/*
 * The probes of one object: its notes grouped, checked and laid out, with room
 * for their live values. Arrays are allocated once and never move.
 */
#ifndef PROBE_OBJECT_PROBES_H
#define PROBE_OBJECT_PROBES_H

#include "elf/object.h"
#include "elf/symbols.h"
#include "probe/kind.h"
#include "probes.h"
#include "process/maps.h"

/* The `broken` reason of a probe whose original code is unknown: its state is still read. */
extern const char object_probes_no_code[];

struct object_probes {
	struct probes_object info;
	char *path;
	char build_id[129];
	char why[192];
	struct maps_location location; /* by which it is told again */
	bool no_code;                  /* known from a debug file: `original` is not known */
	char *strings;                 /* what the probes' texts point into */
	struct object *file;           /* owned; NULL where there are no notes */
	struct symbols *symbols;       /* owned; opened when somebody looks at a site */

	struct probes_probe *probes; /* sorted by provider, then name */
	size_t probe_count;
	struct probes_site *sites; /* those of one probe follow each other, by pc */
	size_t site_count;
	struct probes_semaphore *semaphores; /* likewise, by address */
	size_t semaphore_count;

	uint8_t (*original)[ARCH_SITE_BYTES]; /* per site: the file's bytes */
	uint32_t *same;                       /* NULL: none is shared (object_probes_same) */

	/* live, per probe, site and semaphore */
	struct probes_live *live;
	struct probes_site_live *site_live;
	uint32_t *values;     /* PROBES_NONE: not read */

	/* What the session changed here (session/session.h), which frees it; NULL: nothing. */
	struct account *account;
};

/*
 * Lay out what `file` declares (its owner from here on, also on failure; NULL: `why` tells).
 * `live`: there is a process, in which address = bias + vaddr.
 */
int object_probes_new(const struct probes_object *info, struct object *file, const char *why,
	bool live, struct object_probes **object_probes, struct probes_error *e);
void object_probes_free(struct object_probes *h);

/* The build-id of a object_probes without a file, as memory has it. */
void object_probes_set_build_id(struct object_probes *h, const unsigned char *bytes, size_t size);

/* Its object is mapped no more: forget all that was known of its memory. */
void object_probes_unload(struct object_probes *h);

/*
 * Check which semaphores are writable now, by the writable ranges of the process (struct
 * maps_range): a probe with an unwritable semaphore is broken for that time. Returns whether any
 * probe changed.
 */
bool object_probes_check_writable(struct object_probes *h, const struct array *ranges);

/* Index, within the object_probes, of a probe's first site and first semaphore. */
size_t object_probes_site(const struct object_probes *h, const struct probes_probe *p);
size_t object_probes_semaphore(const struct object_probes *h, const struct probes_probe *p);

/* The first semaphore at the address of this one: probes that share it share what is known of it.
 */
static inline uint32_t object_probes_same(const struct object_probes *h, size_t semaphore)
{
	return h->same ? h->same[semaphore] : (uint32_t)semaphore;
}

/* Index, within the object_probes, of the probe that has this site or semaphore. */
size_t object_probes_probe_of(const struct object_probes *h, bool is_site, size_t index);

#endif
