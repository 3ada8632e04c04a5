/* The output of one call, in the format of -format; and the formats that are text (text.c). */
#ifndef UI_CLI_OUTPUT_H
#define UI_CLI_OUTPUT_H

#include "ui/output/rows.h"

/* A line per probe and per site, and a summary; with -quiet lines of probes only. */
extern const struct format_ops text_ops;
/* A line per probe, sorted by name: "NAME enabled". */
extern const struct format_ops text_info_ops;

/* many: several processes follow each other; text: the format of -format text. */
void output_begin(struct output *out, FILE *file, const struct options *o, bool many,
	const struct format_ops *text);
void output_rows(struct output *out, const struct rows *rows);
void output_plan(struct output *out, const struct rows *rows);
/* Flush the stream. Fails where not all could be written (EPIPE, ENOSPC). */
PROBES_CHECK int output_end(struct output *out, struct probes_error *e);

#endif
