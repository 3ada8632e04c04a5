#include "ui/output/chrome.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/figures/event.h"
#include "ui/output/json_value.h"

struct chrome_chosen {
	const struct chrome_probe *probes;
	size_t count;
	const char *provider;
};

static bool chrome_is_chosen(void *data, const char *name)
{
	const struct chrome_chosen *c = data;

	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->probes[i].name, name) && !strcmp(c->probes[i].provider, c->provider))
			return c->probes[i].whole;
	return false;
}

void chrome_roles(struct chrome_probe *probes, size_t count)
{
	struct chrome_chosen c = {.probes = probes, .count = count};

	for (size_t i = 0; i < count; i++) {
		char partner[512];

		c.provider = probes[i].provider;
		probes[i].role = probes[i].whole ? pair_partner(probes[i].name, chrome_is_chosen,
							   &c, partner, sizeof partner)
						 : PAIR_NEITHER;
	}
}

/* The thread of an event, which is new perhaps. NULL: not enough memory. */
static struct chrome_thread *chrome_thread(struct chrome *c, const struct probes_event *event)
{
	size_t low = 0, high = c->count;
	struct chrome_thread *t;

	while (low < high) {
		size_t middle = (low + high) / 2;

		t = &c->threads[middle];
		if (t->pid < event->pid || (t->pid == event->pid && t->tid < event->tid))
			low = middle + 1;
		else
			high = middle;
	}
	t = low < c->count ? &c->threads[low] : NULL;
	if (t && t->pid == event->pid && t->tid == event->tid)
		return t;
	if (c->count == c->capacity) {
		size_t capacity = c->capacity ? 2 * c->capacity : 64;

		t = reallocarray(c->threads, capacity, sizeof *t);
		if (!t)
			return NULL;
		c->threads = t;
		c->capacity = capacity;
	}
	t = &c->threads[low];
	memmove(t + 1, t, (c->count++ - low) * sizeof *t);
	*t = (struct chrome_thread){.pid = event->pid, .tid = event->tid};
	return t;
}

/* An end whose start is not in the trace ends no slice. */
static enum pair_role chrome_role(struct chrome_thread *t, enum pair_role role)
{
	if (role == PAIR_START)
		t->open++;
	else if (role == PAIR_END && t->open-- == 0) {
		t->open = 0;
		return PAIR_NEITHER;
	}
	return role;
}

static json_t *chrome_value(const struct probes_value *value)
{
	char text[EVENT_VALUE_BYTES];

	if (value->text)
		return json_value_text(value->text);
	if (value->kind == PROBES_VALUE_SIGNED)
		return json_integer(value->number);
	if (value->kind == PROBES_VALUE_UNSIGNED && value->bits <= INT64_MAX)
		return json_integer((json_int_t)value->bits);
	return json_value_text(event_value(value, text));
}

/* The line of what is released. */
static char *chrome_line(json_t *line)
{
	char *text = line ? json_dumps(line, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	json_decref(line);
	return text;
}

/* The time of a name is 0, as in the files of chrome itself: Qt Creator skips one without a time.
 */
static char *chrome_name(const char *what, pid_t pid, pid_t tid, const char *name)
{
	return chrome_line(json_pack("{ss ss si si si s{so}}", "ph", "M", "name", what, "ts", 0,
		"pid", (int)pid, "tid", (int)tid, "args", "name", json_value_text(name)));
}

char *chrome_process(pid_t pid, const char *name)
{
	return chrome_name("process_name", pid, pid, name);
}

char *chrome_event(struct chrome *c, const struct probes_probe *probe, enum pair_role role,
	const struct probes_event *event, bool *again)
{
	static const char *const phases[] = {
		[PAIR_NEITHER] = "i", [PAIR_START] = "B", [PAIR_END] = "E"};
	struct chrome_thread *t = chrome_thread(c, event);
	size_t stem = strlen(probe->name);
	json_t *args, *line;
	char *name, key[32];

	if (!t)
		return NULL;
	/* Is it known by this name? Without a name it has ended. */
	*again = *event->thread && strncmp(t->name, event->thread, sizeof t->name - 1);
	if (*again)
		snprintf(t->name, sizeof t->name, "%s", event->thread);
	if (*again)
		return chrome_name("thread_name", event->pid, event->tid, event->thread);
	role = chrome_role(t, role);
	if (role != PAIR_NEITHER)
		pair_role(probe->name, &stem);
	/* gc__begin and gc__end are the slice gc; start and end of a provider are the provider. */
	while (role != PAIR_NEITHER && stem && strchr("_-.", probe->name[stem - 1]))
		stem--;
	if (asprintf(&name, "%s%s%.*s", probe->provider, stem ? ":" : "", (int)stem, probe->name) <
		0)
		return NULL;
	line = json_pack("{ss so so sf si si}", "ph", phases[role], "name", json_value_text(name),
		"cat", json_value_text(probe->provider), "ts", (double)event->time_ns / 1000, "pid",
		(int)event->pid, "tid", (int)event->tid);
	free(name);
	if (role == PAIR_NEITHER)
		json_object_set_new(line, "s", json_string("t"));
	args = event->count ? json_object() : NULL;
	for (size_t i = 0; i < event->count; i++) {
		snprintf(key, sizeof key, "arg%zu", i + 1);
		json_object_set_new(args, key, chrome_value(&event->values[i]));
	}
	if (args)
		json_object_set_new(line, "args", args);
	return chrome_line(line);
}

char *chrome_rate(const struct probes_probe *probe, pid_t pid, int64_t time_ns, double rate)
{
	json_t *line;
	char *name;

	if (asprintf(&name, "%s:%s", probe->provider, probe->name) < 0)
		return NULL;
	line = json_pack("{ss so so sf si s{sf}}", "ph", "C", "name", json_value_text(name), "cat",
		json_value_text(probe->provider), "ts", (double)time_ns / 1000, "pid", (int)pid,
		"args", "hits/s", rate);
	free(name);
	return chrome_line(line);
}

void chrome_done(struct chrome *c)
{
	free(c->threads);
}
