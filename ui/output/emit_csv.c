/* CSV: quoted as in RFC 4180, lines end with LF. What is unknown is an empty field, never 0. */
#include "ui/output/emit.h"
#include "ui/output/outbuf.h"

static void csv_open(struct emit *e, enum field field, bool list)
{
	const enum field *columns = schemas[e->schema].columns;

	for (size_t i = 0; !list && !e->headed && columns[i]; i++)
		fprintf(e->file, "%s%s", fields[columns[i]].name, columns[i + 1] ? "," : "\n");
	e->headed = e->headed || !list;
}

static void csv_value(struct emit *e, const struct emit_value *value)
{
	const enum field *columns = schemas[e->schema].columns;

	for (size_t i = 0; value->field && columns[i]; i++)
		if (columns[i] == value->field)
			e->cells[i] = *value;
}

static void csv_row(struct emit *e)
{
	const enum field *columns = schemas[e->schema].columns;
	char number[EMIT_SIZE];
	struct outbuf b;

	outbuf_begin(&b, e->file);
	for (size_t i = 0; columns[i]; i++) {
		const char *text = emit_text(&e->cells[i], number);

		outbuf_csv(&b, text ? text : "");
		outbuf_text(&b, columns[i + 1] ? "," : "\n");
	}
	outbuf_flush(&b);
}

const struct emit_ops emit_csv = {.open = csv_open, .value = csv_value, .row = csv_row};
