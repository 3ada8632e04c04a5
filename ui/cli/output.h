/* The output of one call, in the format of -format; and the formats that are text (text.c). */
#pragma once

#include "ui/output/rows.h"

/* A line per probe and per site, and a summary; with -quiet lines of probes only. */
void text_rows(struct output *o, const struct rows *rows);
/* A line per probe, sorted by name: "NAME enabled". */
void text_info(struct output *o, const struct rows *rows);
/* The edits of rows->result. */
void text_plan(struct output *o, const struct rows *rows);

/* many: several processes follow each other; text: rows where no format is given. */
void output_begin(struct output *out, FILE *file, const struct options *o, bool many,
	void (*text)(struct output *o, const struct rows *rows));
/* plan: the edits of rows->result. */
void output_print(struct output *out, const struct rows *rows, bool plan);
/* The end, written. Returns the exit status, as result_written. */
int output_end(struct output *out, const struct options *o);
