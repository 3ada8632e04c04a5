/*
 * How a probe is spelled, so that whatever a listing prints is accepted as
 * input: "name" where one probe of the session has it, else "provider:name".
 */
#ifndef UI_SPELL_H
#define UI_SPELL_H

#include "probes.h"

/* Which names are unambiguous in one session. */
struct spell {
	const struct probes_session *session;
	unsigned char *flags; /* one per probe */
};

/* O(n log n). 0 or -ENOMEM. */
PROBES_CHECK int spell_init(struct spell *s, const struct probes_session *session);
void spell_done(struct spell *s);

/* The shortest unambiguous spelling, escaped; always NUL-terminated. Returns the
 * length that a large enough buffer would hold, as snprintf does. */
size_t spell_short(const struct spell *s, size_t probe, char *out, size_t size);
/* Whether more than one object has this provider:name. */
bool spell_shared(const struct spell *s, size_t probe);

/* "provider:name", escaped (a comma too, since it separates names on the command line). The
 * engine undoes the escapes in the names that it is given. */
size_t spell_full(const struct probes_probe *probe, char *out, size_t size);
/* What follows the last slash of a path; never empty for a path that is not. */
const char *spell_base(const char *path);

#endif
