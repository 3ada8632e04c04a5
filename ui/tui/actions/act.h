/*
 * What requests do: each changes the state, none draws. A function of a request is one entry of
 * the table in act.c; the other declarations are what the loop and several of these files call.
 */
#ifndef UI_TUI_ACTIONS_ACT_H
#define UI_TUI_ACTIONS_ACT_H

#include "ui/tui/app/app.h"

/* Do a request, if it is possible here and now; otherwise say why it is not. */
void act(struct app *a, enum request r);
/* The same whichever view is in front. */
void act_anywhere(struct app *a, enum request r);
/* Say why a request is not possible now. */
void act_refuse(struct app *a, enum request r);
/* A key while a question is open; while a prompt is. */
void act_answer(struct app *a, uint32_t key);
void act_prompt_key(struct app *a, uint32_t key);
/* What a question is about has ended: close it. The result line says what ended. */
void act_question_poll(struct app *a);

/* act_ask.c: the ready question of this name, or of which this is the beginning. */
void act_ask(struct app *a, const char *rest);

/* act_command.c: the command line of the screen (:). */
void act_command(struct app *a, enum request r);

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

/* act_callers.c: which functions hits come from. */
void act_callers(struct app *a, enum request r);

/* act_count.c: counting hits. */
void act_count(struct app *a, enum request r);
/* Count what is selected, or end it; takes the rows. */
void act_count_rows(struct app *a, struct app_selection s, enum probes_verb verb);
/* What H does with a selection: PROBES_UNCOUNT, if all of it is counted that can be. */
enum probes_verb act_count_verb(const struct app *a, const struct app_selection *s);
/* What app.pending counts is counted only for what follows, where it is not counted yet. */
void act_count_first(struct app *a, enum app_then then);
/* That has begun: keep the rows that are counted only for it, instead of those before. */
void act_count_own(struct app_begun *b, struct app_pending *p);
/* It has ended: count them no longer. */
void act_count_end(struct app *a, struct app_begun *b);
/* If all probes are to be counted, and are there: begin. */
void act_count_begin(struct app *a);
/* After an operation: ask whether to stop the process for the sites that need it, with app.pending
 * then; or say that they are left. False: it is over. */
bool act_count_ask(struct app *a, const struct operation *op);
void act_count_answer(struct app *a, uint32_t key);
/* Count no longer what costs more than -max-overhead allows. */
void act_count_limit(struct app *a);
/* Counting may stop the process from now on. */
void act_count_allow(struct app *a, const char *rest);
void act_count_kernel(struct app *a, const char *rest);

/* act_events.c: what happened, with which values. */
void act_events(struct app *a, enum request r);
/* The same for these rows, which it takes; then show them in a view, of this row. */
void act_events_of(struct app *a, struct app_selection s, const struct feed_ask *ask,
	enum app_view show, uint32_t row);
/* The probe under the cursor; false: there is none, and the result line says so. */
bool act_events_row(struct app *a, uint32_t *row);
/* Change what is kept; false: it is not changed, and the result line says why. */
bool act_events_change(struct app *a, struct feed_ask ask);
void act_events_anew(struct app *a, enum request r);
void act_events_end(struct app *a, enum request r);
void act_events_ask(struct app *a, enum request r); /* open a prompt */
/* The rows of app.pending are counted, as far as they can be: keep their events. */
void act_events_begin(struct app *a);
/* Read what came; milliseconds until that is due, or -1. */
void act_events_poll(struct app *a);
int64_t act_events_wait(const struct app *a);

/* act_find.c: searching, filtering and tagging in the list. */
void act_find(struct app *a, enum request r); /* open a prompt */
void act_find_next(struct app *a, enum request r);
void act_find_forget(struct app *a, enum request r); /* the search */
/* Go to a line of the view, counted from 0, or to its last. */
void act_find_to(struct app *a, size_t line);
void act_find_tag(struct app *a, enum request r);
/* Tab in a filter. */
void act_find_filter_complete(struct app *a);
/* Look up more functions for fn: in the filter. */
void act_find_look_on(struct app *a);

/* act_histogram.c: the values of an argument. */
void act_histogram(struct app *a, enum request r);
void act_histogram_next(struct app *a, enum request r);

/* act_latency.c: how long a pair takes. */
void act_latency(struct app *a, enum request r);
void act_latency_of(struct app *a, const struct pairs_one *pair);
void act_latency_anew(struct app *a, enum request r);
void act_latency_end(struct app *a, enum request r);
/* The probes of app.pending are counted, as far as they can be: measure. */
void act_latency_begin(struct app *a);
/* Measure no longer what costs more than -max-overhead allows. */
void act_latency_limit(struct app *a);

/* act_leave.c: the screen's end, and that of the program that was started. */
void act_leave(struct app *a, enum request r);
void act_leave_answer(struct app *a, uint32_t key);
/* If the program that was asked to end has ended: quit. */
void act_leave_wait(struct app *a);
/* If nobody has typed for as long as the lease runs: undo, and stay. */
void act_leave_lease(struct app *a);
/* A signal ends the screen: undo, and quit. */
void act_leave_signal(struct app *a, int signal);

/* act_look.c: opening views, and how things are shown. */
void act_look_open(struct app *a, enum request r); /* a text view */
void act_look_detail(struct app *a, enum request r);
void act_look_explain(struct app *a, enum request r);
void act_look_back(struct app *a, enum request r);
void act_look_tree(struct app *a, enum request r);
void act_look_columns(struct app *a, enum request r);
void act_look_columns_key(struct app *a, uint32_t key);
void act_look_next_pane(struct app *a, enum request r);
void act_look_output(struct app *a, enum request r);
void act_look_type(struct app *a, enum request r);
void act_look_run(struct app *a, enum request r);
void act_look_retry(struct app *a, enum request r);
void act_look_reopen(struct app *a, enum request r); /* the process that is gone */
void act_look_sort(struct app *a, enum request r);
void act_look_interval(struct app *a, enum request r);
void act_look_freeze(struct app *a, enum request r);
void act_look_read_only(struct app *a, enum request r);
void act_look_redraw(struct app *a, enum request r); /* suspend too: after the turn */

/* act_pair.c: p, on two tagged probes, on the one under the cursor, or in the list of pairs. */
void act_pair(struct app *a, enum request r);
/* Which pair a key means, by two tags or by the cursor; false: none, and the result line says why.
 */
bool act_pair_prepare(struct app *a, char key, struct pairs_one *pair);
/* Set app.pending to what switches a pair; false: both halves are so already. */
bool act_pair_plan(struct app *a, const struct pairs_one *pair, bool off);
void act_pair_say_done(struct app *a, bool off);

/* act_replay.c: a recording instead of processes. */
void act_replay_refuse(struct app *a);
/* As act_events_of; takes the text of `ask`, too. */
void act_replay_events(struct app *a, struct app_selection s, struct feed_ask ask,
	enum app_view show, uint32_t row);
/* Show the latency of a pair. */
void act_replay_latency(struct app *a, const struct pairs_one *pair);
/* Read on; milliseconds until that is due, or -1. */
void act_replay_poll(struct app *a);
int64_t act_replay_wait(const struct app *a);

/* act_write.c: scripts, files, marks. */
void act_write(struct app *a, enum request r); /* open a prompt */
void act_write_mark(struct app *a, const char *text);
void act_write_script(struct app *a, const char *path);
void act_write_view(struct app *a, const char *path);

/* act_switch.c */
void act_switch(struct app *a, enum request r);
void act_switch_force(struct app *a, enum request r);
void act_switch_undo(struct app *a, enum request r); /* redo too */
void act_switch_preview(struct app *a, enum request r);
void act_switch_answer(struct app *a, uint32_t key);
/* Plan what app.pending means; ask if it is large or disturbs other parties; otherwise do it. */
void act_switch_begin(struct app *a);
/* Add what app.pending would write to the preview. */
void act_switch_preview_add(struct app *a);
/* Open the preview and drop app.pending. */
void act_switch_preview_open(struct app *a, const char *heading);
/* Set app.pending to a selection, whose rows it takes; false: nothing of it is left to switch. */
bool act_switch_prepare(struct app *a, struct app_selection s, enum probes_verb verb);
/* Carry app.pending out. */
void act_switch_do(struct app *a);
/* What e, d and H act on; false: nothing, and the result line says so. */
bool act_switch_select(struct app *a, struct app_selection *s);
/* What app.pending counts is counted: measure it, if that is wanted, and drop it. */
void act_switch_finish(struct app *a);
/* Drop app.pending. */
void act_switch_forget(struct app *a);
/* Write an operation to syslog and -log. */
void act_switch_audit(struct app *a, const char *verb, const struct operation *op);

/* act_sweep.c: take back what forked children inherited. */
void act_sweep(struct app *a, enum request r);

#endif
