/*
 * Recordings, line by line: what is read refers to what is there, stays within its bounds, and is
 * the same once it was written and read again.
 */
#include "ui/figures/latency.h"
#include "ui/recording/recording.h"

#include "tests/fuzz/fuzz.h"

static bool same_value(const struct probes_value *a, const struct probes_value *b)
{
	bool nan = a->kind == PROBES_VALUE_FLOAT && a->real != a->real && b->real != b->real;

	return a->kind == b->kind && a->size == b->size && a->asked == b->asked &&
	       a->cut == b->cut && (nan || a->bits == b->bits) && !a->text == !b->text &&
	       (!a->text || !strcmp(a->text, b->text));
}

static void read_again(struct recording *r, const struct lines *l, struct recording_item *item)
{
	struct probes_error e;

	FUZZ_CHECK(l->count == 1 && !l->failed);
	FUZZ_CHECK(recording_read(r, l->text, l->length - 1, item, &e) == 0);
}

static void check_event(struct recording *r, const struct recording_item *item)
{
	static char texts[PROBES_EVENT_ARGUMENTS][PROBES_EVENT_TEXT + 1], thread[64];
	static char object[5000];
	struct probes_event event = item->event;
	struct probes_caller caller = item->caller;
	struct recording_item again;
	struct lines l = {0};

	FUZZ_CHECK(event.probe < r->probe_count && event.count <= PROBES_EVENT_ARGUMENTS);
	FUZZ_CHECK(event.time_ns >= 0 && event.pid >= 0 && event.tid >= 0);
	/* The next reading overwrites the texts. */
	snprintf(thread, sizeof thread, "%s", event.thread);
	event.thread = thread;
	for (size_t i = 0; i < event.count; i++) {
		if (!event.values[i].text)
			continue;
		FUZZ_CHECK(strlen(event.values[i].text) <= PROBES_EVENT_TEXT);
		strcpy(texts[i], event.values[i].text);
		event.values[i].text = texts[i];
	}
	FUZZ_CHECK(strlen(caller.where.function) < sizeof caller.where.function);
	FUZZ_CHECK(strlen(caller.where.file) < sizeof caller.where.file);
	if (caller.object) {
		snprintf(object, sizeof object, "%s", caller.object);
		caller.object = object;
	}
	recording_put_event(&l, event.probe, &event, item->callers ? &caller : NULL);
	read_again(r, &l, &again);
	FUZZ_CHECK(again.what == RECORDING_EVENT && again.event.probe == event.probe);
	FUZZ_CHECK(again.event.site == event.site && again.event.time_ns == event.time_ns);
	FUZZ_CHECK(again.callers == item->callers && again.event.caller == event.caller);
	FUZZ_CHECK(!event.caller ||
		   (again.caller.pc == caller.pc && !again.caller.object == !caller.object));
	FUZZ_CHECK(again.event.pid == event.pid && again.event.tid == event.tid);
	FUZZ_CHECK(!strcmp(again.event.thread, event.thread) && again.event.count == event.count);
	for (size_t i = 0; i < event.count; i++)
		FUZZ_CHECK(same_value(&event.values[i], &again.event.values[i]));
	lines_done(&l);
}

static void check_latency(struct recording *r, const struct recording_item *item)
{
	struct latency_row rows[LATENCY_ROWS];
	uint64_t figures[LATENCY_FIGURES];
	struct recording_item again;
	struct lines l = {0};

	FUZZ_CHECK(item->latency.start < r->probe_count && item->latency.end < r->probe_count);
	latency_figures(&item->latency.latency, figures);
	FUZZ_CHECK(latency_rows(&item->latency.latency, rows) <= LATENCY_ROWS);
	recording_put_latency(&l, &item->latency);
	read_again(r, &l, &again);
	FUZZ_CHECK(!memcmp(
		&again.latency.latency, &item->latency.latency, sizeof again.latency.latency));
	lines_done(&l);
}

static void check_facts(const struct recording *r)
{
	FUZZ_CHECK(r->kept <= RECORDING_KEPT);
	for (size_t i = 0; i < r->object_count; i++)
		FUZZ_CHECK(r->objects[i].process < r->process_count && r->objects[i].path);
	for (size_t i = 0, count; i < r->probe_count; i++)
		FUZZ_CHECK(!recording_sites(r, i, &count) == !count && count <= r->site_count);
	for (size_t i = 0; i < r->probe_count; i++)
		FUZZ_CHECK(r->probes[i].process < r->process_count && r->probes[i].probe.name &&
			   r->probes[i].probe.provider);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *at = (const char *)bytes, *end = at + size;
	struct recording_item item;
	struct recording r;
	struct probes_error e;
	int failed = 0;

	recording_init(&r);
	while (!failed && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);

		failed = recording_read(&r, at, length, &item, &e);
		at += length + 1;
		if (failed)
			break;
		check_facts(&r);
		if (item.what == RECORDING_EVENT)
			check_event(&r, &item);
		if (item.what == RECORDING_LATENCY)
			check_latency(&r, &item);
	}
	recording_done(&r);
	return 0;
}
