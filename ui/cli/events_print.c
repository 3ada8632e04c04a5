/*
 * Events as text, as JSON lines, or in the Trace Event Format.
 *
 *     TIME                TID THREAD          PROBE
 *     14:02:07.123456   41873 worker-1        web:req_start id=12 arg2="/index"
 */
#include "ui/cli/events_print.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ui/event.h"
#include "ui/json_value.h"
#include "ui/outbuf.h"

#define NAME_WIDTH 15 /* of a thread: TASK_COMM_LEN less its NUL */

/* ---------------------------------------------------------------------- lines */

static bool reserve(struct events_lines *l, size_t length)
{
	size_t capacity = l->capacity ? l->capacity : 1 << 16;
	char *text;

	while (capacity - l->length <= length)
		capacity *= 2;
	text = capacity > l->capacity ? realloc(l->text, capacity) : l->text;
	if (!text) {
		l->failed = true;
		return false;
	}
	l->text = text;
	l->capacity = capacity;
	return true;
}

/* Add to the line that is being made. */
static void put(struct events_lines *l, const char *text)
{
	size_t length = strlen(text);

	if (!reserve(l, length + 1))
		return;
	memcpy(l->text + l->length, text, length);
	l->length += length;
}

__attribute__((format(printf, 2, 3))) static void put_format(
	struct events_lines *l, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	put(l, text);
}

static void end_line(struct events_lines *l, size_t from, int64_t time_ns)
{
	if (l->count == l->line_capacity) {
		size_t capacity = l->line_capacity ? 2 * l->line_capacity : 1024;
		struct events_line *lines = reallocarray(l->lines, capacity, sizeof *lines);

		if (!lines) {
			l->failed = true;
			return;
		}
		l->lines = lines;
		l->line_capacity = capacity;
	}
	put(l, "\n");
	l->lines[l->count++] = (struct events_line){time_ns, from, l->length - from};
}

/* By time; of one time, as they came. */
static int compare(const void *x, const void *y)
{
	const struct events_line *a = x, *b = y;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

/* ----------------------------------------------------------------------- text */

static void put_padded(struct events_lines *l, const char *safe, size_t width)
{
	put(l, safe);
	for (size_t i = outbuf_width(safe); i < width; i++)
		put(l, " ");
}

static void text_event(struct events_lines *l, struct probes_session *session,
	const struct probes_probe *probe, const struct probes_event *event)
{
	char time[EVENT_TIME_BYTES], value[EVENT_VALUE_BYTES], label[EVENT_LABEL_BYTES], name[64];

	put_format(l, "%s ", event_time(event->time_ns, false, time));
	if (event->tid)
		put_format(l, "%7d ", (int)event->tid);
	else
		put(l, "      ? ");
	probes_escape(*event->thread ? event->thread : "-", name, sizeof name);
	put_padded(l, name, NAME_WIDTH);
	put(l, " ");
	put(l, outbuf_probe(probe));
	for (size_t i = 0; i < event->count; i++) {
		put(l, " ");
		put(l, event_argument_label(session, event->probe, event->site, i + 1, label));
		put(l, "=");
		put(l, event_value(&event->values[i], value));
	}
}

/* ----------------------------------------------------------------------- JSON */

static void json_text(struct events_lines *l, const char *raw)
{
	json_t *value = json_value_text(raw);
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);

	put(l, text ? text : "null");
	free(text);
	json_decref(value);
}

static void json_event(struct events_lines *l, struct probes_session *session,
	const struct probes_probe *probe, const struct probes_event *event)
{
	char time[EVENT_TIME_BYTES], number[EVENT_NUMBER_BYTES];

	put_format(l, "{\"time\":\"%s\",\"time_ns\":%" PRId64 ",\"pid\":%d,\"tid\":%d,\"thread\":",
		event_time(event->time_ns, true, time), event->time_ns, (int)event->pid,
		(int)event->tid);
	json_text(l, *event->thread ? event->thread : NULL);
	put(l, ",\"provider\":");
	json_text(l, probe->provider);
	put(l, ",\"name\":");
	json_text(l, probe->name);
	put(l, ",\"args\":[");
	for (size_t i = 0; i < event->count; i++) {
		put(l, i ? ",{\"name\":" : "{\"name\":");
		json_text(l,
			probes_argument_name(session, event->probe, event->site, (unsigned)i + 1));
		put(l, ",\"value\":");
		put(l, event_json(&event->values[i], number));
		put(l, ",\"text\":");
		json_text(l, event->values[i].text);
		put(l, event->values[i].cut ? ",\"cut\":true}" : "}");
	}
	put(l, "]}");
}

/* ------------------------------------------------------------------ the output */

void events_print_add(struct events_print *out, const struct probes_member *member,
	enum pair_role role, const struct probes_event *event)
{
	const struct probes_probe *probe = probes_at(member->session, event->probe);
	size_t from = out->lines.length;
	bool again = false;

	if (out->format != FORMAT_CHROME) {
		if (out->format == FORMAT_JSON)
			json_event(&out->lines, member->session, probe, event);
		else
			text_event(&out->lines, member->session, probe, event);
		end_line(&out->lines, from, event->time_ns);
		return;
	}
	do {
		char *text = chrome_event(&out->chrome, probe, role, event, &again);

		from = out->lines.length;
		if (text)
			put(&out->lines, text);
		out->lines.failed = out->lines.failed || !text;
		free(text);
		end_line(&out->lines, from, event->time_ns);
		/* What names a thread is no event. */
		out->names += again;
	} while (again);
}

void events_print_flush(struct events_print *out, uint64_t lost)
{
	struct events_lines *l = &out->lines;

	if (l->count)
		qsort(l->lines, l->count, sizeof *l->lines, compare);
	if (out->format <= FORMAT_TEXT && !out->begun)
		fprintf(out->file, "%-15s %7s %-*s %s\n", "TIME", "TID", NAME_WIDTH, "THREAD",
			"PROBE");
	if (out->format <= FORMAT_TEXT && lost > out->lost)
		fprintf(out->file, "-- %" PRIu64 " event%s lost --\n", lost - out->lost,
			lost - out->lost == 1 ? "" : "s");
	for (size_t i = 0; i < l->count; i++) {
		if (out->format == FORMAT_CHROME)
			fputs(out->printed + out->names_printed + i ? "," : "[\n", out->file);
		fwrite(l->text + l->lines[i].at, 1, l->lines[i].length, out->file);
	}
	if ((l->count || lost > out->lost || !out->begun) && fflush(out->file) != 0 && !out->code)
		out->code = errno;
	out->begun = true;
	out->lost = lost;
	*(out->code || ferror(out->file) ? &out->unwritten : &out->printed) +=
		l->count - out->names;
	out->names_printed += out->names;
	out->names = 0;
	l->count = l->length = 0;
}

void events_print_end(
	struct events_print *out, uint64_t lost, uint64_t unread, double seconds, bool over)
{
	json_t *line;

	if (out->format == FORMAT_CHROME) {
		fputs(out->printed ? "]\n" : "[]\n", out->file);
		fflush(out->file);
	}
	if (out->format != FORMAT_JSON)
		return;
	line = json_pack("{s:I, s:I, s:I, s:f, s:b}", "events", (json_int_t)out->printed, "lost",
		(json_int_t)lost, "only_counted", (json_int_t)unread, "seconds", seconds,
		"over_budget", (int)over);
	json_dumpf(line, out->file, JSON_COMPACT | JSON_REAL_PRECISION(12));
	json_decref(line);
	fputc('\n', out->file);
	fflush(out->file);
}

void events_print_done(struct events_print *out)
{
	free(out->lines.text);
	free(out->lines.lines);
	chrome_done(&out->chrome);
}
