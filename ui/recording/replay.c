#include "ui/recording/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "ui/words/now.h"
#include "ui/words/report.h"

#define REPLAY_SLICE_MS 20
#define REPLAY_LINES 32 /* between two looks at the clock */

/* ---------------------------------------------------------------- lines */

/*
 * Read the next line. 1: *item is what it says; 0: the file ends, perhaps within a line: there is
 * no RECORDING_END; else a negative errno. *bytes: the file is read so much further.
 */
static int replay_line(
	struct replay *r, struct recording_item *item, size_t *bytes, struct probes_error *e)
{
	struct recording *g = &r->recording;
	size_t length = 0;
	int c = getc_unlocked(r->file);
	const char *why = NULL;

	for (; c != EOF && c != '\n' && length < RECORDING_LINE; c = getc_unlocked(r->file))
		r->line[length++] = (char)c;
	*bytes = length + (c == '\n');
	if (ferror(r->file))
		return probes_failed(e, errno ? -errno : -EIO, "cannot read the recording");
	if (!*bytes && !g->lines)
		why = "it is empty";
	else if (c != EOF && c != '\n')
		why = "a line is too long for a recording";
	if (why)
		return report_set(
			e, PROBES_FAILED, -EINVAL, "the recording cannot be read", "", "%s", why);
	if (!*bytes)
		return 0;
	if (recording_read(g, r->line, length, item, e) == 0)
		return 1;
	/* The rest of a line is no error of its own: the end is missing. */
	return c == EOF && g->lines > 1 ? 0 : e->code;
}

/* From now on the local time is that of the place where it was recorded. */
static void replay_zone(const struct recording_head *h)
{
	time_t then = (time_t)(h->time_ns / 1000000000);
	struct tm local = {0};
	char zone[64];
	long offset = h->offset < 0 ? -h->offset : h->offset;

	localtime_r(&then, &local);
	if (local.tm_gmtoff != h->offset) {
		/* POSIX counts to the west. */
		snprintf(zone, sizeof zone, "<%c%02ld%02ld>%c%02ld:%02ld",
			h->offset < 0 ? '-' : '+', offset / 3600, offset / 60 % 60,
			h->offset < 0 ? '+' : '-', offset / 3600, offset / 60 % 60);
		setenv("TZ", zone, 1);
		tzset();
	}
}

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
	size_t from = *at, end = *at, object_count = 0, of = SIZE_MAX;

	while (end < g->probe_count && g->probes[sorted[end]].process == process)
		end++;
	*p = (struct replay_process){.member.pid = g->processes[process].pid,
		.comm = g->processes[process].comm,
		.first = from,
		.events = r->events + from,
		.kept = r->kept + from,
		.latency = !strcmp(g->head.of, "latency")};
	for (; *at < end; ++*at) {
		const struct recording_probe *probe = &g->probes[sorted[*at]];
		const struct recording_object *o = &g->objects[probe->object];
		size_t sites;

		if (probe->object != of)
			r->objects[object_count++] = (struct probes_object){.path = o->path,
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
		p->kept[*at - from] = probe->kept;
	}
	return probes_open_described(program, r->objects, object_count, r->probes + from,
		end - from, &p->member.session, e);
}

/* Read the descriptions: up to the first line that is something else, which a pass reads again. */
static int replay_describe(struct replay *r, struct probes_error *e)
{
	struct recording *g = &r->recording;
	size_t bytes;
	int got;

	while ((got = replay_line(r, &r->first, &bytes, e)) > 0 &&
		r->first.what == RECORDING_FACT) {
		if (g->lines == 1)
			replay_zone(&g->head);
		r->begin.at += (off_t)bytes;
		r->begin.lines = g->lines;
	}
	r->begin.on = true;
	r->position = r->begin.at;
	r->first_bytes = got > 0 ? bytes : 0;
	return got < 0 ? got : 0;
}

static int replay_open_sessions(struct replay *r, struct probes_error *e)
{
	size_t at = 0, *sorted = calloc(r->probe_count + 1, sizeof *sorted);
	int status = 0;

	r->local = calloc(r->probe_count + 1, sizeof *r->local);
	r->probes = calloc(r->probe_count + 1, sizeof *r->probes);
	r->events = calloc(r->probe_count + 1, sizeof *r->events);
	r->kept = calloc(r->probe_count + 1, sizeof *r->kept);
	r->objects = calloc(r->recording.object_count + 1, sizeof *r->objects);
	r->processes = calloc(r->recording.process_count + 1, sizeof *r->processes);
	if (!sorted || !r->local || !r->probes || !r->events || !r->kept || !r->objects ||
		!r->processes)
		status = probes_failed(e, -ENOMEM, "cannot replay");
	for (size_t i = 0; sorted && i < r->probe_count; i++)
		sorted[i] = i;
	if (sorted)
		qsort_r(sorted, r->probe_count, sizeof *sorted, replay_compare,
			r->recording.probes);
	for (size_t i = 0; status == 0 && i < r->recording.process_count; i++)
		status = replay_open_process(r, i, sorted, &at, e);
	free(sorted);
	return status;
}

int replay_open(const char *path, struct replay **replay, struct probes_error *e)
{
	struct replay *r = *replay = calloc(1, sizeof *r);
	char what[300];
	struct stat st;
	int fd;

	if (!r)
		return probes_failed(e, -ENOMEM, "cannot replay");
	snprintf(what, sizeof what, "cannot read %s", path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	r->file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!r->file || fstat(fd, &st) < 0)
		return report_set(e,
			errno == ENOENT || errno == ENOTDIR ? PROBES_NO_TARGET : PROBES_FAILED,
			-errno, what, "", "%s", strerror(errno));
	r->size = st.st_size;
	if (replay_describe(r, e) < 0)
		return e->code;
	r->total = r->begin;
	r->probe_count = r->recording.probe_count;
	if (!r->probe_count)
		return report_set(e, PROBES_FAILED, -EINVAL, "the recording cannot be shown", "",
			"it holds no probe");
	return replay_open_sessions(r, e);
}

void replay_close(struct replay *r)
{
	if (!r)
		return;
	for (size_t i = 0; r->processes && i < r->recording.process_count; i++)
		probes_close(r->processes[i].member.session);
	free(r->processes);
	free(r->events);
	free(r->kept);
	free(r->objects);
	free(r->local);
	free(r->probes);
	if (r->file)
		fclose(r->file);
	recording_done(&r->recording);
	free(r);
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
		snprintf(p->how, sizeof p->how, "%s", item->end.how);
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
		r->first_bytes = 0;
		clearerr(r->file);
		if (fseeko(r->file, p->at, SEEK_SET) < 0)
			replay_end(p, strerror(errno));
	}
	r->recording.lines = p->lines;
	for (int i = 1; p->on && (i % REPLAY_LINES || now_ms() < until); i++) {
		got = 1;
		item = r->first; /* what the descriptions ended with is not read again */
		bytes = r->first_bytes;
		r->recording.lines += bytes > 0;
		r->first_bytes = 0;
		if (!bytes)
			got = replay_line(r, &item, &bytes, &e);
		p->at += (off_t)bytes;
		p->lines = r->recording.lines;
		if (got < 0) {
			snprintf(why, sizeof why, "%.150s: %.140s", e.what, e.why);
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
		r->processes[r->recording.probes[probe].process].events[r->local[probe]]++;
}

bool replay_count(struct replay *r)
{
	bool on = r->total.on;

	if (on)
		replay_read(r, &r->total, replay_count_one, r);
	return on;
}

int replay_percent(const struct replay *r, const struct replay_pass *p)
{
	return r->size > p->at && p->at > 0 ? (int)(p->at * 100 / r->size) : 100;
}
