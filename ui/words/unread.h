/*
 * Loaded objects of a process that could not be read: their probes are unknown.
 */
#ifndef UI_WORDS_UNREAD_H
#define UI_WORDS_UNREAD_H

#include "probes.h"

static inline bool unread_is(const struct probes_object *object)
{
	return object->unread && !object->gone;
}

static inline size_t unread_count(const struct probes_session *session)
{
	size_t count = 0;

	for (size_t i = 0; i < probes_object_count(session); i++)
		count += unread_is(probes_object_at(session, i));
	return count;
}

#endif
