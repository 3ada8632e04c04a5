#include "probe/select.h"

#include "base/error.h"
#include "base/escape.h"
#include "probe/regexp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SELECT_NAMED 3   /* at most, of unread objects in an error */
#define SELECT_NEAREST 3 /* at most, of similar names */
#define SELECT_LENGTH 64 /* characters compared for similarity */

/* ---- narrowing ---- */

static const char *select_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* NULL: the text is no output of probes_escape, or no memory. */
static char *select_decode(const char *text)
{
	char *out = text ? malloc(strlen(text) + 1) : NULL;

	if (out && !escape_decode(text, out)) {
		free(out);
		return NULL;
	}
	return out;
}

/* Is the text the raw bytes, or what listings print for them (`decoded`, may be NULL)? */
static bool select_same(const char *text, const char *decoded, const char *raw)
{
	return !strcmp(text, raw) || (decoded && !strcmp(decoded, raw));
}

static bool select_object_matches(const struct probes_object *o, const char *text)
{
	char *decoded = select_decode(text);
	bool same = select_same(text, decoded, o->path) ||
		    select_same(text, decoded, select_base_name(o->path));

	free(decoded);
	return same;
}

/* A walk over the probes that the narrowing leaves. */
struct select_walk {
	const struct catalog *catalog;
	const struct probes_switch_options *narrow;
	char *provider;  /* decoded */
	const char *raw; /* or literally so */
	size_t object, local;
};

static void select_walk_begin(
	struct select_walk *w, const struct catalog *c, const struct probes_switch_options *narrow)
{
	static const struct probes_switch_options everything;

	*w = (struct select_walk){.catalog = c, .narrow = narrow ? narrow : &everything};
	w->raw = w->narrow->provider;
	w->provider = select_decode(w->raw);
	/* What listings print comes first: the text is raw only if no provider decodes to it. */
	for (size_t i = 0; w->provider && strcmp(w->provider, w->raw) && i < c->objects.count;
		i++) {
		const struct object_probes *h = catalog_object(c, i);

		for (size_t k = 0; k < h->probe_count && strcmp(w->provider, w->raw); k++)
			if (!strcmp(h->probes[k].provider, w->provider))
				w->raw = w->provider;
	}
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
			if (!w->raw || select_same(w->raw, w->provider, p->provider))
				return p;
		}
	}
	return NULL;
}

static void select_walk_end(struct select_walk *w)
{
	free(w->provider);
}

/* ---- errors ---- */

/* Levenshtein's distance, in two rows. */
static unsigned select_distance(const char *a, const char *b)
{
	unsigned rows[2][SELECT_LENGTH + 1];
	size_t n = strnlen(a, SELECT_LENGTH), m = strnlen(b, SELECT_LENGTH);

	for (unsigned k = 0; k <= m; k++)
		rows[0][k] = k;
	for (unsigned i = 1; i <= n; i++) {
		const unsigned *above = rows[(i - 1) & 1];
		unsigned *row = rows[i & 1];

		row[0] = i;
		for (unsigned k = 1; k <= m; k++) {
			unsigned changed = above[k - 1] + (a[i - 1] != b[k - 1]);
			unsigned added = (above[k] < row[k - 1] ? above[k] : row[k - 1]) + 1;

			row[k] = changed < added ? changed : added;
		}
	}
	return rows[n & 1][m];
}

void select_nearest(const struct catalog *c, const char *text, char *out, size_t size)
{
	struct {
		const struct probes_probe *probe;
		unsigned distance;
	} best[SELECT_NEAREST + 1] = {{0}}; /* ascending; the last one stays empty */
	const char *colon = strrchr(text, ':');
	const char *name = colon && colon[1] ? colon + 1 : text;
	size_t limit = 1 + strnlen(name, SELECT_LENGTH) / 3, used = 0;

	for (size_t i = 0; i < c->probe_count; i++) {
		const struct probes_probe *p = catalog_probe(c, i);
		unsigned distance = select_distance(name, p->name);
		bool known = false;
		size_t k = 0;

		if (strlen(name) >= 3 && strstr(p->name, name))
			distance = 1;
		for (; best[k].probe && best[k].distance <= distance; k++)
			known = known || (!strcmp(best[k].probe->name, p->name) &&
						 !strcmp(best[k].probe->provider, p->provider));
		if (distance > limit || known || k == SELECT_NEAREST)
			continue;
		memmove(&best[k + 1], &best[k], (SELECT_NEAREST - 1 - k) * sizeof *best);
		best[k].probe = p;
		best[k].distance = distance;
	}
	out[0] = '\0';
	for (int i = 0; i < SELECT_NEAREST && best[i].probe && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s:%s", i ? ", " : "",
			best[i].probe->provider, best[i].probe->name);
}

/*
 * Set the cause of a "not found" error: `why`, and where else the probe may be: in objects that
 * could not be read, or among notes that were left out.
 */
static int select_why(const struct catalog *c, const struct probes_switch_options *narrow,
	const char *why, struct probes_error *e)
{
	char unread[360] = "", missing[120] = "";
	size_t count = 0, left_out = 0, used = 0;

	for (size_t i = 0; i < c->objects.count; i++) {
		const struct probes_object *o = &catalog_object(c, i)->info;

		left_out += o->left_out + o->malformed;
		if (!o->unread || o->gone ||
			(narrow && narrow->object && !select_object_matches(o, narrow->object)))
			continue;
		if (count++ < SELECT_NAMED)
			used += (size_t)snprintf(unread + used, sizeof unread - used, "%s%.80s",
				used ? ", " : "", select_base_name(o->path));
	}
	if (left_out)
		snprintf(missing, sizeof missing,
			"; %zu probe notes of its objects were left out: it may be among them",
			left_out);
	if (!count)
		return error_why(e, "%s%s", why, missing);
	return error_why(e, "%s, but %zu object%s could not be read (%s%s)%s", why, count,
		count == 1 ? "" : "s", unread, count > SELECT_NAMED ? ", ..." : "", missing);
}

/* ---- one text ---- */

/* Append ", word", unless the list is full. */
static void select_join(char *list, size_t size, const char *word)
{
	size_t used = strlen(list);

	if (used + strlen(word) + 3 < size)
		snprintf(list + used, size - used, "%s%s", used ? ", " : "", word);
}

/* Fail if the narrowing leaves no probe at all, and name the objects or providers that exist. */
static int select_check_narrowing(
	const struct catalog *c, const struct probes_switch_options *narrow, struct probes_error *e)
{
	const char *provider = narrow ? narrow->provider : NULL, *last = "";
	const char *object = narrow ? narrow->object : NULL, *unread = NULL;
	char there[400] = "";
	struct select_walk w;
	size_t index;
	bool any;

	if (!c->probe_count || (!provider && !object))
		return 0;
	select_walk_begin(&w, c, narrow);
	any = select_walk_next(&w, &index);
	select_walk_end(&w);
	if (any)
		return 0;
	for (const struct object_probes *h = catalog_first(c); h; h = h->next) {
		if (object && h->info.unread && !h->info.gone &&
			select_object_matches(&h->info, object))
			unread = h->info.why;
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
		error_why(e, "%s: %s", object, unread);
	else
		error_why(e, "%s%s%s", provider ? provider : "", provider && object ? " in " : "",
			object ? object : "");
	return error_hint(e, "there are: %s", there);
}

/* Is the text "provider:name" or "name" of this probe? A colon may be part of either. */
static bool select_is_name_of(const char *text, const struct probes_probe *p)
{
	size_t length = strlen(p->provider);

	if (!strcmp(text, p->name))
		return true;
	return !strncmp(text, p->provider, length) && text[length] == ':' &&
	       !strcmp(text + length + 1, p->name);
}

static int select_name(const struct catalog *c, const char *text,
	const struct probes_switch_options *narrow, struct array *found, struct probes_error *e)
{
	const struct probes_probe *p, *first = NULL, *other = NULL;
	char *decoded = select_decode(text), names[400];
	bool fits = true;

	/* What listings print comes first: the text is raw only if no probe decodes to it. */
	for (int raw = !decoded; fits && !first && raw <= 1; raw++) {
		struct select_walk w;
		size_t index;

		select_walk_begin(&w, c, narrow);
		while (fits && (p = select_walk_next(&w, &index))) {
			if (!select_is_name_of(raw ? text : decoded, p))
				continue;
			if (first && strcmp(first->provider, p->provider))
				other = p;
			first = first ? first : p;
			fits = array_push(found, &index);
		}
		select_walk_end(&w);
	}
	free(decoded);
	if (!fits)
		return error_memory(e, "a selection");
	if (other) {
		error_set(e, PROBES_USAGE, -ENOTUNIQ, "ambiguous probe '%s'", text);
		error_why(e, "several providers have it");
		return error_hint(e, "write %s:%s or %s:%s", first->provider, first->name,
			other->provider, other->name);
	}
	if (first)
		return 0;
	error_set(e, PROBES_USAGE, -ENOENT, "unknown probe '%s'", text);
	select_why(c, narrow, "no probe has this name", e);
	select_nearest(c, text, names, sizeof names);
	if (names[0])
		return error_hint(e, "did you mean %s", names);
	return error_hint(e, "list all probes to see their names");
}

static int select_regexp(const struct catalog *c, const char *text,
	const struct probes_switch_options *narrow, struct array *found, struct probes_error *e)
{
	bool with_provider = strchr(text, ':');
	size_t index, before = found->count;
	const struct probes_probe *p;
	struct select_walk w;
	struct regexp *regexp = NULL;
	int r = regexp_compile(text, true, &regexp, e);

	if (r < 0)
		return r;
	select_walk_begin(&w, c, narrow);
	while (r >= 0 && (p = select_walk_next(&w, &index))) {
		char *subject = (char *)p->name;

		if (with_provider && asprintf(&subject, "%s:%s", p->provider, p->name) < 0) {
			r = error_memory(e, "a selection");
			break;
		}
		r = regexp_match(regexp, subject);
		if (with_provider)
			free(subject);
		if (r < 0)
			error_set(
				e, PROBES_USAGE, r, "gave up on the regular expression '%s'", text);
		else if (r > 0 && !array_push(found, &index))
			r = error_memory(e, "a selection");
	}
	select_walk_end(&w);
	regexp_free(regexp);
	if (r < 0 || found->count > before)
		return r < 0 ? r : 0;
	error_set(e, PROBES_USAGE, -ENOENT, "no probe matches '%s'", text);
	select_why(c, narrow, "it must match from the first character of the name", e);
	return error_hint(e, "begin it with .* to match anywhere");
}

int select_text(const struct catalog *c, enum probes_by by, const char *text,
	const struct probes_switch_options *narrow, struct array *found, struct probes_error *e)
{
	struct select_walk w;
	size_t index;
	int r;

	if (by != PROBES_BY_ALL && (!text || !*text)) {
		error_set(e, PROBES_USAGE, -EINVAL, "empty probe name");
		return error_why(e, "a name or an expression was expected");
	}
	r = select_check_narrowing(c, narrow, e);
	if (r < 0)
		return r;
	if (by == PROBES_BY_REGEXP)
		return select_regexp(c, text, narrow, found, e);
	if (by != PROBES_BY_ALL)
		return select_name(c, text, narrow, found, e);
	if (!array_reserve(found, c->probe_count))
		return error_memory(e, "a selection");
	select_walk_begin(&w, c, narrow);
	while (select_walk_next(&w, &index))
		*(size_t *)array_add(found) = index;
	select_walk_end(&w);
	return 0;
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
	struct array found = ARRAY_OF(size_t);
	int r;

	r = select_text(c, a->by, text, narrow, &found, e);
	if (r == 0)
		r = select_take(chosen, found.data, found.count, a->verb,
			a->by == PROBES_BY_NAME || a->by == PROBES_BY_PAIR, e);
	array_done(&found);
	return r;
}

static int select_action(const struct catalog *c, const struct probes_session *session,
	const struct probes_action *a, const struct probes_switch_options *narrow,
	struct array *chosen, struct probes_error *e)
{
	const struct probes_action all = {.by = PROBES_BY_ALL, .verb = a->verb};
	bool enable = a->verb == PROBES_ENABLE;
	size_t kept = chosen->count;
	int r;

	switch (a->by) {
	case PROBES_BY_NAME:
	case PROBES_BY_REGEXP:
	case PROBES_BY_ALL:
		return select_by_text(c, a, a->text, narrow, chosen, e);
	case PROBES_BY_PAIR:
		if (a->text && a->second && !strcmp(a->text, a->second)) {
			error_set(e, PROBES_USAGE, -EINVAL, "bad pair '%s,%s'", a->text, a->second);
			error_why(e, "its start and its end are the same probe");
			return error_hint(e, "name the start, then the end");
		}
		/* Enable the end before the start, disable the start before the end. */
		r = select_by_text(c, a, enable ? a->second : a->text, narrow, chosen, e);
		return r ? r
			 : select_by_text(c, a, enable ? a->text : a->second, narrow, chosen, e);
	case PROBES_BY_INDEX:
		for (size_t i = 0; i < a->count; i++)
			if (a->indices[i] >= c->probe_count) {
				error_set(e, PROBES_USAGE, -ERANGE, "no probe has the index %zu",
					a->indices[i]);
				return error_why(e, "there are %zu", c->probe_count);
			}
		return select_take(chosen, a->indices, a->count, a->verb, a->named, e);
	default: /* of all, those for which the predicate holds */
		r = select_by_text(c, &all, NULL, narrow, chosen, e);
		for (size_t i = kept; r == 0 && i < chosen->count; i++) {
			const struct selected *one = ARRAY_AT(chosen, struct selected, i);

			if (a->predicate(a->data, session, one->probe))
				*ARRAY_AT(chosen, struct selected, kept++) = *one;
		}
		chosen->count = r == 0 ? kept : chosen->count;
		return r;
	}
}

int select_actions(const struct catalog *c, const struct probes_session *session,
	const struct probes_action *actions, size_t count,
	const struct probes_switch_options *narrow, struct array *chosen, struct probes_error *e)
{
	bool *seen;
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = select_action(c, session, &actions[i], narrow, chosen, e);
	if (r < 0)
		return r;
	seen = calloc(c->probe_count + 1, sizeof *seen);
	if (!seen)
		return error_memory(e, "a selection");
	ARRAY_EACH_WHILE(r == 0, const struct selected, s, chosen) {
		if (s->named && seen[s->probe]) {
			const struct probes_probe *p = catalog_probe(c, s->probe);

			error_set(e, PROBES_USAGE, -EINVAL, "probe %s:%s is named twice",
				p->provider, p->name);
			error_why(e, "a probe is switched once in a call");
			r = error_hint(e, "name it once, to enable or to disable");
		}
		seen[s->probe] = seen[s->probe] || s->named;
	}
	free(seen);
	return r;
}
