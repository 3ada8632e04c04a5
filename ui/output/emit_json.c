/* JSON, in ASCII. What is unknown or does not apply is null. Unlocked: events may come by the
 * million. */
#include <string.h>

#include "ui/output/emit.h"
#include "ui/output/json_value.h"

/* What comes before a value. Where people may read it, an element of an outer list is a line. */
static void before(struct emit *e, enum field field)
{
	bool spread = schemas[e->schema].spread, more = e->filled >> e->depth & 1;
	bool line = spread && !field && (e->depth > 1 || more);

	line = line && e->depth <= (e->lists & 2 ? 3 : 2);
	if (more)
		fputs_unlocked(spread && !line ? ", " : ",", e->file);
	if (e->depth)
		e->filled |= 1u << e->depth;
	if (line)
		fputs_unlocked("\n  ", e->file);
	if (!field)
		return;
	putc_unlocked('"', e->file);
	fputs_unlocked(fields[field].name, e->file);
	fputs_unlocked(spread ? "\": " : "\":", e->file);
}

static void json_open(struct emit *e, enum field field, bool list)
{
	before(e, field);
	putc_unlocked(list ? '[' : '{', e->file);
}

static void json_close(struct emit *e, bool list)
{
	fputs_unlocked(list ? "]" : "}", e->file);
	if (!e->depth)
		putc_unlocked('\n', e->file);
}

static void put_text(struct emit *e, const char *text, size_t length)
{
	size_t plain = 0;
	json_t *json;

	while (plain < length && text[plain] >= ' ' && text[plain] <= '~' &&
		!strchr("\"\\", text[plain]))
		plain++;
	if (plain == length) { /* nearly all are, and there may be a million a second */
		putc_unlocked('"', e->file);
		fwrite_unlocked(text, 1, length, e->file);
		putc_unlocked('"', e->file);
		return;
	}
	json = json_stringn(text, length);
	if (!json)
		json = json_value_text(text);
	if (json_dumpf(json, e->file, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) < 0)
		fputs_unlocked("null", e->file);
	json_decref(json);
}

static void put_parts(struct emit *e, const char *text)
{
	const char *end;

	putc_unlocked('[', e->file);
	for (const char *at = text; at; at = *end ? end + 1 : NULL) {
		end = at + strcspn(at, ";");
		fputs_unlocked(at == text ? "" : ",", e->file);
		put_text(e, at, (size_t)(end - at));
	}
	putc_unlocked(']', e->file);
}

static void json_value(struct emit *e, const struct emit_value *value)
{
	char number[EMIT_SIZE];
	const char *text = emit_text(value, number);

	before(e, value->field);
	if (text && value->field && fields[value->field].type == TYPE_TEXTS)
		put_parts(e, text);
	else if (text && value->kind >= EMIT_TEXT)
		put_text(e, text, strlen(text));
	else
		fputs_unlocked(text ? text : "null", e->file);
}

const struct emit_ops emit_json = {.open = json_open, .close = json_close, .value = json_value};
