/* What requests do: each changes the state, none draws. */
#pragma once

#include "ui/tui/app/app.h"

/* What each request does (requests.h). */
#define REQUEST(NAME, act, ...) void act(struct app *a, enum request r);
#include "ui/tui/app/requests.h"
#undef REQUEST

/* Do a request, if it is possible here and now; otherwise say why it is not. */
void act(struct app *a, enum request r);
/* A key while a question is open; while a prompt is. */
void act_answer(struct app *a, uint32_t key);
void act_prompt_key(struct app *a, uint32_t key);
/* What a question is about has ended: close it. The result line says what ended. */
void act_question_poll(struct app *a);

/* act_refuse.c: say why a request is not possible now. */
void act_refuse(struct app *a, enum request r);

/* act_ask.c: the ready question of this name, or of which this is the beginning. */
void act_ask(struct app *a, const char *rest);

/* act_complete.c: Tab in a prompt. */
struct act_complete {
	const char *word;        /* before the cursor */
	size_t at, length;       /* of the word, in the prompt's text */
	size_t found;            /* candidates */
	char common[INPUT_SIZE]; /* how all of them begin */
	char names[160];         /* as many as fit */
};
/* Begin with the word before the cursor, which one of `breaks` ends on its left. */
void act_complete_begin(struct act_complete *g, const struct app *a, const char *breaks);
/* If the word begins with this prefix, skip the prefix. */
bool act_complete_skip(struct act_complete *g, const char *prefix);
void act_complete_offer(struct act_complete *g, const char *candidate);
/* Type what all have in common (after a single candidate also `after`), and list them. */
void act_complete_end(struct app *a, const struct act_complete *g, const char *after);
/* Offer the ready questions that fit. */
void act_ask_offer(struct app *a, struct act_complete *g);

/* act_count.c: counting hits. */
/* Count what is selected, or end it; takes the rows. */
void act_count_rows(struct app *a, struct app_selection s, enum probes_verb verb);
/* What H does with a selection: PROBES_UNCOUNT, if all of it is counted that can be. */
enum probes_verb act_count_verb(const struct app *a, const struct app_selection *s);
/* app.pending counts: as far as the user has permitted a stop, and uprobes. */
void act_count_permit(struct app *a);
/* What app.pending counts is counted only for what follows, where it is not counted yet. */
void act_count_first(struct app *a, void (*then)(struct app *a));
/* That has begun: keep the rows that are counted only for it, instead of those before. */
void act_count_own(struct app_begun *b, struct app_pending *p);
/* It has ended: count them no longer. */
void act_count_end(struct app *a, struct app_begun *b);
/* If all probes are to be counted, and are there: begin. */
void act_count_begin(struct app *a);
/* Does the row cost more than -max-overhead: to count it, or to keep its events? */
bool act_count_exceeds(const struct app *a, const struct row *r, bool events);
/* Count no longer what costs more than that. */
void act_count_limit(struct app *a);
/* Counting may stop the process from now on. */
void act_count_allow(struct app *a, const char *rest);
void act_count_kernel(struct app *a, const char *rest);

/* act_events.c: what happened, with which values. */
/* Keep the events of these rows, which it takes; then show them in a view, of this row. */
void act_events_of(struct app *a, struct app_selection s, const struct feed_ask *ask,
	enum app_view show, uint32_t row);
/* Read what came; milliseconds until that is due, or -1. */
void act_events_poll(struct app *a);
/* Read and list what is pending: a frozen screen is of this moment. */
void act_events_catch_up(struct app *a);
int64_t act_events_wait(const struct app *a);

/* act_find.c: searching, filtering and tagging in the list. */
/* Go to a line of the view, counted from 0, or to its last. */
void act_find_to(struct app *a, size_t line);
/* Tab in a filter. */
void act_find_filter_complete(struct app *a);
/* Look up more functions for fn: in the filter. */
void act_find_look_on(struct app *a);

/* act_latency.c: how long a pair takes. */
void act_latency_of(struct app *a, const struct pairs_one *pair);
/* Measure no longer what costs more than -max-overhead allows. */
void act_latency_limit(struct app *a);

/* act_leave.c: the screen's end, and that of the program that was started. */
void act_leave_answer(struct app *a, uint32_t key);
/* If the program that was asked to end has ended: quit. */
void act_leave_wait(struct app *a);
/* If nobody has typed for as long as the lease runs: undo, and stay. */
void act_leave_lease(struct app *a);
/* A signal ends the screen: undo, and quit. */
void act_leave_signal(struct app *a, int signal);

/* act_look.c: opening views, and how things are shown. */
void act_look_columns_key(struct app *a, uint32_t key);

/* act_pair.c: p, on two tagged probes, on the one under the cursor, or in the list of pairs. */
/* Which pair a key means, by two tags or by the cursor; false: none, and the result line says why.
 */
bool act_pair_prepare(struct app *a, char key, struct pairs_one *pair);
void act_pair_say_done(struct app *a, bool off);

/* act_pending.c: the operation that was asked for, app.pending. */
/* What e, d and H act on; false: nothing, and the result line says so. */
bool act_pending_select(struct app *a, struct app_selection *s);
/* Set it to a selection, whose rows it takes; false: nothing of it is left to switch. */
bool act_pending_set(struct app *a, struct app_selection s, enum probes_verb verb);
/*
 * Set it to what switches a pair. On: the end first, off: the start first, so that no start is
 * recorded without its end. A half that is on or off already is not switched; what other parties
 * hold is not on by this session. False: both halves are so already.
 */
bool act_pending_pair(struct app *a, const struct pairs_one *pair, bool off);
/* Plan it; ask if it is large or disturbs other parties; otherwise do it. */
void act_pending_begin(struct app *a);
/* Carry it out, then what follows, and drop it. Counting that left sites which need a stop asks for
 * that first, once a session. */
void act_pending_do(struct app *a);
/* A key while ASK_DO or ASK_STOP is open. */
void act_pending_answer(struct app *a, uint32_t key);
/* Drop it. */
void act_pending_forget(struct app *a);
/* Report an operation in the result line; e belongs to status. */
void act_pending_report(struct app *a, const char *prefix, const struct operation *op, int status,
	const struct probes_error *e);
/* Write an operation to syslog and -log. */
void act_pending_audit(struct app *a, const char *verb, const struct operation *op);

/* act_replay.c: read on; milliseconds until that is due, or -1. */
void act_replay_poll(struct app *a);
int64_t act_replay_wait(const struct app *a);

/* act_write.c: scripts, files, marks. */
void act_write_mark(struct app *a, const char *text);
void act_write_script(struct app *a, const char *path);
void act_write_view(struct app *a, const char *path);

/* act_switch.c */
/* Add what app.pending would write to the preview. */
void act_switch_preview_add(struct app *a);
/* Open the preview and drop app.pending. */
void act_switch_preview_open(struct app *a, const char *heading);
