#include "ui/cli/output.h"

#include <errno.h>
#include <string.h>

#include "ui/words/report.h"

void output_begin(struct output *out, FILE *file, const struct options *o, bool many,
	void (*text)(struct output *o, const struct rows *rows))
{
	*out = (struct output){
		.file = file,
		.emit = emit_begin(file, o->format, SCHEMA_LIST, false),
		.text = text,
		.many = many,
		.quiet = o->quiet,
		.verbose = o->verbose,
	};
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

int output_end(struct output *out, struct probes_error *e)
{
	int code;

	emit_end(&out->emit);
	errno = 0;
	if (!ferror(out->file) && fflush(out->file) == 0)
		return 0;
	/* An error noticed earlier has left no errno. */
	code = errno ? errno : EIO;
	return report_set(
		e, PROBES_FAILED, -code, "cannot write the output", "", "%s", strerror(code));
}
