/*
 * Events as text, as JSON lines, or in the Trace Event Format.
 *
 *     TIME                TID THREAD          PROBE
 *     14:02:07.123456   41873 worker-1        web:req_start arg1=12 arg2="/index"
 */
#include "ui/cli/events_print.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ui/figures/event.h"
#include "ui/output/json_value.h"
#include "ui/output/outbuf.h"

#define NAME_WIDTH 15 /* of a thread: TASK_COMM_LEN less its NUL */

/* ----------------------------------------------------------------------- text */

static void put_padded(struct lines *l, const char *safe, size_t width)
{
	lines_put(l, safe);
	for (size_t i = outbuf_width(safe); i < width; i++)
		lines_put(l, " ");
}

static void text_event(struct lines *l, const struct probes_probe *probe, const char *const *names,
	const struct probes_event *event, const struct probes_caller *caller)
{
	char from[EVENT_CALLER_BYTES];
	char time[EVENT_TIME_BYTES], value[EVENT_VALUE_BYTES], label[EVENT_LABEL_BYTES], name[64];

	lines_format(l, "%s ", event_time(event->time_ns, false, time));
	if (event->tid)
		lines_format(l, "%7d ", (int)event->tid);
	else
		lines_put(l, "      ? ");
	probes_escape(*event->thread ? event->thread : "-", name, sizeof name);
	put_padded(l, name, NAME_WIDTH);
	lines_put(l, " ");
	lines_put(l, outbuf_probe(probe));
	for (size_t i = 0; i < event->count; i++) {
		lines_put(l, " ");
		lines_put(l, event_label(names[i], i + 1, label));
		lines_put(l, "=");
		lines_put(l, event_value(&event->values[i], value));
	}
	if (!caller)
		return;
	lines_put(l, " <- ");
	lines_put(l, event_caller(caller, event->caller, from));
}

/* ----------------------------------------------------------------------- JSON */

static void json_text(struct lines *l, const char *raw)
{
	json_t *value = json_value_text(raw);
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);

	lines_put(l, text ? text : "null");
	free(text);
	json_decref(value);
}

/* null: unknown. */
static void json_caller(struct lines *l, const struct probes_caller *caller, uint64_t address)
{
	char text[EVENT_CALLER_BYTES];

	if (!address) {
		lines_put(l, ",\"caller\":null");
		return;
	}
	lines_format(l, ",\"caller\":{\"address\":\"0x%" PRIx64 "\",\"symbol\":", address);
	json_text(l, caller->object ? event_caller_symbol(caller, address, text) : NULL);
	lines_put(l, ",\"line\":");
	json_text(l, event_caller_line(caller, text));
	lines_put(l, "}");
}

static void json_event(struct lines *l, const struct probes_probe *probe, const char *const *names,
	const struct probes_event *event, const struct probes_caller *caller)
{
	char time[EVENT_TIME_BYTES], number[EVENT_NUMBER_BYTES];

	lines_format(l,
		"{\"time\":\"%s\",\"time_ns\":%" PRId64 ",\"pid\":%d,\"tid\":%d,\"thread\":",
		event_time(event->time_ns, true, time), event->time_ns, (int)event->pid,
		(int)event->tid);
	json_text(l, *event->thread ? event->thread : NULL);
	lines_put(l, ",\"provider\":");
	json_text(l, probe->provider);
	lines_put(l, ",\"name\":");
	json_text(l, probe->name);
	lines_put(l, ",\"args\":[");
	for (size_t i = 0; i < event->count; i++) {
		lines_put(l, i ? ",{\"name\":" : "{\"name\":");
		json_text(l, names[i]);
		lines_put(l, ",\"value\":");
		lines_put(l, event_json(&event->values[i], number));
		lines_put(l, ",\"text\":");
		json_text(l, event->values[i].text);
		lines_put(l, event->values[i].cut ? ",\"cut\":true}" : "}");
	}
	lines_put(l, "]");
	if (caller)
		json_caller(l, caller, event->caller);
	lines_put(l, "}");
}

/* ------------------------------------------------------------------ the output */

void events_print_add(struct events_print *out, const struct probes_probe *probe,
	enum pair_role role, const char *const names[PROBES_EVENT_ARGUMENTS],
	const struct probes_event *event, const struct probes_caller *caller)
{
	size_t from = out->lines.length;
	bool again = false;

	if (out->silent || out->format != FORMAT_CHROME) {
		if (!out->silent && out->format == FORMAT_JSON)
			json_event(&out->lines, probe, names, event, caller);
		else if (!out->silent)
			text_event(&out->lines, probe, names, event, caller);
		lines_end(&out->lines, from, event->time_ns);
		return;
	}
	do {
		char *text = chrome_event(&out->chrome, probe, role, event, &again);

		from = out->lines.length;
		if (text)
			lines_put(&out->lines, text);
		out->lines.failed = out->lines.failed || !text;
		free(text);
		lines_end(&out->lines, from, event->time_ns);
		out->names += again;
	} while (again);
}

/* A line of FORMAT_CHROME that is no event; it is released. */
static void put_other(struct events_print *out, char *text, int64_t time_ns)
{
	size_t from = out->lines.length;

	lines_put(&out->lines, text ? text : "{}");
	lines_end(&out->lines, from, time_ns);
	free(text);
	out->names++;
}

void events_print_process(struct events_print *out, pid_t pid, const char *name)
{
	if (out->format == FORMAT_CHROME && !out->silent)
		put_other(out, chrome_process(pid, name), 0);
}

void events_print_rate(struct events_print *out, const struct probes_probe *probe, pid_t pid,
	int64_t time_ns, double rate)
{
	if (out->format == FORMAT_CHROME && !out->silent)
		put_other(out, chrome_rate(probe, pid, time_ns, rate), time_ns);
}

void events_print_flush(struct events_print *out, uint64_t lost)
{
	struct lines *l = &out->lines;

	if (!out->sorted)
		lines_sort(l);
	if (out->format <= FORMAT_TEXT && !out->begun && !out->silent)
		fprintf(out->file, "%-15s %7s %-*s %s\n", "TIME", "TID", NAME_WIDTH, "THREAD",
			"PROBE");
	if (out->format <= FORMAT_TEXT && lost > out->lost && !out->silent)
		fprintf(out->file, "-- %" PRIu64 " event%s lost --\n", lost - out->lost,
			lost - out->lost == 1 ? "" : "s");
	for (size_t i = 0; i < l->count && !out->silent; i++) {
		if (out->format == FORMAT_CHROME)
			fputs(out->printed + out->names_printed + i ? "," : "[\n", out->file);
		fwrite(l->text + l->all[i].at, 1, l->all[i].length, out->file);
	}
	if ((l->count || lost > out->lost || !out->begun) && fflush(out->file) != 0 && !out->code)
		out->code = errno;
	out->begun = true;
	out->lost = lost;
	*(out->code || ferror(out->file) ? &out->unwritten : &out->printed) +=
		l->count - out->names;
	out->names_printed += out->names;
	out->names = 0;
	lines_clear(l);
}

void events_print_end(
	struct events_print *out, uint64_t lost, uint64_t unread, double seconds, bool over)
{
	json_t *line;

	if (out->silent)
		return;
	if (out->format == FORMAT_CHROME) {
		fputs(out->printed + out->names_printed ? "]\n" : "[]\n", out->file);
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
	lines_done(&out->lines);
	chrome_done(&out->chrome);
}
