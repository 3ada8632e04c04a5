/* How events are printed. */
#pragma once

#include <stdio.h>

#include "probes.h"
#include "ui/options/options.h"
#include "ui/output/chrome.h"
#include "ui/output/emit.h"
#include "ui/recording/recording.h"
#include "ui/words/lines.h"

struct events_print {
	FILE *file;
	enum format format;
	bool silent; /* events are counted only */
	struct lines lines;
	struct emit json; /* into memory: an event, */
	char *text;       /* of size bytes */
	size_t size;
	struct chrome chrome;
	bool sorted;  /* events come in the order of time */
	size_t names; /* of the lines kept, those that are no events: names, rates */
	uint64_t names_printed;
	uint64_t printed, lost; /* said so far */
	uint64_t unwritten;     /* events, of which some or all could not be written */
	int code;               /* errno of the first failure to write; 0: none */
	bool begun;
};

/*
 * Keep the line of an event. In FORMAT_CHROME its probe has this role; in other formats its
 * arguments have these names, raw; NULL: unknown. Its
 * caller is printed, unless that is NULL.
 */
void events_print_add(struct events_print *out, const struct probes_probe *probe,
	enum pair_role role, const char *const names[PROBES_EVENT_ARGUMENTS],
	const struct probes_event *event, const struct probes_caller *caller);

/* In FORMAT_CHROME: the name of a process, before its events. */
void events_print_process(struct events_print *out, pid_t pid, const char *name);

/* In FORMAT_CHROME: how often a probe is hit from this time on, until the next call for it. */
void events_print_rate(struct events_print *out, const struct probes_probe *probe, pid_t pid,
	int64_t time_ns, double rate);

/* Print the lines that were kept, in the order of time; and say in the text how many are lost. */
void events_print_flush(struct events_print *out, uint64_t lost);

/* The last line of JSON, or the end of the array of FORMAT_CHROME. */
void events_print_end(struct events_print *out, const struct recording_end *end);

void events_print_done(struct events_print *out);
