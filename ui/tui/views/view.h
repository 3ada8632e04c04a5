/* The views, and what views and actions share of them. */
#pragma once

#include "ui/tui/app/app.h"

/* Every view, by enum app_view: for app.views. */
extern const struct view_ops *const view_table[VIEW_COUNT];

#define APP_VIEW(NAME, file) extern const struct view_ops view_##file##_ops;
APP_VIEWS(APP_VIEW)
#undef APP_VIEW

/* ---------------------------------------------------------------- members that views share */

/* A text view: app.text under its heading. Most members of its ops, and those of one that is over
 * another view. */
#define VIEW_TEXT_OPS                                                                            \
	.around = 1, .layout = view_text_layout, .draw = view_text_draw, .move = view_text_move, \
	.search = offsetof(struct app, text.pager.search), .seek = view_text_seek
#define VIEW_OVERLAY_OPS VIEW_TEXT_OPS, .where = IN_TEXT, .overlay = true, .write = view_text_write
/* Begin app.text with its heading. */
__attribute__((format(printf, 2, 3))) void view_text_begin(struct app *a, const char *heading, ...);
void view_text_layout(struct app *a);
void view_text_draw(const struct app *a, struct canvas *c);
void view_text_move(struct app *a, enum request r);
void view_text_write(const struct app *a, FILE *out);
/* The same of a text whose heading says more than its probe. */
void view_text_write_headed(const struct app *a, FILE *out);
/* Add "  LABEL     TEXT", wrapped, to app.text. */
void view_text_label(struct app *a, int style, const char *label, const char *text);
/* The filter of the probes, which other views than the list share. */
int view_list_filter(struct app *a, const char *text, char *why, size_t size);
struct app_filtered view_list_filtered(const struct app *a);
uint32_t view_text_row(const struct app *a);
bool view_text_seek(struct app *a, size_t from, int direction);

/* A bar of so many eighths of a column, for this share of the longest one; at least one, if there
 * is something. */
#define VIEW_BAR 80 /* columns at most; in bytes up to 4 times as many */
void view_bar(double share, int width, char *out, size_t size);

/* Add a count and its share of all (more than 0), if that is wanted; and a line of app.text that
 * begins with these. */
#define VIEW_WIDE 60                             /* columns of the screen, from which ... */
#define VIEW_COUNT_WIDTH(wide) ((wide) ? 10 : 6) /* ... a count has more */
void view_share(
	const struct app *a, char *line, size_t size, uint64_t count, uint64_t all, bool share);
void view_share_line(
	struct app *a, int style, uint64_t count, uint64_t all, bool share, const char *text);

/* How many events there are, what is missing, which ones are wanted. True: not all is well. */
bool view_events_state(const struct app *a, char *out, size_t size);
/* The same as a line of app.text. */
void view_events_label(struct app *a);
/* view_ops.request of events and of what sums them up: back to the list; events go on, and the
 * result line says so. */
bool view_events_leave(struct app *a, enum request r);

/* A view of rows: most members of its ops. */
#define VIEW_ROWS_OPS(member, lines)                                                    \
	.rows = offsetof(struct app, member), .above = (lines), .move = view_rows_move, \
	.click = view_rows_click, .seek = view_rows_seek
void view_rows_layout(struct app *a);
void view_rows_move(struct app *a, enum request r);
bool view_rows_click(struct app *a, int y, int x);
bool view_rows_seek(struct app *a, size_t from, int direction);
/* The same without scrolling sideways, and with the first row in this line. */
void view_rows_move_in(struct rowlist *l, enum request r);
bool view_rows_click_in(struct rowlist *l, int first, int y);
/* Is it a request to scroll sideways? Then that is done. */
bool view_move_sideways(int *hscroll, enum request r);
/* How many lines down a request of SECTION_MOVE goes, in a window of so many. */
long view_move_lines(enum request r, int height);

/* ---------------------------------------------------------------- the list */

/* The lines of the list view; rows 0: not shown. */
struct view_list_areas {
	struct area header, list, output, below;
	struct area pane; /* the glance: below the list, or beside it */
	int pane_column;  /* its first column; 0: below the list */
	int columns;      /* of the list */
	bool heading;
};
struct view_list_areas view_list_areas(const struct app *a);
/* Which columns of the list are on the screen, and where. */
void view_list_columns(const struct app *a, struct column_layout *columns);

/* "42 % of the file is read"; "it ended: interrupted"; "line 7 of the recording cannot be read:
 * ...". Returns out. */
const char *view_replay_state(
	const struct app *a, const struct replay_pass *pass, char *out, size_t size);

void view_header_draw(const struct app *a, struct canvas *c, struct area area);

/* Bring the glance up to date with the row under the cursor. */
void view_glance_update(struct app *a, const struct view_list_areas *areas);
void view_glance_draw(const struct app *a, struct canvas *c, const struct view_list_areas *areas);
/* view_ops.wait and poll: look up where the probe lies. */
int64_t view_glance_wait(const struct app *a);
void view_glance_poll(struct app *a);

/* The program's output below the list. */
void view_output_docked(const struct app *a, struct canvas *c, struct area area);
/* Pass what is typed to the program, until ^]. False: nothing was typed. */
bool view_output_keys(struct app *a);
/* Take what the program has written; if the view is scrolled back, its lines stay in place. */
void view_output_read(struct app *a);

/* ---------------------------------------------------------------- one probe */

/* "Req.handle+0x12  gw/req.ml:118" of a site, or ""; base: the file without its folders. The first
 * look at an object takes up to a second. Returns out. */
const char *view_detail_where(
	struct probes_session *s, size_t probe, size_t site, bool base, char *out, size_t size);
/* The detail view of app.glance in a few lines: sums of the row, and one of its processes. */
void view_detail_glance(struct app *a, const struct model_member *member, int rows, int columns);

/* "signed, 8 bytes" of an argument; "register %rbx", "memory at %rsp-20" of its place. Pure;
 * both return out. */
const char *view_arguments_type(const struct probes_argument *a, char *out, size_t size);
const char *view_arguments_place(const struct probes_argument *a, char *out, size_t size);

/* Does it disagree with itself: is there something to explain? */
bool view_inconsistent_is(enum probes_state state);
/* Do its counts, in any process, say that it is on? */
bool view_inconsistent_count_says_on(const struct row *r);
/* Do all its counts say so, and hold more than force would leave? Then a repair keeps them. */
bool view_inconsistent_keeps_counts(const struct row *r);

/* Add what a plan would write to the preview. Changes nothing. */
void view_preview_add(struct app *a, const struct operation_plan *plan);
