/*
 * Which probes a verb prints.
 *
 * Owns the choice of rows, by -provider and -object or by what an action
 * touched, and small facts that every format needs. Must not print.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/probe_name.h"
#include "ui/report.h"
#include "ui/rows.h"
#include "ui/unread.h"

static int reserve(
	struct rows *rows, struct probes_session *session, size_t count, struct probes_error *e)
{
	*rows = (struct rows){.session = session, .items = calloc(count + 1, sizeof *rows->items)};
	if (rows->items)
		return 0;
	return report_set(
		e, PROBES_FAILED, -ENOMEM, "cannot list the probes", "", "%s", strerror(ENOMEM));
}

static bool is_object(const struct probes_object *object, const char *wanted)
{
	return !strcmp(object->path, wanted) || !strcmp(probe_name_base(object->path), wanted);
}

static bool chosen(const struct probes_session *session, const struct probes_probe *probe,
	const struct options *o)
{
	if (o->provider && strcmp(probe->provider, o->provider))
		return false;
	return !o->object || is_object(probes_object_at(session, probe->object), o->object);
}

/* Append ", word" to a list that is cut where it is full. */
static void join(char *list, size_t size, const char *word)
{
	size_t used = strlen(list);

	if (used + strlen(word) + 3 < size)
		snprintf(list + used, size - used, "%s%s", used ? ", " : "", word);
}

/* The objects and providers that there are, for those who asked for another. */
static int none_chosen(
	const struct probes_session *session, const struct options *o, struct probes_error *e)
{
	char hint[sizeof e->hint] = "";
	char list[400] = "";
	const char *last = "";

	for (size_t i = 0; o->object && i < probes_object_count(session); i++) {
		const struct probes_object *object = probes_object_at(session, i);

		if (object->probe_count)
			join(list, sizeof list, probe_name_base(object->path));
	}
	for (size_t i = 0; !o->object && i < probes_count(session); i++) {
		const char *provider = probes_at(session, i)->provider;

		if (strcmp(provider, last))
			join(list, sizeof list, provider);
		last = provider;
	}
	snprintf(hint, sizeof hint, "there are: %s", list);
	for (size_t i = 0; o->object && i < probes_object_count(session); i++) {
		const struct probes_object *object = probes_object_at(session, i);

		if (unread_is(object) && is_object(object, o->object))
			return report_set(e, PROBES_USAGE, -ENOENT, "no probe known in that object",
				hint, "%s: %s", o->object, object->why);
	}
	return report_set(e, PROBES_USAGE, -ENOENT,
		o->object ? "no probe in that object" : "no probe of that provider", hint, "%s%s%s",
		o->provider ? o->provider : "", o->provider && o->object ? " in " : "",
		o->object ? o->object : "");
}

int rows_chosen(struct rows *rows, struct probes_session *session, const struct options *o,
	struct probes_error *e)
{
	size_t count = probes_count(session);
	int r = reserve(rows, session, count, e);

	if (r)
		return r;
	for (size_t i = 0; i < count; i++)
		if (chosen(session, probes_at(session, i), o))
			rows->items[rows->count++].probe = i;
	if (!rows->count && count) {
		rows_done(rows);
		return none_chosen(session, o, e);
	}
	return 0;
}

int rows_acted(struct rows *rows, struct probes_session *session,
	const struct probes_result *result, struct probes_error *e)
{
	int r = reserve(rows, session, result->item_count, e);

	if (r)
		return r;
	for (size_t i = 0; i < result->item_count; i++)
		rows->items[rows->count++] = (struct rows_one){
			.probe = result->items[i].probe,
			.item = &result->items[i],
		};
	rows->result = result;
	return 0;
}

int rows_refresh(struct rows *rows, struct probes_error *e)
{
	size_t *which = calloc(rows->count + 1, sizeof *which);
	int r;

	if (!which)
		return report_set(e, PROBES_FAILED, -ENOMEM, "cannot read the states", "", "%s",
			strerror(ENOMEM));
	for (size_t i = 0; i < rows->count; i++)
		which[i] = rows->items[i].probe;
	r = probes_refresh(rows->session, which, rows->count, e);
	rows->live = r == 0;
	free(which);
	return r;
}

void rows_done(struct rows *rows)
{
	free(rows->items);
	*rows = (struct rows){0};
}

const char *rows_outcome(enum probes_outcome outcome)
{
	static const char *const names[] = {
		[PROBES_DONE] = "ok",
		[PROBES_SKIPPED] = "skipped",
		[PROBES_NOT_DONE] = "failed",
	};

	return names[outcome];
}

bool rows_ref(const struct rows *rows, size_t probe, uint32_t *ref)
{
	const struct probes_live *live = probes_live_at(rows->session, probe);

	*ref = live->ref_min;
	return rows->live && live->ref_min != PROBES_NONE && live->ref_min == live->ref_max;
}
