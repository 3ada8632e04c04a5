/* See replay.h. */
#include "ui/tui/operations/replay.h"

#include "ui/recording/recording_file.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/now.h"
#include "ui/words/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REPLAY_SLICE_MS 20
#define REPLAY_LINES 32 /* between two looks at the clock */

/* ---------------------------------------------------------------- opening */

/* The probes of a process follow each other, in the order of its objects: as sessions want them. */
static int replay_compare(const void *x, const void *y, void *probes)
{
	const struct recording_probe *all = probes;
	size_t i = *(const size_t *)x, k = *(const size_t *)y;
	const struct recording_probe *a = &all[i], *b = &all[k];

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* The session of a process, whose first probe is at *at of the sorted ones. */
static int replay_open_process(
	struct replay *r, size_t process, const size_t *sorted, size_t *at, struct probes_error *e)
{
	const struct recording *g = &r->recording;
	const char *program = g->processes[process].program;
	struct replay_process *p = &r->processes[process];
	struct probes_object *objects;
	size_t from = *at, end = *at, object_count = 0, of = SIZE_MAX;
	int status;

	while (end < g->probe_count && g->probes[sorted[end]].process == process)
		end++;
	objects = mem_array(end - from + 1, sizeof *objects);
	p->of.events = mem_array(end - from + 1, sizeof *p->of.events);
	p->of.kept = mem_array(end - from + 1, sizeof *p->of.kept);
	p->of.latency = !strcmp(g->head.of, "latency");
	for (; *at < end; ++*at) {
		const struct recording_probe *probe = &g->probes[sorted[*at]];
		const struct recording_object *o = &g->objects[probe->object];
		size_t sites;

		if (probe->object != of)
			objects[object_count++] = (struct probes_object){.path = o->path,
				.build_id = o->build_id,
				.bias = o->bias,
				.executable = !strcmp(o->path, program)};
		of = probe->object;
		r->probes[*at] = (struct probes_described){.object = (uint32_t)object_count - 1,
			.kind = probe->probe.kind,
			.provider = probe->probe.provider,
			.name = probe->probe.name};
		r->probes[*at].sites = recording_sites(g, sorted[*at], &sites);
		r->probes[*at].site_count = (uint32_t)sites;
		r->local[sorted[*at]] = *at - from;
		p->of.kept[*at - from] = probe->kept;
	}
	status = probes_open_described(
		program, objects, object_count, r->probes + from, end - from, &p->session, e);
	free(objects);
	return status;
}

/* Read the descriptions: up to the first line that is something else, which a pass reads again. */
static int replay_describe(struct replay *r, struct probes_error *e)
{
	struct recording *g = &r->recording;
	struct recording_item item;
	size_t bytes;
	int got;

	while ((got = recording_file_next(r->file, r->line, g, &item, &bytes, e)) > 0 &&
		item.what == RECORDING_FACT) {
		if (g->lines == 1)
			recording_file_zone(&g->head);
		r->begin.at += (off_t)bytes;
		r->begin.lines = g->lines;
	}
	r->begin.on = true;
	r->position = -1;
	return got < 0 ? got : 0;
}

int replay_open(const char *path, struct replay **replay, struct probes_error *e)
{
	struct replay *r = mem_alloc(sizeof *r);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), status = 0;
	struct stat st;
	size_t *sorted, at = 0;

	*replay = r;
	r->path = mem_text(path);
	r->file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!r->file || fstat(fd, &st) < 0)
		return report_set(e, PROBES_FAILED, -errno, "cannot read", "", "%s: %s", path,
			strerror(errno));
	r->size = st.st_size;
	status = replay_describe(r, e);
	if (status < 0)
		return status;
	r->probe_count = r->recording.probe_count;
	r->local = mem_array(r->probe_count + 1, sizeof *r->local);
	r->probes = mem_array(r->probe_count + 1, sizeof *r->probes);
	r->processes = mem_array(r->recording.process_count + 1, sizeof *r->processes);
	sorted = mem_array(r->probe_count + 1, sizeof *sorted);
	for (size_t i = 0; i < r->probe_count; i++)
		sorted[i] = i;
	qsort_r(sorted, r->probe_count, sizeof *sorted, replay_compare, r->recording.probes);
	for (size_t i = 0; status == 0 && i < r->recording.process_count; i++)
		status = replay_open_process(r, i, sorted, &at, e);
	free(sorted);
	r->total = r->begin;
	if (status == 0 && !r->probe_count)
		return report_set(e, PROBES_FAILED, -EINVAL, "the recording cannot be shown", "",
			"it holds no probe");
	return status;
}

void replay_close(struct replay *r)
{
	if (!r)
		return;
	for (size_t i = 0; r->processes && i < r->recording.process_count; i++) {
		probes_close(r->processes[i].session);
		free(r->processes[i].of.events);
		free(r->processes[i].of.kept);
	}
	free(r->processes);
	free(r->local);
	free(r->probes);
	free(r->path);
	if (r->file)
		fclose(r->file);
	recording_done(&r->recording);
	free(r);
}

void replay_add(struct replay *r, struct model *m)
{
	m->replay = r;
	for (size_t i = 0; i < r->recording.process_count; i++) {
		model_add(m, r->processes[i].session);
		m->processes[i].pid = r->recording.processes[i].pid;
		m->processes[i].recorded = &r->processes[i].of;
	}
}

/* ---------------------------------------------------------------- reading */

static void replay_end(struct replay_pass *p, const char *why)
{
	p->on = false;
	snprintf(p->why, sizeof p->why, "%s", why);
}

/* What a pass remembers of an item. */
static void replay_note(struct replay_pass *p, const struct recording_item *item)
{
	switch (item->what) {
	case RECORDING_EVENT:
		p->events++;
		p->first_ns = p->first_ns ? p->first_ns : item->event.time_ns;
		if (item->event.time_ns > p->last_ns)
			p->last_ns = item->event.time_ns;
		break;
	case RECORDING_LOST:
		p->lost = item->lost;
		break;
	case RECORDING_END:
		p->on = false;
		p->ended = true;
		p->end = item->end;
		p->end.how = NULL;
		p->lost = item->end.lost;
		text_clean(item->end.how, p->how, sizeof p->how);
		break;
	default:
		break;
	}
}

void replay_read(struct replay *r, struct replay_pass *p, replay_fn *each, void *data)
{
	int64_t until = now_ms() + REPLAY_SLICE_MS;
	struct recording_item item;
	struct probes_error e;
	char why[300];
	size_t bytes;
	int got;

	if (p->on && r->position != p->at) {
		clearerr(r->file);
		if (fseeko(r->file, p->at, SEEK_SET) < 0)
			replay_end(p, strerror(errno));
	}
	r->recording.lines = p->lines;
	for (int i = 1; p->on && (i % REPLAY_LINES || now_ms() < until); i++) {
		got = recording_file_next(r->file, r->line, &r->recording, &item, &bytes, &e);
		p->at += (off_t)bytes;
		p->lines = r->recording.lines;
		if (got < 0) {
			snprintf(why, sizeof why, "%s: %.100s", text_clean(e.what, r->line, 160),
				text_clean(e.why, r->line + 160, 200));
			replay_end(p, why);
		} else if (got == 0) {
			replay_end(p, "the recording was cut off: its end is missing");
		} else if (r->recording.probe_count != r->probe_count) {
			replay_end(p, "a probe is described after the first event");
		} else {
			replay_note(p, &item);
			each(data, &item);
		}
	}
	r->position = p->on ? p->at : -1;
}

static void replay_count_one(void *data, const struct recording_item *item)
{
	const struct replay *r = data;
	size_t probe = item->event.probe;

	if (item->what == RECORDING_EVENT)
		r->processes[r->recording.probes[probe].process].of.events[r->local[probe]]++;
}

bool replay_count(struct replay *r)
{
	bool on = r->total.on;

	if (on)
		replay_read(r, &r->total, replay_count_one, r);
	return on;
}

/* ---------------------------------------------------------------- in words */

int replay_percent(const struct replay *r, const struct replay_pass *p)
{
	return r->size > p->at && p->at > 0 ? (int)(p->at * 100 / r->size) : 100;
}

const char *replay_state(
	const struct replay *r, const struct replay_pass *p, char *out, size_t size)
{
	if (p->on)
		snprintf(out, size, "%d %% of the file is read", replay_percent(r, p));
	else if (p->ended)
		snprintf(out, size, "it ended: %s", p->how);
	else
		snprintf(out, size, "%s", p->why);
	return out;
}
