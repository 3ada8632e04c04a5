/*
 * The output of one call.
 *
 * Owns the choice of the format and the check that it was written. Knows
 * nothing of what a probe is.
 */
#include "ui/cli/output.h"

#include <errno.h>
#include <string.h>

#include "ui/csv.h"
#include "ui/json.h"
#include "ui/report.h"

void output_begin(struct output *out, FILE *file, const struct options *o, bool many,
	const struct format_ops *text)
{
	*out = (struct output){
		.sheet = {.out = file, .many = many, .quiet = o->quiet, .verbose = o->verbose},
		.ops = text,
	};
	if (o->format == FORMAT_JSON)
		out->ops = &json_ops;
	if (o->format == FORMAT_CSV)
		out->ops = &csv_ops;
	out->ops->begin(&out->sheet);
}

void output_rows(struct output *out, const struct rows *rows)
{
	out->ops->rows(&out->sheet, rows);
	out->sheet.blocks++;
}

void output_plan(struct output *out, const struct rows *rows)
{
	out->ops->plan(&out->sheet, rows);
	out->sheet.blocks++;
}

int output_end(struct output *out, struct probes_error *e)
{
	FILE *file = out->sheet.out;
	int code;

	out->ops->end(&out->sheet);
	errno = 0;
	if (!ferror(file) && fflush(file) == 0)
		return 0;
	/* An error noticed earlier has left no errno. */
	code = errno ? errno : EIO;
	return report_set(
		e, PROBES_FAILED, -code, "cannot write the output", "", "%s", strerror(code));
}
