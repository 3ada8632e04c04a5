/* Which probes of a recording are replayed: by names, by expressions, as a pair. See replay.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cli/replay.h"
#include "ui/figures/event.h"
#include "ui/output/outbuf.h"
#include "ui/words/line.h"
#include "ui/words/report.h"

static int wrong(struct probes_error *e, const char *what, const char *why, const char *hint)
{
	return report_set(e, PROBES_USAGE, -EINVAL, what, hint, "%s", why);
}

/* An expression of -regexp as a condition, which can be asked of any probe. */
static int compile(const char *text, struct probes_condition **condition, struct probes_error *e)
{
	size_t size = 2 * strlen(text) + 40;
	char *quoted = malloc(size);
	struct line l = {.text = quoted, .size = size};
	int r;

	if (!quoted)
		return probes_failed(e, -ENOMEM, "cannot choose probes");
	line_add(&l, "probe ~ \"^(?:");
	for (const char *at = text; *at; at++)
		line_add(&l, *at == '"' ? "\\%c" : "%c", *at);
	line_add(&l, ")\"");
	r = probes_condition_parse(quoted, condition, e);
	free(quoted);
	return r;
}

/* As probes_find: an expression without a colon is of names alone. */
static bool matches(
	const struct probes_condition *regexp, const char *text, const struct probes_probe *probe)
{
	const struct probes_event none = {.thread = ""};
	struct probes_probe alone = {.provider = "", .name = probe->name};
	char full[2048];

	if (strchr(text, ':')) {
		snprintf(full, sizeof full, "%s:%s", probe->provider, probe->name);
		alone.name = full;
	}
	return probes_condition_holds(regexp, &none, &alone);
}

/* Raw, or as listings print it. */
static bool is_named(const char *text, const struct probes_probe *probe)
{
	size_t provider = strlen(probe->provider);

	return !strcmp(text, probe->name) || !strcmp(text, outbuf_probe(probe)) ||
	       !strcmp(text, outbuf_safe(probe->name)) ||
	       (!strncmp(text, probe->provider, provider) && text[provider] == ':' &&
		       !strcmp(text + provider + 1, probe->name));
}

/* Choose among all probes, of which every name must be there. */
static int choose_probes(struct replay *c, struct probes_error *e)
{
	const struct actions *all = &c->options->actions;

	for (size_t i = 0; i < c->shown_count; i++)
		c->shown[i].chosen = !all->count;
	for (size_t k = 0; k < all->count; k++) {
		const struct probes_action *a = &all->items[k];
		size_t found = 0;

		for (size_t i = 0; i < c->shown_count; i++) {
			const struct probes_probe *p = &c->recording.probes[i].probe;

			if (a->by != PROBES_BY_ALL &&
				!(c->regexps[k] ? matches(c->regexps[k], a->text, p)
						: is_named(a->text, p)))
				continue;
			c->shown[i].chosen = true;
			found++;
		}
		if (!found && a->by != PROBES_BY_ALL)
			return wrong(e, outbuf_safe(a->text), "the recording has no such probe",
				"replay it without a name to see what it holds");
	}
	return 0;
}

/* The one probe of a process with this name; probe_count: there is none, or, *many, several. */
static size_t find_one(const struct recording *r, size_t process, const char *name, bool *many)
{
	size_t found = r->probe_count;

	for (size_t i = 0; i < r->probe_count; i++) {
		if (r->probes[i].process != process || !is_named(name, &r->probes[i].probe))
			continue;
		*many = *many || found < r->probe_count;
		found = i;
	}
	return found;
}

/* A row for each process that has both probes of -latency. */
static int choose_pairs(struct replay *c, struct probes_error *e)
{
	const struct probes_action *pair = &c->options->pair.items[0];
	const struct recording *r = &c->recording;
	bool many = false;

	c->list.rows = calloc(r->process_count + 1, sizeof *c->list.rows);
	c->pairings = calloc(r->process_count + 1, sizeof *c->pairings);
	if (!c->list.rows || !c->pairings)
		return probes_failed(e, -ENOMEM, "cannot compute the latency");
	c->list.by = c->options->by;
	for (size_t i = 0; i < r->process_count; i++) {
		size_t start = find_one(r, i, pair->text, &many);
		size_t end = find_one(r, i, pair->second, &many);

		if (start == r->probe_count || end == r->probe_count)
			continue;
		c->shown[start].start = c->shown[end].end = true;
		c->shown[start].row = c->shown[end].row = c->list.count;
		c->pairings[c->list.count].by = c->list.by;
		c->list.rows[c->list.count++] = (struct latency_row_of){.start = start, .end = end};
	}
	if (many)
		return wrong(e, "-latency", "several probes have such a name",
			"name them provider:name");
	return c->list.count ? 0
			     : wrong(e, "-latency", "the recording has no such pair of probes",
				       "replay it without -latency to see what it holds");
}

/* Does -where ask for an argument that no probe has? As probes_events_check, which has a session.
 */
static int check_arguments(const struct replay *c, struct probes_error *e)
{
	unsigned texts, missing = probes_condition_arguments(c->filter, &texts), argument = 1;
	bool any = false;

	for (size_t i = 0; missing && i < c->shown_count; i++) {
		const struct shown *s = &c->shown[i];
		size_t count = 0;
		const struct probes_described_site *sites =
			recording_sites(&c->recording, i, &count);

		if (!s->chosen && !s->start && !s->end)
			continue;
		any = true;
		if (!count) /* its arguments are not known */
			return 0;
		for (size_t k = 0; k < count; k++) {
			size_t has = sites[k].arguments
					     ? probes_arguments(sites[k].arguments, NULL, 0)
					     : PROBES_EVENT_ARGUMENTS;

			missing &= has < PROBES_EVENT_ARGUMENTS ? ~0U << has : 0;
		}
	}
	if (!any || !missing)
		return 0;
	while (!(missing >> (argument - 1) & 1))
		argument++;
	return report_set(
		e, PROBES_USAGE, -EINVAL, "-where", "", "none of these probes has arg%u", argument);
}

/* The halves of slices, process by process; the probes of one follow each other. */
static int choose_roles(struct replay *c, struct probes_error *e)
{
	const struct recording *r = &c->recording;
	struct chrome_probe *all = calloc(r->probe_count + 1, sizeof *all);
	unsigned texts;

	if (!all)
		return probes_failed(e, -ENOMEM, "cannot replay");
	for (size_t i = 0; i < r->probe_count; i++) {
		const struct recording_probe *p = &r->probes[i];

		all[i] = (struct chrome_probe){.provider = p->probe.provider,
			.name = p->probe.name,
			.whole = c->shown[i].chosen && p->kept && p->kept == p->probe.site_count &&
				 !(c->filter && probes_condition_arguments(c->filter, &texts))};
	}
	for (size_t i = 0, n; i < r->probe_count; i += n) {
		for (n = 1;
			i + n < r->probe_count && r->probes[i + n].process == r->probes[i].process;)
			n++;
		chrome_roles(all + i, n);
	}
	for (size_t i = 0; i < r->probe_count; i++)
		c->shown[i].role = all[i].role;
	free(all);
	for (size_t i = 0; i < r->process_count; i++)
		events_print_process(&c->print, r->processes[i].pid, r->processes[i].comm);
	return 0;
}

int replay_choose(struct replay *c, struct probes_error *e)
{
	const struct recording_head *h = &c->recording.head;
	bool events = strcmp(h->of, "latency") && !c->options->pair.count;
	char time[EVENT_TIME_BYTES];
	int r;

	if (events && c->options->format == FORMAT_CSV)
		return wrong(e, "-format", "events are text, json or chrome", "");
	if (!events && c->options->format == FORMAT_CHROME)
		return wrong(e, "-format", "only events can be written for chrome", "");
	if (c->options->pair.count && !strcmp(h->of, "latency"))
		return wrong(e, "-latency", "this is a recording of latency, not of events",
			"replay it without -latency");

	free(c->shown);
	c->shown_count = c->recording.probe_count;
	c->shown = calloc(c->shown_count + 1, sizeof *c->shown);
	if (!c->shown)
		return probes_failed(e, -ENOMEM, "cannot replay");
	r = c->options->pair.count ? choose_pairs(c, e) : choose_probes(c, e);
	if (!r && c->filter)
		r = check_arguments(c, e);
	if (!r && c->options->format == FORMAT_CHROME)
		r = choose_roles(c, e);
	if (!r && !c->options->quiet) {
		report_line("recorded on %s, %s", outbuf_safe(h->host),
			event_time(h->time_ns, true, time));
		report_more("Linux %s", outbuf_safe(h->kernel));
	}
	return r;
}

int replay_prepare(struct replay *c, struct probes_error *e)
{
	const struct options *o = c->options;
	int r = o->filter ? probes_condition_parse(o->filter, &c->filter, e) : 0;

	c->regexps = calloc(o->actions.count + 1, sizeof(struct probes_condition *));
	if (!c->regexps)
		return probes_failed(e, -ENOMEM, "cannot replay");
	for (size_t i = 0; !r && i < o->actions.count; i++)
		if (o->actions.items[i].by == PROBES_BY_REGEXP)
			r = compile(o->actions.items[i].text, &c->regexps[i], e);
	return r;
}

void replay_choose_done(struct replay *c)
{
	for (size_t i = 0; c->regexps && i < c->options->actions.count; i++)
		probes_condition_free(c->regexps[i]);
	free(c->regexps);
	for (size_t i = 0; c->pairings && i < c->list.count; i++)
		pairing_done(&c->pairings[i]);
	free(c->pairings);
	free(c->list.rows);
	free(c->shown);
	probes_condition_free(c->filter);
}
