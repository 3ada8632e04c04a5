/*
 * How a probe is spelled, so that whatever a listing prints is accepted as
 * input: "name" where one probe of the session has it, else "provider:name".
 */
#ifndef UI_PROBE_NAME_H
#define UI_PROBE_NAME_H

#include "probes.h"

/* Which names are unambiguous in one session. */
struct probe_name {
	const struct probes_session *session;
	unsigned char *flags; /* one per probe */
};

/* O(n log n). 0 or -ENOMEM. */
PROBES_CHECK int probe_name_init(struct probe_name *s, const struct probes_session *session);
void probe_name_done(struct probe_name *s);

/* The shortest unambiguous spelling, escaped; always NUL-terminated. Returns the
 * length that a large enough buffer would hold, as snprintf does. */
size_t probe_name_short(const struct probe_name *s, size_t probe, char *out, size_t size);
/* Whether more than one object has this provider:name. */
bool probe_name_shared(const struct probe_name *s, size_t probe);

/* "provider:name", escaped (a comma too, since it separates names on the command line). The
 * engine undoes the escapes in the names that it is given. */
size_t probe_name_full(const struct probes_probe *probe, char *out, size_t size);
/* What follows the last slash of a path; never empty for a path that is not. */
const char *probe_name_base(const char *path);

#endif
