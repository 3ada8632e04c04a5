/*
 * The requests: what a user can ask for, by which keys, in which views. Key lookup, footer, help
 * view and the manual page's key table are made from one table. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In which views a request can be made. */
enum request_where {
	IN_LIST = 1 << 0,
	IN_TEXT = 1 << 1,   /* help and other texts */
	IN_DETAIL = 1 << 2, /* a text about one probe */
	IN_OUTPUT = 1 << 3,
	IN_DENIED = 1 << 4,
	IN_PICKER = 1 << 7, /* the list of processes */
	IN_PAIRS = 1 << 8,
	IN_INCONSISTENT = 1 << 9, /* a text about one inconsistent probe */
	IN_LATENCY = 1 << 10,
	IN_EVENTS = 1 << 11,
	IN_HISTOGRAM = 1 << 12,
	IN_CALLERS = 1 << 13,
	IN_ALL = IN_LIST | IN_TEXT | IN_DETAIL | IN_OUTPUT | IN_DENIED | IN_PICKER | IN_PAIRS |
		 IN_INCONSISTENT | IN_LATENCY | IN_EVENTS | IN_HISTOGRAM | IN_CALLERS,
	IN_WORKING = IN_ALL & ~(IN_DENIED | IN_PICKER),
	IN_OVERLAY = IN_TEXT | IN_DETAIL | IN_OUTPUT | IN_PAIRS | IN_INCONSISTENT | IN_LATENCY |
		     IN_EVENTS | IN_HISTOGRAM | IN_CALLERS,
	IN_ROWS = IN_LIST | IN_DETAIL,
	IN_SEARCHED = IN_LIST | IN_PICKER | IN_PAIRS | IN_TEXT | IN_DETAIL | IN_INCONSISTENT |
		      IN_LATENCY | IN_EVENTS | IN_HISTOGRAM | IN_CALLERS,
};

/* What must hold for a request to be possible. */
enum request_need {
	NEED_SWITCH = 1 << 0,       /* the right to switch, not read-only, a living target */
	NEED_PROGRAM = 1 << 1,      /* a program that the screen started (-prog) */
	NEED_HELD = 1 << 2,         /* a program that is held at its start */
	NEED_LISTABLE = 1 << 3,     /* the right to list probes */
	NEED_SWITCHABLE = 1 << 4,   /* some probe that can be switched, or may be */
	NEED_UNSWITCHABLE = 1 << 5, /* none */
	NEED_LATENCY = 1 << 6,      /* the right to switch, or a pair that is measured already */
	NEED_EVENTS = 1 << 8,       /* the right to switch, or events that are there already */
	NEED_PROCESS = 1 << 9,      /* processes, not a recording */
	NEED_CONDITION = 1 << 10,   /* the right to switch, or events of a recording */
	NEED_RUNS = 1 << 11,        /* what the view in front measures or records goes on */
	NEED_GONE = 1 << 7,         /* the only process has ended or executes another program */
};

enum request_section { /* in the order of the help */
	SECTION_SWITCH,
	SECTION_TAG,
	SECTION_FIND,
	SECTION_LOOK,
	SECTION_RECORD,
	SECTION_LEAVE,
	SECTION_SCREEN,
	SECTION_MOVE,
	SECTION_COUNT,
};

enum request {
	REQUEST_NONE,
#define REQUEST(NAME, ...) REQUEST_##NAME,
#include "ui/tui/app/requests.h"
#undef REQUEST
	REQUEST_COUNT,
};

#define REQUEST_KEYS 4

struct request_info {
	uint32_t keys[REQUEST_KEYS]; /* then 0; the footer shows the first */
	unsigned where;              /* enum request_where, or'ed */
	unsigned need;               /* enum request_need, or'ed */
	enum request_section section;
	const char *help;   /* one line */
	const char *footer; /* its word in the footer, or NULL */
	int rank;           /* a narrow footer drops the highest rank first */
};

const struct request_info *request_info(enum request r);
const char *request_section(enum request_section section);

/* The request that a key stands for in a view, possible or not, or REQUEST_NONE. */
enum request request_of_key(uint32_t key, unsigned where);

/* The same; of several that share the key, the first that is possible now; if none is, that of the
 * fewest views. */
enum request request_of_key_now(uint32_t key, unsigned where, unsigned have);

/* The message for a key that has no meaning in a view. Returns out. */
const char *request_unknown(uint32_t key, unsigned where, char *out, size_t size);

/* The keys of a request: "j Down". Returns out. */
const char *request_keys(enum request r, char *out, size_t size);

/* A key in the footer, then what it does, and a blank around that. */
struct request_label {
	enum request request;
	char key[16];
	const char *text;
	int x, width; /* of both */
};

/*
 * The footer: what is possible in a view, in the table's order, in `width` columns. have: enum
 * request_need, or'ed. Returns how many there are.
 */
int request_footer(
	unsigned where, unsigned have, int width, struct request_label out[REQUEST_COUNT]);

/* Is a request possible in this view, now? */
bool request_possible(enum request r, unsigned where, unsigned have);
