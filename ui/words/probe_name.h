/*
 * The spelling of probes, so that commands accept every name that a listing prints:
 * "name" if it is unique in the session, else "provider:name".
 */
#pragma once

#include "probes.h"

/* Which names are unambiguous in one session. */
struct probe_name {
	const struct probes_session *session;
	unsigned char *flags; /* one per probe */
};

/* O(n log n). 0 or -ENOMEM. */
PROBES_CHECK int probe_name_init(struct probe_name *s, const struct probes_session *session);
void probe_name_done(struct probe_name *s);

/* The shortest unambiguous spelling, escaped. Always NUL-terminates; returns the untruncated
 * length, as snprintf does. */
size_t probe_name_short(const struct probe_name *s, size_t probe, char *out, size_t size);
/* Do several objects have this provider:name? */
bool probe_name_shared(const struct probe_name *s, size_t probe);

/* "provider:name", escaped, commas included; the engine unescapes names. Buffer and result as for
 * probe_name_short. */
size_t probe_name_full(const struct probes_probe *probe, char *out, size_t size);
/* The part of a path after its last slash; the whole path if that part is empty. */
const char *probe_name_base(const char *path);
