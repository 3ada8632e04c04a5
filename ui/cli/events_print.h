/* How events are printed. */
#ifndef UI_CLI_EVENTS_PRINT_H
#define UI_CLI_EVENTS_PRINT_H

#include <stdio.h>

#include "probes.h"
#include "ui/chrome.h"
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
	enum format format;
	struct events_lines lines;
	struct chrome chrome;
	size_t names; /* of the lines kept, those that name a thread */
	uint64_t names_printed;
	uint64_t printed, lost; /* said so far */
	uint64_t unwritten;     /* events, of which some or all could not be written */
	int code;               /* errno of the first failure to write; 0: none */
	bool begun;
};

/* Keep the line of an event; in FORMAT_CHROME its probe has this role. */
void events_print_add(struct events_print *out, const struct probes_member *member,
	enum pair_role role, const struct probes_event *event);

/* Print the lines that were kept, in the order of time; and say in the text how many are lost. */
void events_print_flush(struct events_print *out, uint64_t lost);

/* The last line of JSON, or the end of the array of FORMAT_CHROME. */
void events_print_end(
	struct events_print *out, uint64_t lost, uint64_t unread, double seconds, bool over);

void events_print_done(struct events_print *out);

#endif
