/*
 * Why sites are not counted, or their callers unknown: each reason once, with the number of its
 * sites, most first.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "probes.h"

#define REASONS_MOST 32 /* different ones; of more, the others are only counted */

struct reasons_one {
	const char *why; /* of the engine: not escaped */
	size_t sites;
};

/* Starts zeroed. */
struct reasons {
	struct reasons_one all[REASONS_MOST];
	size_t count;
	size_t sites; /* of all reasons */
};

/* Add a site. */
void reasons_add_one(struct reasons *r, const char *why);

/* Add those of the sites of a probe that are not counted, though that was tried. */
void reasons_add(struct reasons *r, const struct probes_session *session, size_t probe);

/* Add those of the sites of a probe whose callers are unknown, though that was asked for. */
void reasons_add_callers(struct reasons *r, const struct probes_session *session, size_t probe);

/* Report each; probe: whose sites they are, or "". */
void reasons_tell(const struct reasons *r, const char *probe);

/* "2 sites lost their jumps: ...": what is missing where others took jumps away. Returns out. */
const char *reasons_lost(uint64_t sites, char *out, size_t size);

/* Why hits are not those of one process (struct probes_hits, shared). Returns out. */
const char *reasons_shared(pid_t shared, char *out, size_t size);
