/* Operations and selections as equivalent command lines of `probes-tui attach`, `count`,
 * `latency` and `events`. */
#pragma once

#include "ui/tui/operations/operation.h"

#define COMMAND_HEAD "probes-tui attach -pid "
#define COMMAND_COUNT_HEAD "probes-tui count -pid "
#define COMMAND_LATENCY_HEAD "probes-tui latency -pid "
#define COMMAND_EVENTS_HEAD "probes-tui events -pid "
#define COMMAND_WHILE " -for 10s" /* how long what goes on until it is ended is repeated */

/*
 * The command lines for what an operation has done; for switching or counting rows. Each line is
 * one of the heads above, then "PID[,PID] ..."; "" if there is nothing to do. Counting
 * ends with its command: so does the line of an operation after a while. The caller frees the text.
 */
char *command_of_operation(const struct model *m, const struct operation *o);
char *command_of_rows(
	const struct model *m, const uint32_t *ids, size_t count, enum probes_verb verb);

/* The same for the events of rows (feed_begin); `more` is appended to each line. */
char *command_of_events(const struct model *m, const uint32_t *ids, size_t count, unsigned texts,
	const char *where, const char *more);

/* The same for measuring how long a pair of rows takes; `more` is appended to each line. */
char *command_of_latency(const struct model *m, uint32_t start, uint32_t end, const char *more);
