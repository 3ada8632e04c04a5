/* The inside of a session; for session.c and session_switch.c alone. */
#ifndef SESSION_H
#define SESSION_H

#include "base/log.h"
#include "probe/catalog.h"
#include "probe/reader.h"
#include "probes.h"
#include "process/identity.h"
#include "process/memory.h"

struct probes_session {
	struct log log;
	bool read_only;
	bool process; /* a live process; else a file */
	bool held;    /* started by us, has not begun */
	char *path;
	struct identity who;
	struct memory memory;
	struct catalog catalog;
	struct reader all; /* of every probe; laid out at the first full refresh */
	bool all_ready;
	struct probes_access access;
	uint32_t stamp; /* of the last switch */
};

/*
 * Read and judge the probes named by index (which = NULL: all), whatever the last reading said.
 * Fails like probes_refresh.
 */
int session_read(
	struct probes_session *s, const size_t *which, size_t count, struct probes_error *e);

#endif
