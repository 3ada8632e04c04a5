/* The output of one call. Chooses the format and checks that all was written. */
#include "ui/cli/output.h"

#include <errno.h>
#include <string.h>

#include "ui/words/report.h"

void output_begin(struct output *out, FILE *file, const struct options *o, bool many,
	const struct format_ops *text)
{
	*out = (struct output){
		.file = file,
		.ops = o->format == FORMAT_JSON  ? &json_ops
		       : o->format == FORMAT_CSV ? &csv_ops
						 : text,
		.many = many,
		.quiet = o->quiet,
		.verbose = o->verbose,
	};
	if (out->ops->begin)
		out->ops->begin(out);
}

void output_rows(struct output *out, const struct rows *rows)
{
	out->ops->rows(out, rows);
	out->printed++;
}

void output_plan(struct output *out, const struct rows *rows)
{
	out->ops->plan(out, rows);
	out->printed++;
}

int output_end(struct output *out, struct probes_error *e)
{
	int code;

	if (out->ops->end)
		out->ops->end(out);
	errno = 0;
	if (!ferror(out->file) && fflush(out->file) == 0)
		return 0;
	/* An error noticed earlier has left no errno. */
	code = errno ? errno : EIO;
	return report_set(
		e, PROBES_FAILED, -code, "cannot write the output", "", "%s", strerror(code));
}
