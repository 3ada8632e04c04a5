/*
 * Objects that come and go in a process: probes of what it loads (dlopen) join the rows; rows of
 * what it unloads say so. Nothing in an unloaded object needs undoing.
 */
#pragma once

#include "ui/tui/app/app.h"

/* Look for loaded and unloaded objects: once a second at most, less often if that takes long. */
void objects_poll(struct app *a);

/* The objects of the processes that still run for which `is` holds, each path once, sorted. The
 * caller frees the array. */
const struct probes_object **objects_that(
	const struct model *m, bool (*is)(const struct probes_object *), size_t *count);
/* How many files could not be read, each counted once, in the processes that still run. */
size_t objects_unreadable(const struct model *m);
/* The first unread file and the reason, as a result line, or "". Returns out. */
const char *objects_describe_unreadable(const struct model *m, char *out, size_t size);
