/*
 * Events as text, as JSON lines, or in the Trace Event Format.
 *
 *     TIME                TID THREAD          PROBE
 *     14:02:07.123456   41873 worker-1        web:req_start arg1=12 arg2="/index"
 */
#include "ui/cli/events_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "ui/figures/event.h"
#include "ui/output/outbuf.h"

#define NAME_WIDTH 15 /* of a thread: TASK_COMM_LEN less its NUL */

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
	lines_put(l, name);
	for (size_t i = outbuf_width(name); i < NAME_WIDTH; i++)
		lines_put(l, " ");
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

static void emit_args(struct emit *e, const char *const *names, const struct probes_event *event)
{
	char number[EVENT_NUMBER_BYTES];

	emit_list(e, args);
	for (size_t i = 0; i < event->count; i++) {
		const struct probes_value *value = &event->values[i];

		emit_object(e, none, TEXT(argument, names[i]),
			DIGITS(value, event_json(value, number)), TEXT(text, value->text));
		if (value->cut)
			emit(e, BOOL(cut, true));
		emit_close(e);
	}
	emit_close(e);
}

static void emit_caller(struct emit *e, const struct probes_caller *caller, uint64_t address)
{
	char symbol[EVENT_CALLER_BYTES], line[EVENT_CALLER_BYTES];

	if (!address) {
		emit(e, NONE(caller));
		return;
	}
	emit_object(e, caller, ADDRESS(address, address),
		KNOWN(caller->object, TEXT, symbol, event_caller_symbol(caller, address, symbol)),
		TEXT(line, event_caller_line(caller, line)));
	emit_close(e);
}

static void json_event(struct events_print *out, const struct probes_probe *probe,
	const char *const *names, const struct probes_event *event,
	const struct probes_caller *caller)
{
	struct emit *e = &out->json;
	char time[EVENT_TIME_BYTES];

	if (!e->file)
		*e = emit_begin(
			open_memstream(&out->text, &out->size), FORMAT_JSON, SCHEMA_EVENTS, true);
	out->lines.failed = out->lines.failed || !e->file;
	if (!e->file)
		return;
	rewind(e->file);
	emit_object(e, none, TEXT(time, event_time(event->time_ns, true, time)),
		I64(time_ns, event->time_ns), I64(pid, event->pid), I64(tid, event->tid),
		KNOWN(*event->thread, TEXT, thread, event->thread), TEXT(provider, probe->provider),
		TEXT(name, probe->name));
	emit_args(e, names, event);
	if (caller)
		emit_caller(e, caller, event->caller);
	emit_end(e);
	if (fflush(e->file) == 0 && out->size) {
		out->text[out->size - 1] = '\0'; /* instead of the newline */
		lines_put(&out->lines, out->text);
	} else {
		out->lines.failed = true;
	}
}

void events_print_add(struct events_print *out, const struct probes_probe *probe,
	enum pair_role role, const char *const names[PROBES_EVENT_ARGUMENTS],
	const struct probes_event *event, const struct probes_caller *caller)
{
	size_t from = out->lines.length;
	bool again = false;

	if (out->silent || out->format != FORMAT_CHROME) {
		if (!out->silent && out->format == FORMAT_JSON)
			json_event(out, probe, names, event, caller);
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

void events_print_end(struct events_print *out, const struct recording_end *end)
{
	struct emit e = emit_begin(out->file, out->format, SCHEMA_EVENTS, true);

	if (out->silent)
		return;
	if (out->format == FORMAT_CHROME)
		fputs(out->printed + out->names_printed ? "]\n" : "[]\n", out->file);
	if (out->format == FORMAT_JSON)
		emit_element(&e, U64(events, out->printed), U64(lost, end->lost),
			U64(undecided, end->undecided), U64(only_counted, end->only_counted),
			REAL(seconds, end->seconds), BOOL(over_budget, end->over),
			U64(sites_lost, end->sites_lost));
	fflush(out->file);
}

void events_print_done(struct events_print *out)
{
	if (out->json.file)
		fclose(out->json.file);
	free(out->text);
	lines_done(&out->lines);
	chrome_done(&out->chrome);
}
