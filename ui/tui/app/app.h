/* The state of the screen, which requests change and views draw, and the contract of a view. */
#pragma once

#include "probes.h"
#include "ui/options/options.h"
#include "ui/options/questions.h"
#include "ui/output/audit.h"
#include "ui/tui/app/request.h"
#include "ui/tui/operations/feed.h"
#include "ui/tui/operations/history.h"
#include "ui/tui/operations/operation.h"
#include "ui/tui/operations/script.h"
#include "ui/tui/operations/timing.h"
#include "ui/tui/process/picker.h"
#include "ui/tui/process/program.h"
#include "ui/tui/rows/list.h"
#include "ui/tui/rows/model.h"
#include "ui/tui/rows/pairs.h"
#include "ui/tui/terminal/canvas.h"
#include "ui/tui/widgets/input.h"
#include "ui/tui/widgets/pager.h"
#include "ui/tui/widgets/pattern.h"
#include "ui/words/now.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct app;

/*
 * Every view: its name in enum app_view and its file, ui/tui/views/view_FILE.c, which defines
 * view_FILE_ops. A new view is one row here and one file.
 */
#define APP_VIEWS(X)                  \
	X(LIST, list)                 \
	X(DENIED, denied)             \
	X(OUTPUT, output)             \
	X(DETAIL, detail)             \
	X(HELP, help)                 \
	X(PREVIEW, preview)           \
	X(CODE, code)                 \
	X(PICKER, picker)             \
	X(PAIRS, pairs)               \
	X(INCONSISTENT, inconsistent) \
	X(ARGUMENTS, arguments)       \
	X(COMMAND, command)           \
	X(LIBRARIES, libraries)       \
	X(LATENCY, latency)           \
	X(EVENTS, events)             \
	X(EVENT, event)               \
	X(HISTOGRAM, histogram)       \
	X(CALLERS, callers)

enum app_view {
#define APP_VIEW(NAME, file) VIEW_##NAME,
	APP_VIEWS(APP_VIEW)
#undef APP_VIEW
		VIEW_COUNT
};

/* The probes that e, d, z and y act on. */
struct app_selection {
	uint32_t *rows; /* the caller frees it */
	size_t count;
	bool named;                   /* one row, that the user pointed at */
	bool tagged;                  /* the tagged rows */
	const struct pairs_one *pair; /* a pair in the list of pairs: rows are its end, its start */
};

/* What \ narrows down in a view. */
struct app_filtered {
	const char *text;   /* of the filter */
	const char *syntax; /* what may be typed, in one line */
	size_t shown, all;
};

/*
 * A view. Its functions are called only while it is in front. A member may be NULL only where its
 * comment says so.
 */
struct view_ops {
	/* One bit of enum request_where: which keys work. */
	unsigned where;
	/* How many lines the view draws around those that scroll: heading, edges. */
	int around;
	/* q returns to the view that opened this one; otherwise q returns to the list. */
	bool overlay;
	/* Write app.text. Called on opening and when q returns here. NULL: nothing to write. */
	void (*build)(struct app *a);
	/* The states were read again. NULL: `layout` and `draw` show them without this. */
	void (*refresh)(struct app *a);
	/* Fit the view to the terminal, the cursor and the rows, which may have changed: after
	 * every key and before every drawing. */
	void (*layout)(struct app *a);
	/* Draw everything but the message and the footer. */
	void (*draw)(const struct app *a, struct canvas *c);
	/* Do a request of SECTION_MOVE. */
	void (*move)(struct app *a, enum request r);
	/* A click at a place of the screen. True: the cursor is on a row there; a second click does
	 * what Enter does. NULL: no cursor. */
	bool (*click)(struct app *a, int y, int x);
	/* Handle a request that this view handles itself; false: act.c does. NULL: none. */
	bool (*request)(struct app *a, enum request r);
	/* The probe for i, x, a, ! and p, or ROWLIST_NONE. NULL: these keys do nothing here. */
	uint32_t (*row)(const struct app *a);
	/* The probes for e, d, z and y. NULL: these keys do nothing here. */
	struct app_selection (*selection)(const struct app *a);
	/* Where the rows are in struct app, to which :N goes; 0: it goes to the lines of app.text.
	 */
	size_t rows;
	/* Where in struct app is what / n N look for; and going to the next match, as list_seek. 0
	 * and NULL: they do nothing here. */
	size_t search;
	bool (*seek)(struct app *a, size_t from, int direction);
	/* Set the filter, as list_filter, and what it is. NULL, both: \ does nothing here. */
	int (*filter)(struct app *a, const char *text, char *why, size_t size);
	struct app_filtered (*filtered)(const struct app *a);
	/* Write all lines as text, for w. NULL: w does nothing here. */
	void (*write)(const struct app *a, FILE *out);
	/* Milliseconds until the view has work to do without a key, or -1; and do the work that is
	 * due, once a turn. NULL, both: no such work. */
	int64_t (*wait)(const struct app *a);
	void (*poll)(struct app *a);
};

/* The lines that were typed into prompts, for Up: prompts that share one have the same syntax. */
enum app_past {
	PAST_NONE,
	PAST_SEARCH,
	PAST_FILTER,
	PAST_TAG,
	PAST_COMMAND,
	PAST_WHERE,
	PAST_COUNT
};

/* A kind of prompt. */
struct prompt_ops {
	/* Drawn before the text. */
	const char *label;
	/* What may be typed: shown above it, as far as there is room. NULL: free text. */
	const char *syntax;
	/* Where the typed lines are kept. */
	enum app_past past;
	/* Apply the text as it is typed. false: the text is not valid, and prompt.why says why.
	 * NULL: every text is valid and has no effect yet. */
	bool (*changed)(struct app *a, const char *text);
	/* Enter. NULL: `changed` has done everything. */
	void (*accepted)(struct app *a, const char *text);
	/* Esc. NULL: report that nothing was done. */
	void (*cancelled)(struct app *a);
	/* Complete the word before the cursor (Tab). NULL: Tab does nothing. */
	void (*complete)(struct app *a);
};

/* Rows that this session counts only for something else: a latency, events. */
struct app_begun {
	uint32_t *rows;
	size_t count;
};

/* The events that v shows. */
struct app_events {
	struct feed feed;
	struct app_begun begun;
	struct rowlist rows; /* ids of feed_event */
	bool family;         /* all probes have one provider: their names are enough */
	int width;           /* columns of the probe; 0: there is only one */
	unsigned argument;   /* whose values VIEW_HISTOGRAM shows, from 1 on */
	bool leaves;         /* the cursor is not to stay on the newest one */
	struct search search;
	int64_t read_ms, drawn_ms, limit_ms;
	uint32_t drawn;   /* feed.next, then */
	unsigned offered; /* arguments of which was said that they seem to point to texts */
	bool told;        /* that memory is not read, */
	bool told_young;  /* and that it was not read in a child */
};

/* A question that must be answered before anything else. */
enum app_question_kind {
	ASK_NONE,
	ASK_DO,      /* carry out app.pending: y */
	ASK_STOP,    /* the same, while the process is stopped: y, n */
	ASK_COLUMNS, /* which columns: a number shows or hides one */
	ASK_PROGRAM, /* the program still runs: e ends it, l leaves it, any other key stays */
	ASK_HELD,    /* the program has not begun: y ends it */
};

/* How the screen is going to end. */
enum app_leaving_how { LEAVE_NOT, LEAVE_UNDO, LEAVE_AS_IS };

/* What e, d or p is about to do, kept while the user is asked. */
struct app_pending {
	struct operation_plan plan; /* owns its rows, and its command */
	struct row shown;           /* under force: the row as it was when the user chose */
	bool tagged;                /* the rows are those that are tagged */
	bool continues;             /* it is a part of the operation before */
	bool unasked;               /* however many sites it has */
	/* What follows once its rows are counted; NULL: nothing. */
	void (*then)(struct app *a);
	struct app_begun begun;    /* the rows that are counted only for that */
	struct pairs_one measured; /* to be measured then */
	struct feed_ask ask;       /* the events that are kept then; its text is a copy */
	enum app_view show;        /* what shows them */
	uint32_t shown_row;        /* there: of this row */
	char text[4 * INPUT_SIZE]; /* of plan.command, quoted for a shell */
};

/* The text of the view in front: help, detail, code, ... */
struct app_text {
	struct pager pager;
	char heading[256];
	uint32_t row; /* the probe that it is about */
};

/* The probe under the cursor of the list: where it lies and, if there is room, a pane about it. */
struct app_glance {
	uint32_t row;    /* or MODEL_NONE */
	char where[200]; /* "in handle+0x12  req.ml:118" of its first site; "": not known */
	bool looked;     /* it was looked up in the symbol tables */
	struct pager pane;
};

struct app_pairs {
	struct pairs known;
	struct rowlist rows; /* numbers of pairs */
};

/* The program's output. */
struct app_output {
	size_t back;            /* lines that the view is scrolled back; 0: it follows */
	size_t at;              /* the line found last, counted from the program's first */
	struct pattern *search; /* NULL: none */
	char search_text[INPUT_SIZE];
	bool typing; /* keys go to the program */
};

/* What comes now was pasted: it is no keys, ^] neither. */
enum app_pasting {
	PASTE_NONE,
	PASTE_LINE,    /* into the input line */
	PASTE_IGNORED, /* or goes to the program that has the keyboard */
};

struct app_prompt {
	const struct prompt_ops *ops; /* NULL: no prompt is open */
	struct input input;
	const char *syntax;      /* what may be typed, or NULL */
	char why[200];           /* what is wrong with the text, or what it matches */
	bool listed;             /* or what Tab found */
	char before[INPUT_SIZE]; /* the search or filter before, for Esc */
	size_t from;             /* where the cursor was */
};

struct app_question {
	enum app_question_kind kind;
	bool drawn; /* what was typed before is no answer */
	char text[512];
};

/* What happened by itself, by importance. */
enum app_rank {
	REMARK_NEWS,    /* births, ends as they are expected */
	REMARK_WARNING, /* something is to be done */
	REMARK_END, /* a process crashed, was killed or became another program; or the last ended */
};

#define APP_UNDO " u=undo"
#define APP_REDO " ^R=redo"

/* The result line: the answer to a key, and a remark. */
struct app_message {
	char text[1400];
	bool bad;
	bool answering; /* a key is being handled ... */
	bool answer;    /* ... and `text` answers the last one */
	bool passing;   /* `text` is about what is shown now: the next key removes it */
	size_t offer;   /* where APP_UNDO or APP_REDO stands in `text`; 0: nowhere */
	struct {
		char text[600]; /* empty: none; of several ends the latest is first, one a line */
		bool bad;
		bool drawn; /* it has been on the screen: the next answer removes it */
		enum app_rank rank;
	} remark;
	char notice[600]; /* the engine's last notice */
};

/* A part of the lines over the footer. */
struct app_part {
	const char *text;
	int rows; /* that it takes; more is cut off */
	bool bad;
};
#define APP_PARTS 2

struct app_leaving {
	enum app_leaving_how how; /* perhaps while a question is open */
	bool ending;              /* the program was asked to end */
	int64_t since_ms;         /* when */
	int signal;               /* that ends the screen, or 0 */
	char failure[300];        /* what the last undo could not do; empty: nothing */
	char farewell[600];       /* to print when the terminal has been restored */
};

/* Objects that come and go (objects.c). */
struct app_objects {
	size_t deleted;  /* objects marked as deleted, of all processes */
	size_t unread;   /* distinct unread files */
	int64_t poll_ms; /* when to look next */
};

struct app {
	const struct options *options;
	struct options picked; /* the options, with the processes that were picked */
	struct probes_options engine;
	struct probes_group *group;     /* the sessions; NULL: none was opened */
	struct replay *replay;          /* the recording on the screen instead; NULL: none */
	struct probes_session *started; /* of these, the program that was started, or NULL */
	struct program program;
	int64_t new_children_ms; /* when to look for births next */
	size_t new_children_at;  /* the child whose jumps are looked at next */
	struct app_objects objects;
	struct probes_access access; /* of the first process that lacks something, else the first */
	struct probes_process_info info;
	size_t stopped;  /* processes, by job control */
	char title[128]; /* "order_gw  pid 41872" */

	struct model model;
	struct list list;
	struct history history;
	struct script script;
	struct audit audit;
	struct timing timing; /* of the pair that L measures */
	struct app_begun timing_begun;
	struct app_events events;
	int64_t replay_ms; /* when to show more of what was read */
	bool replay_told;  /* why its reading ended */

	const struct view_ops *const *views; /* by enum app_view */
	enum app_view view;                  /* in front */
	enum app_view before;                /* where an overlay returns to */
	int hscroll; /* columns scrolled off in the view in front; the list has its own */
	struct app_text text;
	struct app_glance glance;
	struct app_pairs pairs;
	struct app_output output;
	struct picker picker;
	unsigned hidden; /* bits of enum column: not wanted */

	struct app_prompt prompt;
	struct input_past past[PAST_COUNT];
	struct app_question question;
	enum app_pasting pasting;
	struct app_pending pending;
	struct app_message message;
	struct app_leaving leaving;

	struct questions questions; /* see app_questions */
	bool questions_read;

	bool read_only;
	bool frozen;
	int64_t limit_ms; /* of the hits that -max-overhead was compared with */
	bool count_all;   /* count all probes as soon as they are there */
	bool kernel;      /* may the kernel count what no jump can? (:kernel) */
	bool count_more;  /* one of both was allowed since the last H: it counts what is left */
	enum app_stop { STOP_UNASKED, STOP_YES, STOP_NO } stop; /* may counting stop a process? */
	unsigned refresh_ms;
	int64_t last_key_ms; /* monotonic */
	int64_t lease_ms;    /* without a key for so long: undo this session's changes; 0: never */
	bool order_stale;    /* order and filter lag behind the states */
	int64_t order_ms;    /* when they were brought up to date */
	int64_t slipped_ms;  /* when another row came under a cursor that nobody had moved */
	bool dirty;          /* something that is shown has changed */
	bool redraw;         /* send the whole screen again */
	bool suspend;        /* stop this process when the turn is over */
	bool quit;           /* the loop is over */

	int rows, columns; /* of the terminal */
};

/* Is there something on the keyboard now? */
bool app_key_waits(void);

/* The result line, from text that is safe for the terminal; app_complain: something failed. */
#define app_say(a, ...) app_tell(a, false, __VA_ARGS__)
#define app_complain(a, ...) app_tell(a, true, __VA_ARGS__)
/* The same, about the view in front: the next key removes it. */
#define app_pass(a, ...) (app_tell(a, false, __VA_ARGS__), (a)->message.passing = true)
void app_tell(struct app *a, bool bad, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A remark takes neither the place of the answer to the last key nor of a remark of higher rank,
 * and it stays until it was drawn and a later key has been answered. */
void app_remark(struct app *a, enum app_rank rank, bool bad, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A key was handled whose answer is what the view shows: remove what was said before. */
void app_hush(struct app *a);
/* A frame has been drawn. */
void app_drawn(struct app *a);
/* "PREFIX: WHAT: WHY; HINT" of an error. */
void app_say_error(struct app *a, const char *prefix, const struct probes_error *e);

/* The view in front; its rows, or NULL; its search. */
const struct view_ops *app_view(const struct app *a);
struct rowlist *app_rows(struct app *a);
struct search *app_search(struct app *a);
/* Bring a view to the front, at its top. An open prompt goes. */
void app_open(struct app *a, enum app_view view);
/* What is possible now: enum request_need. */
unsigned app_have(const struct app *a);
/* The probe that keys in the view in front are about, or ROWLIST_NONE. */
uint32_t app_row(const struct app *a);
/* What e and d act on here; and the selection of one row (ROWLIST_NONE: of nothing). */
struct app_selection app_selection(const struct app *a);
struct app_selection app_select(uint32_t row);

/* The ready questions, and whether one fits some process of the screen. */
const struct questions *app_questions(struct app *a);
bool app_asks(const struct app *a, const struct question *q);

/* The pid of the (first) process on the screen. */
pid_t app_pid(const struct app *a);
/* Set the title: "order_gw  pid 41872", "postgres  12 processes". */
void app_title(struct app *a);

/* Read the states (all, or only those on the screen) and update what depends on them. */
void app_refresh(struct app *a, bool all);
/* Milliseconds until the lease ends and this session's changes are undone; -1: nothing is changed,
 * or there is no lease. */
int64_t app_lease_remaining(const struct app *a);
/* All processes are gone: how, and which key opens what has the place of one. Returns out. */
const char *app_gone(const struct app *a, char *out, size_t size);
/* Take over the processes' rights, which may have changed. */
void app_update_access(struct app *a);

/* Open a prompt. before: what Esc restores; text: what it begins with; from: the cursor's place. */
void app_ask(struct app *a, const struct prompt_ops *ops, const char *before, const char *text,
	size_t from);

/* Is there a question, and room to ask it in a dialog over the view? Otherwise it takes the lines
 * of the message and of the footer. */
bool app_dialog(const struct app *a);

/* What is over the footer: the question, what a prompt says, or the result line; of that, what is
 * more important is above. `room` holds texts that are not the app's. Returns how many parts. */
size_t app_message_parts(
	const struct app *a, struct app_part parts[APP_PARTS], char *room, size_t size);
/* The lines of all parts, at least one. */
struct area app_message_area(const struct app *a);
/* How many lines that scroll the view in front shows. */
int app_view_rows(const struct app *a);
/* Give the program's terminal the size of the view that shows all of it. */
void app_size_program(struct app *a);
/* Fit the view in front to the terminal, the cursor and the rows. */
void app_layout(struct app *a);
