#include "hits.h"

#include "fault.h"

#include <string.h>

#define HITS_MAX_STOP_MS 20000

struct probes_session *hits_open(pid_t pid)
{
	struct probes_session *s;
	struct probes_error e;

	if (probes_open_pid(pid, NULL, &s, &e) < 0 || probes_refresh(s, NULL, 0, &e) < 0)
		fault_fatal("%s: %s", e.what, e.why);
	return s;
}

static bool hits_by_chance(void *data, const struct probes_session *s, size_t probe)
{
	(void)s;
	(void)probe;
	return dice_once_in(data, 2);
}

bool hits_act(struct probes_session *s, enum probes_verb verb, enum probes_by by, struct dice *dice,
	bool stop)
{
	struct probes_action a = {
		.verb = verb, .by = by, .predicate = hits_by_chance, .data = dice};
	struct probes_switch_options o = {.atomically = stop, .max_stop_ms = HITS_MAX_STOP_MS};
	struct probes_result *r;
	struct probes_error e;
	int result = probes_switch(s, &a, 1, &o, &r, &e);

	probes_result_free(r);
	if (result < 0 && e.status != PROBES_REFUSED)
		fault("%s: %s", e.what, e.why);
	if (result < 0)
		fault_doing("  refused: %s: %s", e.what, e.why);
	return result == 0;
}

void hits_restore(struct probes_session *s)
{
	struct probes_result *r;
	struct probes_error e;

	if (probes_restore(s, &r, &e) < 0)
		fault("%s: %s", e.what, e.why);
	for (size_t i = 0; r && i < r->item_count; i++)
		if (r->items[i].outcome == PROBES_NOT_DONE)
			fault("%s was not restored: %s", probes_at(s, r->items[i].probe)->name,
				r->items[i].why);
	probes_result_free(r);
}

void hits_repair(pid_t pid)
{
	struct probes_session *s = hits_open(pid);
	struct probes_result *r;
	struct probes_error e;

	if (probes_repair(s, &r, &e) < 0)
		fault("%s: %s", e.what, e.why);
	for (size_t i = 0; r && i < r->item_count; i++)
		if (r->items[i].outcome == PROBES_NOT_DONE)
			fault("not repaired: %s", r->items[i].why);
	probes_result_free(r);
	probes_close(s);
}

struct hits_sum hits_compare(struct probes_session *s, const struct storm_table *before,
	const struct storm_table *after, bool guarded, bool (*except)(void *data, const char *name),
	void *data)
{
	struct hits_sum sum = {0};
	struct probes_error e;

	if (probes_refresh(s, NULL, 0, &e) < 0 || probes_read_hits(s, &e) < 0)
		fault_fatal("%s: %s", e.what, e.why);
	for (size_t i = 0; i < probes_count(s); i++) {
		const struct probes_probe *p = probes_at(s, i);
		struct probes_hits h = probes_hits(s, i);
		const struct storm_place *place, *was;
		unsigned long passed;
		unsigned k = 0;

		while (k < after->count && strcmp(after->places[k].name, p->name) != 0)
			k++;
		if (h.counted < p->site_count || h.shared || k == after->count ||
			(except && except(data, p->name)))
			continue;
		place = &after->places[k];
		was = &before->places[k];
		passed = guarded && place->sdt ? place->ran - was->ran : place->pass - was->pass;
		sum.probes++;
		sum.hits += h.hits;
		if (h.hits != passed)
			fault("%s: %lu hits, it was passed %lu times", p->name, h.hits, passed);
	}
	return sum;
}
