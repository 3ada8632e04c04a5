/* Distinguishes unread objects from those without probes. Must not print. */
#include "ui/unread.h"

#include <stdio.h>
#include <string.h>

#include "ui/probe_name.h"

#define NAMED 3

bool unread_is(const struct probes_object *object)
{
	return object->unread && !object->gone;
}

size_t unread_count(const struct probes_session *session)
{
	size_t count = 0;

	for (size_t i = 0; i < probes_object_count(session); i++)
		count += unread_is(probes_object_at(session, i));
	return count;
}

const char *unread_names(const struct probes_session *session, char *out, size_t size)
{
	size_t count = 0;

	out[0] = '\0';
	for (size_t i = 0; i < probes_object_count(session); i++) {
		const struct probes_object *object = probes_object_at(session, i);
		size_t used = strlen(out);

		if (unread_is(object) && count++ < NAMED)
			snprintf(out + used, size - used, "%s%.80s", used ? ", " : "",
				probe_name_base(object->path));
	}
	if (count > NAMED)
		snprintf(out + strlen(out), size - strlen(out), " and %zu more", count - NAMED);
	return out;
}
