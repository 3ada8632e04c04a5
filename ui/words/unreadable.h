/* Loaded objects of a process that could not be read: their probes are unknown. */
#pragma once

#include "probes.h"

static inline bool unreadable_is(const struct probes_object *object)
{
	return object->unread && !object->gone;
}

static inline size_t unreadable_count(const struct probes_session *session)
{
	size_t count = 0;

	for (size_t i = 0; i < probes_object_count(session); i++)
		count += unreadable_is(probes_object_at(session, i));
	return count;
}
