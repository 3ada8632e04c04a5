/*
 * The longer explanations on standard error. Each has a limit: a process may have thousands of
 * mappings and of probes.
 */
#include "ui/cli/explain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "ui/words/report.h"
#include "ui/words/states.h"
#include "ui/words/unreadable.h"

/* Lines of one kind without -verbose. */
#define ENOUGH 16

int explain_error(const struct probes_member *t, const struct probes_error *e, bool many)
{
	struct probes_access access;

	if (report_error_of(many ? t->pid : 0, e) != PROBES_DENIED || !t->pid)
		return (int)e->status;
	if (!t->session)
		probes_explain(t->pid, &access);
	report_access(t->session ? probes_access(t->session) : &access);
	return (int)e->status;
}

/* Filters for put_objects_that. */
static bool is_remediable(const struct probes_object *object)
{
	return object->why && object->remedy && !unreadable_is(object);
}

static bool is_without(const struct probes_object *object)
{
	return object->why && !object->remedy && !unreadable_is(object);
}

static size_t put_objects_that(const struct probes_session *session,
	bool (*is)(const struct probes_object *), size_t said, size_t most)
{
	for (size_t i = 0; i < probes_object_count(session); i++) {
		const struct probes_object *object = probes_object_at(session, i);

		if (is(object) && said++ < most)
			report_more("%s: %s", object->path, object->why);
	}
	return said;
}

void explain_unreadable(const struct probes_member *t, bool verbose)
{
	size_t count = unreadable_count(t->session), most = verbose ? SIZE_MAX : ENOUGH, said;

	if (!count)
		return;
	report_line("pid %d: %zu object%s could not be read: %s probes are not known", t->pid,
		count, count == 1 ? "" : "s", count == 1 ? "its" : "their");
	said = put_objects_that(t->session, unreadable_is, 0, most);
	if (said > most)
		report_more("and %zu more (-verbose shows all)", said - most);
}

void explain_translator(const struct probes_member *t)
{
	const char *translator = probes_translator(t->session);

	if (translator)
		report_line("pid %d: its probes can be neither switched nor counted: it runs under "
			    "%s",
			t->pid, translator);
}

int explain_nothing(const struct probes_member *t, bool verbose)
{
	size_t most = verbose ? SIZE_MAX : ENOUGH;
	size_t objects = probes_object_count(t->session), said;
	const char *translator = probes_translator(t->session);

	if (t->pid && unreadable_count(t->session))
		report_line("no probes found in process %d (%s): %zu of its %zu objects could not "
			    "be read, the others declare none",
			t->pid, probes_path(t->session), unreadable_count(t->session), objects);
	else if (t->pid)
		report_line("no probes in process %d (%s): found none in its %zu objects; %s%s",
			t->pid, probes_path(t->session), objects,
			translator ? "run the program without " : "",
			translator ? translator
			: probes_held(t->session)
				? "for what it opens or executes later, attach when it runs"
				: "build with probes, or look at another process");
	else
		report_line("no probes in %s: found none; build with probes, or name another "
			    "file",
			probes_path(t->session));
	/* Unread objects first: they may have probes. */
	said = put_objects_that(t->session, unreadable_is, 0, most);
	said = put_objects_that(t->session, is_remediable, said, most);
	said = put_objects_that(t->session, is_without, said, most);
	if (said > most)
		report_more("and %zu more (-verbose shows all)", said - most);
	return PROBES_NO_TARGET;
}

void explain_objects(const struct probes_session *session)
{
	put_objects_that(session, is_remediable, 0, SIZE_MAX);
	put_objects_that(session, is_without, 0, SIZE_MAX);
}

void explain_items(const struct probes_member *t, const struct probes_result *result,
	const struct options *o, bool follows)
{
	size_t most = o->verbose ? SIZE_MAX : ENOUGH, said = 0;
	char sums[STATES_SKIPS];

	for (size_t i = 0; i < result->item_count; i++) {
		const struct probes_item *item = &result->items[i];
		const struct probes_probe *p = probes_at(t->session, item->probe);

		if (item->outcome == PROBES_DONE ||
			(item->outcome == PROBES_SKIPPED && !o->verbose))
			continue;
		if (said++ < most)
			report_more("pid %d: %s:%s: %s", t->pid, p->provider, p->name, item->why);
	}
	if (said > most)
		report_more("and %zu more (-verbose shows all)", said - most);
	if (!said && result->skipped && result->skipped == result->item_count &&
		!result->cannot_enable && !follows)
		/* It is no error, but must not look like a change. */
		report_line("pid %d: nothing was switched: %s", t->pid,
			states_skips(result->skips, sums, sizeof sums));
}

int explain_cannot_enable(
	const struct probes_member *t, const struct probes_result *result, bool many)
{
	struct probes_error e;
	char sums[STATES_SKIPS];

	report_set(&e, PROBES_FAILED, -EOPNOTSUPP, "nothing can be enabled",
		result->skips[PROBES_SKIP_NO_SWITCH]
			? "probes-tui count, latency and events need none"
			: "",
		"%s", states_skips(result->skips, sums, sizeof sums));
	return explain_error(t, &e, many);
}

static int explain_by_probe(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

size_t explain_each_once(size_t *probes, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(probes, count, sizeof *probes, explain_by_probe);
	for (size_t i = 0; i < count; i++)
		if (!kept || probes[kept - 1] != probes[i])
			probes[kept++] = probes[i];
	return kept;
}

const char *explain_done(const struct probes_result *result, char *out, size_t size)
{
	size_t *all = calloc(result->item_count + 1, sizeof *all), probes = 0;
	int used;

	for (size_t i = 0; all && i < result->item_count; i++)
		if (result->items[i].outcome == PROBES_DONE)
			all[probes++] = result->items[i].probe;
	probes = explain_each_once(all, probes); /* several sessions may have left one */
	probes = probes ? probes : result->done;
	free(all);
	used = snprintf(out, size, "%zu probe%s", probes, probes == 1 ? "" : "s");
	if (result->sites)
		snprintf(out + used, size - (size_t)used, ", %zu site%s", result->sites,
			result->sites == 1 ? "" : "s");
	return out;
}

void explain_stop(
	const struct probes_member *t, const struct probes_result *result, const struct options *o)
{
	if (o->quiet || o->dry_run || !(o->stop || o->verbose) || probes_held(t->session))
		return;
	if (result->stopped_ns)
		report_line(
			"pid %d: stopped for %.3f ms", t->pid, (double)result->stopped_ns / 1e6);
	else
		report_line("pid %d: not stopped", t->pid);
}

void explain_count(struct tally *tally, int status)
{
	if (!status) {
		tally->good++;
		return;
	}
	if (tally->found && status == PROBES_GONE) {
		tally->gone++;
		return;
	}
	if (!tally->bad++)
		tally->first = status;
}

int explain_status(const struct tally *tally)
{
	if (!tally->bad)
		return tally->gone && !tally->good ? PROBES_GONE : PROBES_OK;
	return tally->good ? PROBES_FAILED : tally->first;
}
