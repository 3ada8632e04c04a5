/* Selection. A text is looked up in one pass over the catalog, an expression likewise. */
#include "probe/select.h"

#include "base/error.h"
#include "base/escape.h"
#include "probe/nearest.h"
#include "probe/regexp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SELECT_NAMED 3 /* objects, in an error */

/* ---- narrowing ---- */

static const char *select_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Text as listings print it: the raw bytes, or what probes_escape makes of them. */
static bool select_same(const char *text, const char *decoded, const char *raw)
{
	return !strcmp(text, raw) || (decoded && !strcmp(decoded, raw));
}

static char *select_decode(const char *text)
{
	char *out = text ? malloc(strlen(text) + 1) : NULL;

	if (out && !escape_decode(text, out)) {
		free(out);
		return NULL;
	}
	return out;
}

static bool select_object_matches(const struct probes_object *o, const char *text)
{
	char *decoded = select_decode(text);
	bool same = select_same(text, decoded, o->path) ||
		    select_same(text, decoded, select_base_name(o->path));

	free(decoded);
	return same;
}

/* Walk the probes that the narrowing leaves. */
struct select_walk {
	const struct catalog *catalog;
	const struct probes_switch_options *narrow;
	char *provider; /* decoded */
	size_t object, local, index;
};

static void select_walk_begin(
	struct select_walk *w, const struct catalog *c, const struct probes_switch_options *narrow)
{
	static const struct probes_switch_options everything;

	*w = (struct select_walk){.catalog = c, .narrow = narrow ? narrow : &everything};
	w->provider = select_decode(w->narrow->provider);
}

static const struct probes_probe *select_walk_next(struct select_walk *w, size_t *index)
{
	for (; w->object < w->catalog->objects.count; w->object++, w->local = 0) {
		const struct object_probes *h = catalog_object(w->catalog, w->object);

		if (h->info.gone || (w->local == 0 && w->narrow->object &&
					    !select_object_matches(&h->info, w->narrow->object)))
			continue;
		while (w->local < h->probe_count) {
			const struct probes_probe *p = &h->probes[w->local++];

			*index = h->info.first_probe + w->local - 1;
			if (!w->narrow->provider ||
				select_same(w->narrow->provider, w->provider, p->provider))
				return p;
		}
	}
	return NULL;
}

static void select_walk_end(struct select_walk *w)
{
	free(w->provider);
}

/* ---- what the narrowing leaves ---- */

/* Append ", word", unless the list is full. */
static void select_join(char *list, size_t size, const char *word)
{
	size_t used = strlen(list);

	if (used + strlen(word) + 3 < size)
		snprintf(list + used, size - used, "%s%s", used ? ", " : "", word);
}

/* Does the narrowing leave no probe at all? */
static bool select_leaves_nothing(
	const struct catalog *c, const struct probes_switch_options *narrow)
{
	struct select_walk w;
	size_t index;
	bool nothing;

	if (!c->probe_count || !narrow || (!narrow->provider && !narrow->object))
		return false;
	select_walk_begin(&w, c, narrow);
	nothing = !select_walk_next(&w, &index);
	select_walk_end(&w);
	return nothing;
}

/* Then name the objects, or the providers, that exist. */
static int select_nothing(
	const struct catalog *c, const struct probes_switch_options *narrow, struct probes_error *e)
{
	const struct object_probes *unread = NULL;
	const char *provider = narrow->provider, *object = narrow->object, *last = "";
	char there[400] = "";

	for (size_t i = 0; i < c->objects.count; i++) {
		const struct object_probes *h = catalog_object(c, i);

		if (object && h->info.unread && !h->info.gone &&
			select_object_matches(&h->info, object))
			unread = h;
		if (object && h->probe_count)
			select_join(there, sizeof there, select_base_name(h->path));
		for (size_t k = 0; !object && k < h->probe_count; k++) {
			if (strcmp(h->probes[k].provider, last))
				select_join(there, sizeof there, h->probes[k].provider);
			last = h->probes[k].provider;
		}
	}
	error_set(e, PROBES_USAGE, -ENOENT,
		unread   ? "no probe known in that object"
		: object ? "no probe in that object"
			 : "no probe of that provider");
	if (unread)
		error_why(e, "%s: %s", object, unread->info.why);
	else
		error_why(e, "%s%s%s", provider ? provider : "", provider && object ? " in " : "",
			object ? object : "");
	return error_hint(e, "there are: %s", there);
}

/* Append all that the narrowing leaves. */
static int select_all(const struct catalog *c, const struct probes_switch_options *narrow,
	struct array *found, struct probes_error *e)
{
	struct select_walk w;
	size_t index;
	bool fits = array_reserve(found, c->probe_count);

	if (select_leaves_nothing(c, narrow))
		return select_nothing(c, narrow, e);
	select_walk_begin(&w, c, narrow);
	while (fits && select_walk_next(&w, &index))
		*(size_t *)array_add(found) = index;
	select_walk_end(&w);
	return fits ? 0 : error_memory(e, "a selection");
}

/* ---- one text ---- */

static bool select_keep(struct array *found, size_t index)
{
	size_t *slot = array_add(found);

	if (slot)
		*slot = index;
	return slot;
}

/* Does "provider:name" or "name" spell this probe? A colon may be part of either. */
static bool select_spells(const char *text, const struct probes_probe *p)
{
	size_t length = strlen(p->provider);

	if (!strcmp(text, p->name))
		return true;
	return !strncmp(text, p->provider, length) && text[length] == ':' &&
	       !strcmp(text + length + 1, p->name);
}

/* A probe that is not found may be among the notes that were left out. */
static const char *select_missing(const struct catalog *c, char *out, size_t size)
{
	size_t left_out = catalog_left_out(c);

	*out = '\0';
	if (left_out)
		snprintf(out, size,
			"; %zu probe notes of its objects were left out: it may be among them",
			left_out);
	return out;
}

/*
 * Set the cause of a "not found" error; if objects could not be read, the probe may be in one of
 * them: say how many, and which.
 */
static int select_why(const struct catalog *c, const struct probes_switch_options *narrow,
	const char *why, struct probes_error *e)
{
	char names[300] = "", missing[120];
	size_t count = 0;

	for (size_t i = 0; i < c->objects.count; i++) {
		const struct object_probes *h = catalog_object(c, i);
		size_t used = strlen(names);

		if (!h->info.unread || h->info.gone ||
			(narrow && narrow->object &&
				!select_object_matches(&h->info, narrow->object)))
			continue;
		if (count++ < SELECT_NAMED)
			snprintf(names + used, sizeof names - used, "%s%.80s", used ? ", " : "",
				select_base_name(h->path));
	}
	select_missing(c, missing, sizeof missing);
	if (!count)
		return error_why(e, "%s%s", why, missing);
	return error_why(e, "%s, but %zu object%s could not be read (%s%s)%s", why, count,
		count == 1 ? "" : "s", names, count > SELECT_NAMED ? ", ..." : "", missing);
}

static int select_unknown(const struct catalog *c, const char *text, const char *why,
	const struct probes_switch_options *narrow, struct probes_error *e)
{
	char names[400];

	error_set(e, PROBES_USAGE, -ENOENT, "unknown probe '%s'", text);
	select_why(c, narrow, why, e);
	nearest_names(c, text, names, sizeof names);
	if (names[0])
		return error_hint(e, "did you mean %s", names);
	return error_hint(e, "see them all with list");
}

static int select_ambiguous(const char *text, const struct probes_probe *a,
	const struct probes_probe *b, struct probes_error *e)
{
	error_set(e, PROBES_USAGE, -ENOTUNIQ, "ambiguous probe '%s'", text);
	error_why(e, "several providers have it");
	return error_hint(e, "write %s:%s or %s:%s", a->provider, a->name, b->provider, b->name);
}

static int select_name(const struct catalog *c, const char *text,
	const struct probes_switch_options *narrow, struct array *found, struct probes_error *e)
{
	const struct probes_probe *p, *first = NULL, *other = NULL;
	char *decoded = select_decode(text);
	struct select_walk w;
	size_t index, before = found->count;
	bool fits = true;

	select_walk_begin(&w, c, narrow);
	while (fits && (p = select_walk_next(&w, &index))) {
		if (!select_spells(text, p) && !(decoded && select_spells(decoded, p)))
			continue;
		if (first && strcmp(first->provider, p->provider))
			other = p;
		first = first ? first : p;
		fits = select_keep(found, index);
	}
	select_walk_end(&w);
	free(decoded);
	if (!fits)
		return error_memory(e, "a selection");
	if (other)
		return select_ambiguous(text, first, other, e);
	if (found->count == before)
		return select_unknown(c, text, "no probe has this name", narrow, e);
	return 0;
}

static int select_regexp(const struct catalog *c, const char *text,
	const struct probes_switch_options *narrow, struct array *found, struct probes_error *e)
{
	bool spelled = strchr(text, ':');
	const struct probes_probe *p;
	struct select_walk w;
	struct regexp *regexp;
	size_t index;
	int r = regexp_compile(text, &regexp, e);

	if (r < 0)
		return r;
	select_walk_begin(&w, c, narrow);
	while (r >= 0 && (p = select_walk_next(&w, &index))) {
		char *subject = (char *)p->name;

		if (spelled && asprintf(&subject, "%s:%s", p->provider, p->name) < 0) {
			r = error_memory(e, "a selection");
			break;
		}
		r = regexp_match(regexp, subject);
		if (spelled)
			free(subject);
		if (r < 0)
			error_set(
				e, PROBES_USAGE, r, "gave up on the regular expression '%s'", text);
		else if (r > 0 && !select_keep(found, index))
			r = error_memory(e, "a selection");
	}
	select_walk_end(&w);
	regexp_free(regexp);
	return r < 0 ? r : 0;
}

int select_text(const struct catalog *c, enum probes_by by, const char *text,
	const struct probes_switch_options *narrow, struct array *found, struct probes_error *e)
{
	size_t before = found->count;
	int r;

	if (by == PROBES_BY_ALL)
		return select_all(c, narrow, found, e);
	if (!text || !*text) {
		error_set(e, PROBES_USAGE, -EINVAL, "empty probe name");
		return error_why(e, "a name or an expression was expected");
	}
	if (select_leaves_nothing(c, narrow))
		return select_nothing(c, narrow, e);
	if (by == PROBES_BY_NAME || by == PROBES_BY_PAIR)
		return select_name(c, text, narrow, found, e);
	r = select_regexp(c, text, narrow, found, e);
	if (r == 0 && found->count == before) {
		error_set(e, PROBES_USAGE, -ENOENT, "no probe matches '%s'", text);
		select_why(c, narrow, "it must match from the first character of the name", e);
		r = error_hint(e, "begin it with .* to match anywhere");
	}
	return r;
}

/* ---- actions ---- */

static int select_take(struct array *chosen, const size_t *found, size_t count,
	enum probes_verb verb, bool named, struct probes_error *e)
{
	if (!array_reserve(chosen, count))
		return error_memory(e, "a selection");
	for (size_t i = 0; i < count; i++)
		*(struct selected *)array_add(chosen) = (struct selected){found[i], verb, named};
	return 0;
}

static int select_by_text(const struct catalog *c, const struct probes_action *a, const char *text,
	const struct probes_switch_options *narrow, struct array *chosen, struct probes_error *e)
{
	struct array found;
	int r;

	array_init(&found, sizeof(size_t));
	r = select_text(c, a->by, text, narrow, &found, e);
	if (r == 0)
		r = select_take(chosen, found.data, found.count, a->verb,
			a->by == PROBES_BY_NAME || a->by == PROBES_BY_PAIR, e);
	array_done(&found);
	return r;
}

/* Enable the end before the start, disable the start before the end. */
static int select_pair(const struct catalog *c, const struct probes_action *a,
	const struct probes_switch_options *narrow, struct array *chosen, struct probes_error *e)
{
	bool enable = a->verb == PROBES_ENABLE;
	int r;

	if (a->text && a->second && !strcmp(a->text, a->second)) {
		error_set(e, PROBES_USAGE, -EINVAL, "bad pair '%s,%s'", a->text, a->second);
		error_why(e, "its start and its end are the same probe");
		return error_hint(e, "name the start, then the end");
	}
	r = select_by_text(c, a, enable ? a->second : a->text, narrow, chosen, e);
	return r ? r : select_by_text(c, a, enable ? a->text : a->second, narrow, chosen, e);
}

static int select_predicate(const struct catalog *c, const struct probes_session *session,
	const struct probes_action *a, const struct probes_switch_options *narrow,
	struct array *chosen, struct probes_error *e)
{
	struct array found;
	int r;

	array_init(&found, sizeof(size_t));
	r = select_all(c, narrow, &found, e);
	for (size_t i = 0; r == 0 && i < found.count; i++) {
		const size_t *index = ARRAY_AT(&found, size_t, i);

		if (a->predicate(a->data, session, *index))
			r = select_take(chosen, index, 1, a->verb, false, e);
	}
	array_done(&found);
	return r;
}

static int select_indices(const struct catalog *c, const struct probes_action *a,
	struct array *chosen, struct probes_error *e)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->indices[i] >= c->probe_count) {
			error_set(e, PROBES_USAGE, -ERANGE, "no probe has the index %zu",
				a->indices[i]);
			return error_why(e, "there are %zu", c->probe_count);
		}
	return select_take(chosen, a->indices, a->count, a->verb, a->named, e);
}

static int select_action(const struct catalog *c, const struct probes_session *session,
	const struct probes_action *a, const struct probes_switch_options *narrow,
	struct array *chosen, struct probes_error *e)
{
	switch (a->by) {
	case PROBES_BY_NAME:
	case PROBES_BY_REGEXP:
	case PROBES_BY_ALL:
		return select_by_text(c, a, a->text, narrow, chosen, e);
	case PROBES_BY_PAIR:
		return select_pair(c, a, narrow, chosen, e);
	case PROBES_BY_INDEX:
		return select_indices(c, a, chosen, e);
	default:
		return select_predicate(c, session, a, narrow, chosen, e);
	}
}

/* A probe that is named twice is a mistake of whoever wrote the names. */
static int select_no_repeats(
	const struct catalog *c, const struct array *chosen, struct probes_error *e)
{
	unsigned char *seen = calloc(c->probe_count + 1, 1);
	int r = 0;

	if (!seen)
		return error_memory(e, "a selection");
	for (size_t i = 0; r == 0 && i < chosen->count; i++) {
		const struct selected *s = ARRAY_AT(chosen, struct selected, i);

		if (s->named && seen[s->probe]++) {
			const struct probes_probe *p = catalog_probe(c, s->probe);

			error_set(e, PROBES_USAGE, -EINVAL, "probe %s:%s is named twice",
				p->provider, p->name);
			error_why(e, "a probe is switched once in a call");
			r = error_hint(e, "name it once, to enable or to disable");
		}
	}
	free(seen);
	return r;
}

int select_actions(const struct catalog *c, const struct probes_session *session,
	const struct probes_action *actions, size_t count,
	const struct probes_switch_options *narrow, struct array *chosen, struct probes_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = select_action(c, session, &actions[i], narrow, chosen, e);
	return r ? r : select_no_repeats(c, chosen, e);
}
