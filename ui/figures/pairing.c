#include "ui/figures/pairing.h"

#include <search.h>
#include <stdlib.h>

/* A thread, or a key, between its start and its end. */
struct pairing_open {
	uint64_t key;
	pid_t pid, tid; /* tid: 0 where there is a key */
	int64_t start;
	uint64_t depth; /* starts inside it that have not ended */
};

static int compare(const void *x, const void *y)
{
	const struct pairing_open *a = x, *b = y;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static bool key_of(
	const struct pairing *p, const struct probes_event *event, struct pairing_open *key)
{
	const struct probes_value *value = p->by ? &event->values[p->by - 1] : NULL;

	*key = (struct pairing_open){.pid = event->pid, .start = event->time_ns};
	if (!value) {
		key->tid = event->tid;
		return event->tid > 0;
	}
	if (p->by > event->count ||
		(value->kind != PROBES_VALUE_SIGNED && value->kind != PROBES_VALUE_UNSIGNED))
		return false;
	key->key = value->bits;
	return true;
}

static void note(struct probes_latency *l, uint64_t ns)
{
	size_t low = 0, high = PROBES_LATENCY_BUCKETS;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		*(probes_latency_from(middle) <= ns ? &low : &high) = middle;
	}
	l->buckets[low]++;
	l->sum_ns += ns;
	l->min_ns = !l->matched || ns < l->min_ns ? ns : l->min_ns;
	l->max_ns = ns > l->max_ns ? ns : l->max_ns;
	l->matched++;
}

static void start(struct pairing *p, const struct pairing_open *key)
{
	struct pairing_open **found = tfind(key, &p->open, compare), *made;

	if (found && !p->by) {
		p->sum.nested++;
		(*found)->depth++;
		return;
	}
	if (found) {
		p->sum.start_without_end++;
		(*found)->start = key->start;
		return;
	}
	made = malloc(sizeof *made);
	if (made)
		*made = *key;
	if (made && tsearch(made, &p->open, compare)) {
		p->sum.open++;
	} else {
		free(made);
		p->sum.lost++;
	}
}

void pairing_add(struct pairing *p, bool end, const struct probes_event *event)
{
	struct pairing_open key, **found, *open;

	if (!key_of(p, event, &key)) {
		p->sum.lost++;
		return;
	}
	if (!end) {
		start(p, &key);
		return;
	}
	found = tfind(&key, &p->open, compare);
	if (!found) {
		p->sum.end_without_start++;
		return;
	}
	open = *found;
	if (open->depth) {
		open->depth--;
		return;
	}
	if (key.start >= open->start)
		note(&p->sum, (uint64_t)(key.start - open->start));
	else
		p->sum.lost++; /* as where two processors disagree about the time */
	p->sum.open--;
	tdelete(&key, &p->open, compare);
	free(open);
}

void pairing_done(struct pairing *p)
{
	tdestroy(p->open, free);
	p->open = NULL;
}
