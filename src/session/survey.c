/*
 * The public call that counts the probes of a process and keeps nothing.
 */
#include "session/session.h"

#include "base/error.h"

int probes_survey(pid_t pid, struct probes_survey *survey, struct probes_error *e)
{
	struct probes_session s = {.who = {.pidfd = -1, .proc = -1, .task = -1},
		.memory.fd = -1,
		.process = true,
		.terms = {.count = true}};
	struct image image = {.terms = &s.terms};
	int r = session_take_hold(&s, pid, &image, e);

	*survey = (struct probes_survey){0};
	for (size_t i = 0; r == 0 && i < image.objects.count; i++) {
		const struct image_object *o = ARRAY_AT(&image.objects, struct image_object, i);

		survey->objects++;
		survey->probes += o->probes;
		survey->unread += o->unread;
		survey->more = survey->more || o->more;
	}
	if (r == 0) {
		image_done(&image);
		r = identity_execed(&s.who) ? identity_gone(&s.who, e) : probes_alive(&s, e);
	}
	memory_close(&s.memory);
	identity_close(&s.who);
	return r;
}
