/*
 * The output of one call: the format that was asked for, and whether all of it
 * could be written.
 */
#ifndef UI_CLI_OUTPUT_H
#define UI_CLI_OUTPUT_H

#include "ui/rows.h"

struct output {
	struct format_sheet sheet;
	const struct format_ops *ops;
};

/* Begin. "many": several processes will follow each other; "text": the form of -format text. */
void output_begin(struct output *out, FILE *file, const struct options *o, bool many,
	const struct format_ops *text);
void output_rows(struct output *out, const struct rows *rows);
void output_plan(struct output *out, const struct rows *rows);
/* End. A stream that could not take it all (EPIPE, ENOSPC) is an error. */
PROBES_CHECK int output_end(struct output *out, struct probes_error *e);

#endif
