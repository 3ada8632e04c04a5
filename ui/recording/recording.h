/*
 * The format of recordings: JSON objects, one a line, which jq reads, too. Writing and reading.
 * Pure: who calls it writes and reads the files.
 *
 * The first line is the head. A key says what a line is, written first; whoever reads it passes
 * over lines and keys that it does not know. Processes, objects and probes have numbers, from 0 on,
 * in the order of their lines; a line refers only to lines before it.
 *
 *     {"probes_tui_recording":1,"of":"events","host":...,"kernel":...,"clock":"CLOCK_REALTIME",...}
 *     {"process":0,"pid":12,"comm":"postgres","program":"/usr/bin/postgres","start":123}
 *     {"object":0,"of":0,"path":"/usr/bin/postgres","build_id":"..","bias":"0x55..."}
 *     {"probe":0,"of":0,"provider":"postgresql","name":"query__start","kind":"sdt","sites":1}
 *     {"site":0,"of":0,"pc":"0x1234","arguments":"8@%rdi","names":["fd"],"function":"f","offset":3,"file":"f.c",...}
 *     {"kept":0,"sites":1}
 *     {"event":0,"site":0,"time_ns":...,"pid":12,"tid":12,"thread":"postgres","args":[{"u":5,"size":8}]}
 *     {...,
 * "caller":{"address":"0x55..","pc":"0x1240","object":"/usr/bin/x","function":"g","offset":9}}
 *     {"lost":17}
 *     {"rate":0,"time_ns":...,"ns":1000000000,"hits":512}
 *     {"latency":0,"end":1,"row":0,"rows":1,"by":0,...,"matched":5,...,"buckets":[[84,5]]}
 *     {"end":"interrupted","events":1,"lost":17,"undecided":0,"only_counted":0,"sites_lost":0,...}
 *
 * A text that is not UTF-8 is {"hex":"ff00"}: its bytes. A whole number that a double does not hold
 * is a string of its digits; so are nan, inf and -inf. An argument is "i" (signed), "u" (unsigned),
 * "f" (floating point), or none of these where it could not be read.
 */
#pragma once

#include "probes.h"
#include "ui/words/lines.h"

#define RECORDING_VERSION 1
#define RECORDING_LINE (1u << 20)  /* bytes of a line, at most */
#define RECORDING_TEXT (1u << 16)  /* bytes of a name or path, at most: longer ones are cut */
#define RECORDING_KEPT (64u << 20) /* bytes of what a reader keeps, at most */

struct recording_head {
	const char *of; /* "events", "latency" */
	const char *host, *kernel, *version;
	int64_t time_ns; /* CLOCK_REALTIME, when it began */
	long offset;     /* of the local time from UTC, seconds east */
};

struct recording_process {
	pid_t pid;
	const char *comm, *program;
	uint64_t start; /* clock ticks after boot */
};

struct recording_object {
	size_t process;
	const char *path, *build_id; /* build_id: or NULL */
	uint64_t bias;
};

struct recording_probe {
	size_t object, process;
	struct probes_probe probe; /* provider, name, kind, site_count */
	uint32_t kept;             /* sites whose hits are events */
	size_t first_site;         /* read: of its sites in the recording */
};

/* The hits of a probe in a span of time, from its counters. */
struct recording_rate {
	size_t probe;
	int64_t time_ns; /* its beginning, CLOCK_REALTIME */
	int64_t ns;
	uint64_t hits;
};

/* What latency measured until now, in one process. */
struct recording_latency {
	size_t start, end; /* probes */
	size_t row, rows;  /* of the table: one a process */
	unsigned by;
	bool total; /* of all, not of an interval */
	bool over;
	uint32_t sites, counted; /* of both probes */
	uint32_t sites_lost;     /* of these: struct recording_end */
	uint64_t stopped_ns;
	int64_t began, read, now; /* CLOCK_MONOTONIC: the table, its beginning, this row */
	struct probes_latency latency;
};

struct recording_end {
	const char *how;
	uint64_t events, lost, only_counted;
	uint64_t undecided; /* left out by -where; 0, too, where an older probes-tui wrote it */
	/* Another party took their jumps away: hits from then on are missing. Older ones: 0. */
	uint64_t sites_lost;
	double seconds;
	bool over;
};

/* ------------------------------------------------------------------- writing */

/* Each adds one line. Events and rates are sorted by their times, behind what has none. */
void recording_put_head(struct lines *l, const struct recording_head *head);
void recording_put_process(struct lines *l, size_t number, const struct recording_process *p);
void recording_put_object(struct lines *l, size_t number, const struct recording_object *o);
void recording_put_probe(
	struct lines *l, size_t number, size_t object, const struct probes_probe *probe);
void recording_put_site(struct lines *l, size_t number, size_t probe, const struct probes_site *s,
	const struct probes_source *where, const struct probes_described_site *names);
void recording_put_kept(struct lines *l, size_t probe, uint32_t sites);
/* caller: NULL: callers were not asked for. */
void recording_put_event(struct lines *l, size_t probe, const struct probes_event *event,
	const struct probes_caller *caller);
void recording_put_lost(struct lines *l, uint64_t lost);
void recording_put_rate(struct lines *l, const struct recording_rate *rate);
void recording_put_latency(struct lines *l, const struct recording_latency *row);
void recording_put_end(struct lines *l, const struct recording_end *end);

/* ------------------------------------------------------------------- reading */

/* What is known of a recording so far. */
struct recording {
	struct recording_head head;
	struct recording_process *processes;
	struct recording_object *objects;
	struct recording_probe *probes;
	struct probes_described_site *sites; /* of one probe after the other */
	size_t process_count, object_count, probe_count, site_count, lines;
	size_t kept; /* bytes */
	char thread[64];
	char object[4097]; /* of a caller */
	char texts[PROBES_EVENT_ARGUMENTS][PROBES_EVENT_TEXT + 1];
	char *how;
};

enum recording_what {
	RECORDING_FACT, /* nothing to show: the head, a process, a probe, what is not known */
	RECORDING_EVENT,
	RECORDING_LOST,
	RECORDING_RATE,
	RECORDING_LATENCY,
	RECORDING_END,
};

/* What a line says; it is valid until the next one is read. */
struct recording_item {
	enum recording_what what;
	bool callers; /* of an event: the caller was asked for */
	struct probes_caller caller;
	union {
		struct probes_event event; /* .probe: a number of the recording */
		uint64_t lost;             /* since the beginning */
		struct recording_rate rate;
		struct recording_latency latency;
		struct recording_end end;
	};
};

/* All zero. */
void recording_init(struct recording *r);
void recording_done(struct recording *r);

/*
 * Read one line without its end. The text is somebody else's: a line that is not of a recording, or
 * refers to what is not there, is an error that names it, and ends the reading.
 */
PROBES_CHECK int recording_read(struct recording *r, const char *line, size_t length,
	struct recording_item *item, struct probes_error *e);

/* The sites that were described of a probe; NULL: none were. */
const struct probes_described_site *recording_sites(
	const struct recording *r, size_t probe, size_t *count);
