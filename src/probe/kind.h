/*
 * The kinds of probe. Each is one file with one ops table; a new kind is one more file, one more
 * row in kind.c and one more value of enum probes_kind. Pure.
 *
 * What all kinds have in common (grouping notes, comparing sites with semaphores, planning) asks
 * the table and never compares the kind itself.
 */
#pragma once

#include "arch/arch.h"
#include "probes.h"

/*
 * The largest count of a semaphore that the kernel counts in, too: it reads the count as signed
 * (__update_ref_ctr in kernel/events/uprobes.c).
 */
#define KIND_SHARED_LIMIT 0x7ffe

/* What a provider's name says about its notes. */
struct kind_provider {
	const char *name;
	enum probes_kind kind;
	uint8_t count_offset; /* from the note's semaphore address to the count that we change: 2
				 where the first two bytes belong to tools like SystemTap */
	bool one_semaphore;   /* all notes of a name in one object name the same semaphore */
	bool may_be_absent;   /* pc may be 0: a probe by semaphore alone */
	uint32_t limit;       /* largest count that we set */
};

/*
 * `original` is what the object's file holds at a site, `live` what the process has in memory there
 * (both from the pc on). Every member is required unless it says "NULL:".
 */
struct kind_ops {
	/* For probes_kind_name and probes_kind_about. */
	const char *name;
	const char *(*about)(const struct probes_probe *probe);

	/* The encoding of its sites: their length, and the bytes that stay as in the file. */
	const struct arch_site *site;

	/* The notes of this provider; NULL: they are of another kind. */
	const struct kind_provider *(*provider)(const char *name);

	/*
	 * Every note names a semaphore, and no other probe counts in it. Otherwise a note may name
	 * none, and probes may share one.
	 */
	bool own_semaphore;

	/*
	 * The program passes by its sites unless a semaphore is > 0: who counts hits raises it.
	 * Otherwise sites are executed, and can be counted, whether the probe is on or off.
	 */
	bool guarded;

	/*
	 * A site is a call, or while it is off an instruction as long: a jump to a counter replaces
	 * all of it, pushes a return address, and calls the handler itself if a semaphore is > 0.
	 */
	bool call;

	/* Why a site cannot be of this kind by its original bytes, or NULL. NULL: it can by any. */
	const char *(*mismatch)(const uint8_t original[ARCH_SITE_BYTES]);

	/*
	 * The state of one site, of which `count` live bytes could be read: on or off by the site's
	 * switch; foreign: another tool has changed it; unreadable; unknown: intact, and the kind's
	 * sites have no switch. How sites and semaphores make the state of a probe: state.h.
	 */
	enum probes_state (*judge)(const uint8_t original[ARCH_SITE_BYTES],
		const uint8_t live[ARCH_SITE_BYTES], unsigned count);

	/* Who holds a foreign site. */
	enum probes_holder (*holder)(const uint8_t live[ARCH_SITE_BYTES]);

	/*
	 * The edit that switches the site at an address on or off, within the ARCH_SITE_BYTES of
	 * the site. A site follows its semaphore: on while the count is > 0. NULL: sites have no
	 * switch; only the semaphore is changed, and another tool at a site does not prevent that.
	 */
	struct probes_edit (*edit)(uint64_t address, bool on);
};

extern const struct kind_ops ocaml_ops, sdt_ops;

/* By enum probes_kind. */
extern const struct kind_ops *const kind_table[];

static inline const struct kind_ops *kind_of(const struct probes_probe *probe)
{
	return kind_table[probe->kind];
}

/* Do its sites have a switch of their own? */
static inline bool kind_switches(const struct probes_probe *probe)
{
	return kind_of(probe)->edit;
}

/* Is there nothing to switch? */
static inline bool kind_no_switch(const struct probes_probe *probe)
{
	return !probe->semaphore_count && !kind_switches(probe);
}

/* What the name of a provider says about its notes; never NULL. */
const struct kind_provider *kind_provider(const char *name);
