/* How events are printed. */
#ifndef UI_CLI_EVENTS_PRINT_H
#define UI_CLI_EVENTS_PRINT_H

#include <stdio.h>

#include "probes.h"
#include "ui/options.h"

/* Lines that are kept until those of all processes are there. All zero is empty. */
struct events_lines {
	char *text;
	size_t length, capacity;
	struct events_line {
		int64_t time_ns;
		size_t at, length;
	} * lines;
	size_t count, line_capacity;
	bool failed; /* no memory */
};

struct events_print {
	FILE *file;
	bool json;
	struct events_lines lines;
	uint64_t printed, lost; /* said so far */
	bool begun;
};

/* Keep the line of an event. */
void events_print_add(struct events_print *out, const struct probes_member *member,
	const struct probes_event *event);

/* Print the lines that were kept, in the order of time; and say in the text how many are lost. */
void events_print_flush(struct events_print *out, uint64_t lost);

/* The last line of JSON. */
void events_print_end(
	struct events_print *out, uint64_t lost, uint64_t unread, double seconds, bool over);

void events_print_done(struct events_print *out);

#endif
