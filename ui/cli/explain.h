/* Why there is nothing: the long form of an error, on standard error. */
#ifndef UI_CLI_EXPLAIN_H
#define UI_CLI_EXPLAIN_H

#include "probes.h"
#include "ui/options.h"
#include "ui/targets.h"

/*
 * Report an error about one of several processes ("many": the line says which),
 * with what is permitted and what is not where permission was denied. Returns
 * the exit status.
 */
int explain_error(const struct probes_member *t, const struct probes_error *e, bool many);

/* A session without any probe: an error, and a line for each object that says why. Returns the
 * exit status. */
int explain_nothing(const struct probes_member *t, bool verbose);

/* Report the objects that could not be read, whose probes are missing, each with the reason. */
void explain_unread(const struct probes_member *t, bool verbose);

/* With -verbose: why some objects have no probes, though others do; without unread objects. */
void explain_objects(const struct probes_session *session);

/* Items that were not done, and with verbose those that were skipped; a notice where all were. */
void explain_items(
	const struct probes_member *t, const struct probes_result *result, const struct options *o);

/* How long a running process was stopped: with -stop or -verbose. */
void explain_stop(
	const struct probes_member *t, const struct probes_result *result, const struct options *o);

/* The exit status of a call about several processes. */
struct tally {
	size_t good, bad;
	int first; /* the first that was not 0 */
};
void explain_count(struct tally *tally, int status);
/* 0; where all failed the first one's; else "done in part". */
int explain_status(const struct tally *tally);

#endif
