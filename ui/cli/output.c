#include "ui/cli/output.h"

#include "ui/cli/outlet.h"
#include "ui/cli/result.h"

void output_begin(struct output *out, FILE *file, const struct options *o, bool many,
	void (*text)(struct output *o, const struct rows *rows))
{
	*out = (struct output){
		.file = outlet_begin(file),
		.text = text,
		.many = many,
		.quiet = o->quiet,
		.verbose = o->verbose,
	};
	out->emit = emit_begin(out->file, o->format, SCHEMA_LIST, false);
	if (many && out->emit.ops)
		emit_list(&out->emit, none);
}

void output_print(struct output *out, const struct rows *rows, bool plan)
{
	if (out->emit.ops)
		rows_emit(out, rows, plan);
	else if (plan)
		text_plan(out, rows);
	else
		out->text(out, rows);
	out->printed++;
}

int output_end(struct output *out, const struct options *o)
{
	emit_end(&out->emit);
	return result_written(out->file, o, 0);
}
