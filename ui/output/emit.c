#include "ui/output/emit.h"

#define EMIT_FORMAT(NAME, name) [FORMAT_##NAME] = &emit_##name,

static const struct emit_ops *const formats[FORMATS_COUNT] = {FORMATS_EMITTED(EMIT_FORMAT)};

struct emit emit_begin(FILE *file, enum format format, enum schema schema, bool headed)
{
	return (struct emit){
		.file = file, .ops = formats[format], .schema = schema, .headed = headed};
}

void emit_values(struct emit *e, const struct emit_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fields[values[i].field].schemas >> e->schema & 1)
			e->ops->value(e, &values[i]);
}

void emit_open(
	struct emit *e, enum field field, bool list, const struct emit_value *values, size_t count)
{
	e->ops->open(e, field, list);
	e->depth++;
	e->lists = (e->lists & ~(1u << e->depth)) | (unsigned)list << e->depth;
	e->filled &= ~(1u << e->depth);
	emit_values(e, values, count);
}

void emit_close(struct emit *e)
{
	e->depth--;
	if (e->ops->close)
		e->ops->close(e, e->lists >> (e->depth + 1) & 1);
}

void emit_end(struct emit *e)
{
	while (e->depth)
		emit_close(e);
}

void emit_row(struct emit *e)
{
	if (e->ops->row)
		e->ops->row(e);
}
