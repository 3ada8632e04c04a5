/* -record: the file, and what is written to it. The format is that of ui/recording/recording.h. */
#pragma once

#include <stdio.h>

#include "probes.h"
#include "ui/options/options.h"
#include "ui/recording/recording.h"
#include "ui/words/lines.h"

/* Without -record file is NULL, and all calls but record_file_open do nothing. */
struct record_file {
	const char *path;
	FILE *file;
	struct lines lines;
	size_t processes, objects, probes; /* described so far */
	off_t size;                        /* of whole lines */
	uint64_t lost;
	int code; /* errno of what ended the recording; 0: it goes on */
};

/*
 * Create the file of -record, if that is given, for its owner alone, and write its head. of:
 * "events", "latency". A file that exists is refused, and so is a link. Returns the exit status.
 */
int record_file_open(struct record_file *r, const struct options *o, const char *of);

/* Is it written to? */
bool record_file_goes_on(const struct record_file *r);

/*
 * Describe a process and these probes of it: objects, sites, functions and lines. numbers[i] is the
 * number of probes[i] in the recording. May take a second: call it before events are kept.
 */
void record_file_describe(struct record_file *r, struct probes_session *session,
	const size_t *probes, size_t count, size_t *numbers);

/* Write what was put into r->lines. An error ends the recording, and is reported. */
void record_file_flush(struct record_file *r);

/* The same, with how many events are lost so far. */
void record_file_flush_lost(struct record_file *r, uint64_t lost);

/*
 * Write the end, and close the file; a recording of no process is removed. end: NULL: nothing was
 * measured. Returns `status`; if that is 0, what came of the file.
 */
int record_file_close(struct record_file *r, const struct recording_end *end, int status);
