/*
 * The state of the screen: everything that requests change and views draw.
 */
#ifndef UI_TUI_APP_APP_H
#define UI_TUI_APP_APP_H

#include "probes.h"
#include "ui/audit.h"
#include "ui/options.h"
#include "ui/targets.h"
#include "ui/tui/app/request.h"
#include "ui/tui/operations/history.h"
#include "ui/tui/operations/operation.h"
#include "ui/tui/operations/record.h"
#include "ui/tui/process/picker.h"
#include "ui/tui/process/procinfo.h"
#include "ui/tui/process/program.h"
#include "ui/tui/rows/list.h"
#include "ui/tui/rows/model.h"
#include "ui/tui/rows/pairs.h"
#include "ui/tui/views/glance.h"
#include "ui/tui/widgets/input.h"
#include "ui/tui/widgets/pager.h"
#include "ui/tui/widgets/pattern.h"

#include <stdbool.h>
#include <stdint.h>

/* What is in front. */
enum app_view {
	VIEW_LIST,
	VIEW_DENIED,
	VIEW_OUTPUT,
	VIEW_DETAIL,
	VIEW_HELP,
	VIEW_PREVIEW,
	VIEW_CODE,
	VIEW_PICKER, /* no process was given: the list of them */
	VIEW_PAIRS,
	VIEW_INCONSISTENT,
	VIEW_ARGUMENTS,
	VIEW_RECORD,
	VIEW_LIBRARIES,
	VIEW_COUNT
};

enum app_prompt {
	PROMPT_NONE,
	PROMPT_SEARCH,
	PROMPT_FILTER,
	PROMPT_TAG,
	PROMPT_OUTPUT,
	PROMPT_PICKER_SEARCH,
	PROMPT_PICKER_FILTER,
	PROMPT_MARK,
	PROMPT_SCRIPT,
	PROMPT_WRITE,
	PROMPT_COMMAND,
	PROMPT_COUNT
};

/* A question that must be answered before anything else. */
enum app_question {
	ASK_NONE,
	ASK_DO,      /* carry out app.pending: y */
	ASK_COLUMNS, /* which columns: a number shows or hides one */
	ASK_PROGRAM, /* the program still runs: e end it, l leave it, anything else: stay */
	ASK_HELD,    /* the program has not begun: y ends it */
};

/* How the screen is going to end. */
enum app_leaving { LEAVE_NOT, LEAVE_UNDO, LEAVE_AS_IS };

/* What e, d or p is about to do, kept while one is asked. */
struct app_pending {
	enum probes_verb verb;
	uint32_t *first, *second; /* steps: second is empty but for pairs */
	size_t first_count, second_count;
	bool named, force;
	bool pair;                 /* the two are halves of a pair */
	struct options *command;   /* instead: what a command line asks for */
	char text[4 * INPUT_SIZE]; /* that line, quoted for a shell */
};

struct app {
	const struct options *options;
	struct model model;
	struct list list;
	struct history history;
	struct pairs pairs;
	struct rowlist pair_rows; /* numbers of pairs */
	struct record record;
	struct glance glance; /* at the row under the cursor */
	unsigned hidden;      /* bits of enum column: what is not wanted */
	struct program program;
	struct audit audit;
	struct targets targets;         /* the sessions, unless a program was started */
	struct probes_session *started; /* its session */
	struct probes_options engine;

	struct picker picker;
	struct workers *workers;       /* workers.c's, or NULL */
	struct probes_session **heirs; /* heirs.c's */
	size_t heir_count, heir_capacity;
	size_t objects_deleted; /* objects marked as deleted, of all processes */
	size_t objects_unread;  /* distinct unread files */
	int64_t objects_ms;     /* when to look for loaded and unloaded objects */
	bool scan_changed;      /* and not drawn yet */
	int64_t scan_shown_ms;
	struct options picked; /* the options, with the processes that were picked */

	char title[128]; /* "pid 41872 order_gw" */
	struct procinfo info;
	struct probes_access access; /* of the first process that lacks something, else the first */
	bool read_only;

	enum app_view view;
	enum app_view before; /* where help and previews return to */
	struct pager lines;   /* what a text view shows */
	char heading[256];    /* of a text view */
	int left;             /* columns scrolled off in a text view */
	uint32_t detail;      /* the row that the detail view is about */
	size_t output_back;   /* lines that the output view is scrolled back; 0: follows */

	size_t output_at; /* the line found there, counted from the program's first */
	struct pattern *output_search;
	char output_search_text[INPUT_SIZE];
	bool typing; /* keys go to the program */

	enum app_prompt prompt;
	struct input edit;
	char prompt_why[200]; /* what is wrong with what has been typed, or what it matches */
	char prompt_before[INPUT_SIZE];
	size_t search_from; /* where the cursor was */

	enum app_question question;
	char asked[256];
	struct app_pending pending;

	char message[1400]; /* the last result line */
	bool message_bad;
	char notice[600]; /* what the engine remarked while it worked */

	unsigned refresh_ms;
	bool frozen;
	int64_t last_key_ms; /* monotonic */
	int64_t lease_ms;    /* without a key for so long: what this session changed is undone; 0:
				never */
	bool order_stale;    /* order and filter lag behind the states */
	bool dirty;          /* something that is shown has changed */
	bool redraw;         /* send everything anew */
	bool suspend;        /* stop us when the turn is over */

	enum app_leaving leaving; /* wanted, perhaps while a question is open */
	bool end_program;         /* asked to end, waiting for it */
	int64_t end_since_ms;
	bool quit;          /* the loop is over */
	int signal;         /* that ended us, or 0 */
	char farewell[600]; /* what to say once the terminal is given back */

	int rows, columns; /* of the terminal */
};

/* Is there something on the keyboard now? */
bool app_key_waits(void);

#define APP_PICKER_ABOVE 3 /* lines over the list of processes */

int64_t app_now_ms(void);

/* The result line: text that is safe for the terminal. bad: something did not work. */
void app_say(struct app *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void app_complain(struct app *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "WHAT: WHY; TRY" of an error, after "prefix". */
void app_say_error(struct app *a, const char *prefix, const struct probes_error *e);

/* Which view is in front, as the request table calls it, and what is possible now. */
unsigned app_where(const struct app *a);
unsigned app_have(const struct app *a);

/* Of the (first) process that the screen is about. */
pid_t app_pid(const struct app *a);
/* "pid 41872 order_gw", "12 processes postgres": into the title. */
void app_title(struct app *a);

/* Read the states (all, or only those on the screen), and whatever follows from that. */
void app_refresh(struct app *a, bool all);
/* Go on looking up functions for the filter. */
void app_look_on(struct app *a);
/* The processes' rights have perhaps changed: look again. */
void app_look_at_access(struct app *a);

/* How many lines the result line, question or prompt takes. */
int app_message_rows(const struct app *a);
/* How many lines of a text the view in front shows. */
int app_text_rows(const struct app *a);

/* The row under the cursor, at a glance. */
void app_glance(struct app *a);
/* In how many milliseconds one should look up where it lies; -1: that is known. */
int64_t app_glance_wait(const struct app *a);
void app_glance_look(struct app *a);

/* Make room for lists and texts after the terminal's size or the view has changed. */
void app_layout(struct app *a);

/* How the lines of the list view are given out; rows 0: not shown. */
struct app_layout {
	struct area header, list, output, below, message, footer;
	struct area pane; /* of details: below the list, or beside it */
	int pane_left;    /* its first column; 0: below the list */
	int list_columns;
	bool heading;
};
void app_areas(const struct app *a, struct app_layout *l);

#endif
