/* The processes (or the one file) that a call is about. */
#pragma once

#include "probes.h"
#include "ui/options/options.h"
#include "ui/words/report.h"

/*
 * Open what -pid, -tree, -comm or -prog (as a file: nothing is started) name, as members of a new
 * group. Fails only where there is nothing to try (-tree of no process, -comm that none has, no
 * memory): then *group is NULL. A process that cannot be opened is a member without a session. Of a
 * tree or a name, processes without probes are left out, unless none has any: then the first stays.
 */
PROBES_CHECK int targets_open(struct probes_group **group, const struct options *o,
	const struct probes_options *engine, struct probes_error *e);
/*
 * What the engine is to be opened with: -read-only, whether changes are meant to
 * stay, and a log that goes to standard error. The volume is filled here and must live as long as a
 * session.
 */
struct probes_options targets_engine(const struct options *o, struct report_volume *volume);
