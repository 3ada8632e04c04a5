/* Explanations on standard error: errors, missing probes, results. */
#pragma once

#include "probes.h"
#include "ui/options/options.h"
#include "ui/options/targets.h"

/*
 * Report an error; many: the line names the process. Where permission was denied, report the access
 * checks, too. Returns the exit status.
 */
int explain_error(const struct probes_member *t, const struct probes_error *e, bool many);

/* Report that a session has no probes, and why each object has none. Returns the exit status. */
int explain_nothing(const struct probes_member *t, bool verbose);

/* Report the objects that could not be read: their probes are missing. */
void explain_unreadable(const struct probes_member *t, bool verbose);

/* Report that nothing can be switched or counted, because a translator runs the process. */
void explain_translator(const struct probes_member *t);

/* Report why objects other than unread ones have no probes. */
void explain_objects(const struct probes_session *session);

/* Report items that were not done, with -verbose also skipped ones; or that all were skipped:
 * unless an error `follows`, which says so. */
void explain_items(const struct probes_member *t, const struct probes_result *result,
	const struct options *o, bool follows);

/*
 * Report that enabling was asked for where nothing can be enabled: probes_result.cannot_enable.
 * Returns the exit status.
 */
int explain_cannot_enable(
	const struct probes_member *t, const struct probes_result *result, bool many);

/* Sort the probes, each once. Returns how many there are. */
size_t explain_each_once(size_t *probes, size_t count);

/* "3 probes, 4 sites": what an undo did; without sites where none was written. Returns out. */
const char *explain_done(const struct probes_result *result, char *out, size_t size);

/* With -stop or -verbose, report how long a running process was stopped. */
void explain_stop(
	const struct probes_member *t, const struct probes_result *result, const struct options *o);

/* The exit status of a call about several processes. */
struct tally {
	bool found; /* the processes are the result of a search: the end of one is no failure */
	size_t good, bad;
	size_t gone; /* of these, neither good nor bad */
	int first;   /* the first that was not 0 */
};
void explain_count(struct tally *tally, int status);
/* 0; the first failure where all failed; else PROBES_FAILED. */
int explain_status(const struct tally *tally);
