/*
 * Objects of a process that could not be read, so that their probes are unknown: how many, and
 * which. Unloaded objects do not count.
 */
#ifndef UI_UNREAD_H
#define UI_UNREAD_H

#include "probes.h"

bool unread_is(const struct probes_object *object);
size_t unread_count(const struct probes_session *session);

/* "libfoo.so, libbar.so and 3 more", raw. Returns out. */
const char *unread_names(const struct probes_session *session, char *out, size_t size);

#endif
