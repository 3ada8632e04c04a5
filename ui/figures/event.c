#include "ui/figures/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ui/words/line.h"
#include "ui/words/probe_name.h"

#define LARGE UINT64_C(0xffffffff) /* above, a number is rather an address */

const char *event_time(int64_t time_ns, bool date, char out[EVENT_TIME_BYTES])
{
	time_t seconds = (time_t)(time_ns / 1000000000);
	struct tm t = {0};
	char micros[16];
	size_t length;

	localtime_r(&seconds, &t);
	length = strftime(out, EVENT_TIME_BYTES, date ? "%Y-%m-%dT%H:%M:%S" : "%H:%M:%S", &t);
	snprintf(micros, sizeof micros, ".%06d", (int)(time_ns % 1000000000 / 1000));
	snprintf(out + length, EVENT_TIME_BYTES - length, "%s", micros);
	return out;
}

const char *event_real(double real, int digits, char *out, size_t size)
{
	char *point;

	snprintf(out, size, "%.*g", digits, real);
	point = strchr(out, ',');
	if (point)
		*point = '.';
	return out;
}

const char *event_arguments(unsigned arguments, char *out, size_t size)
{
	struct line l = {.text = out, .size = size};

	*out = '\0';
	for (unsigned i = 0; arguments >> i; i++)
		if (arguments >> i & 1)
			line_add(&l, "%sarg%u", l.length ? "," : "", i + 1);
	return out;
}

static void put_text(struct line *l, const struct probes_value *value)
{
	char safe[4 * PROBES_EVENT_TEXT + 1];

	probes_escape(value->text, safe, sizeof safe);
	line_add(l, "\"");
	for (const char *at = safe; *at; at++)
		line_add(l, *at == '"' ? "\\%c" : "%c", *at);
	line_add(l, value->cut ? "\"..." : "\"");
}

const char *event_value(const struct probes_value *value, char out[EVENT_VALUE_BYTES])
{
	struct line l = {.text = out, .size = EVENT_VALUE_BYTES};
	char real[40];

	*out = '\0';
	if (value->text) {
		put_text(&l, value);
		return out;
	}
	switch (value->kind) {
	case PROBES_VALUE_SIGNED:
		line_add(&l, "%" PRId64, value->number);
		break;
	case PROBES_VALUE_UNSIGNED:
		line_add(&l, value->bits > LARGE || value->asked ? "0x%" PRIx64 : "%" PRIu64,
			value->bits);
		break;
	case PROBES_VALUE_FLOAT:
		line_add(&l, "%s", event_real(value->real, 9, real, sizeof real));
		break;
	default:
		line_add(&l, "?");
		return out;
	}
	if (value->asked)
		line_add(&l, "(?)");
	return out;
}

/* "arg" and a number, which only an argument itself may be called. */
static bool is_number(const char *name)
{
	return !strncmp(name, "arg", 3) && name[3] && !name[3 + strspn(name + 3, "0123456789")];
}

const char *event_label(const char *name, size_t argument, char out[EVENT_LABEL_BYTES])
{
	if (name && !is_number(name))
		probes_escape(name, out, EVENT_LABEL_BYTES);
	else
		snprintf(out, EVENT_LABEL_BYTES, "arg%zu", argument);
	return out;
}

bool event_unreadable(const struct probes_value *value)
{
	return value->kind == PROBES_VALUE_UNREADABLE || (value->asked && !value->text);
}

const char *event_argument_label(struct probes_session *session, size_t probe, size_t site,
	size_t argument, char out[EVENT_LABEL_BYTES])
{
	return event_label(
		probes_argument_name(session, probe, site, (unsigned)argument), argument, out);
}

const char *event_argument_names(
	struct probes_session *session, size_t probe, size_t site, char *out, size_t size)
{
	struct line l = {.text = out, .size = size};
	char safe[EVENT_LABEL_BYTES];

	*out = '\0';
	for (size_t i = 1; i <= PROBES_EVENT_ARGUMENTS; i++) {
		const char *name = probes_argument_name(session, probe, site, (unsigned)i);

		if (!name || is_number(name))
			continue;
		probes_escape(name, safe, sizeof safe);
		line_add(&l, "%sarg%zu is %s", *out ? ", " : "", i, safe);
	}
	return out;
}

const char *event_json(const struct probes_value *value, char out[EVENT_NUMBER_BYTES])
{
	const char *real = "n";

	if (value->kind == PROBES_VALUE_FLOAT)
		real = event_real(value->real, 17, out, EVENT_NUMBER_BYTES);
	if (value->kind == PROBES_VALUE_SIGNED)
		snprintf(out, EVENT_NUMBER_BYTES, "%" PRId64, value->number);
	else if (value->kind == PROBES_VALUE_UNSIGNED)
		snprintf(out, EVENT_NUMBER_BYTES, "%" PRIu64, value->bits);
	else if (strpbrk(real, "ni"))
		snprintf(out, EVENT_NUMBER_BYTES, "null");
	return out;
}

const char *event_caller_symbol(
	const struct probes_caller *caller, uint64_t address, char out[EVENT_CALLER_BYTES])
{
	const char *function = caller->where.function;
	struct line l = {.text = out, .size = EVENT_CALLER_BYTES};
	char safe[4 * sizeof caller->where.function];

	*out = '\0';
	if (*function || caller->object) {
		probes_escape(
			*function ? function : probe_name_base(caller->object), safe, sizeof safe);
		line_add(&l, "%s+0x%" PRIx64, safe, *function ? caller->where.offset : caller->pc);
	} else if (address) {
		line_add(&l, "0x%" PRIx64, address);
	}
	return out;
}

const char *event_caller_line(const struct probes_caller *caller, char out[EVENT_CALLER_BYTES])
{
	char safe[4 * sizeof caller->where.file];

	if (!*caller->where.file || !caller->where.line)
		return NULL;
	probes_escape(caller->where.file, safe, sizeof safe);
	snprintf(out, EVENT_CALLER_BYTES, "%s:%d", safe, caller->where.line);
	return out;
}

const char *event_caller(
	const struct probes_caller *caller, uint64_t address, char out[EVENT_CALLER_BYTES])
{
	char safe[4 * sizeof caller->where.file];
	size_t length = strlen(event_caller_symbol(caller, address, out));
	struct line l = {.text = out, .size = EVENT_CALLER_BYTES, .length = length};

	if (!length)
		line_add(&l, "?");
	if (*caller->where.file && caller->where.line) {
		probes_escape(probe_name_base(caller->where.file), safe, sizeof safe);
		line_add(&l, " (%s:%d)", safe, caller->where.line);
	}
	return out;
}
