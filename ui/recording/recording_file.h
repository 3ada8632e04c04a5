/* The file of a recording: its lines, one after the other. Whoever wrote it is not trusted. */
#ifndef UI_RECORDING_RECORDING_FILE_H
#define UI_RECORDING_RECORDING_FILE_H

#include <stdio.h>

#include "ui/recording/recording.h"

/*
 * Read the next line. 1: *item is what it says; 0: the file ends, perhaps within a line: there is
 * no RECORDING_END; else a negative errno. line: room for RECORDING_LINE bytes; *bytes: the file
 * is read so much further.
 */
PROBES_CHECK int recording_file_next(FILE *file, char *line, struct recording *r,
	struct recording_item *item, size_t *bytes, struct probes_error *e);

/* From now on the local time is that of the place where it was recorded. */
void recording_file_zone(const struct recording_head *head);

#endif
