#include "ui/tui/app/targets_load.h"

#include "ui/options/targets.h"
#include "ui/tui/app/objects.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"
#include "ui/words/probe_name.h"
#include "ui/words/unreadable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keep a notice of the engine for the next result line. */
static void targets_load_log(void *data, enum probes_log_level level, const char *text)
{
	struct app *a = data;

	if (level == PROBES_LOG_NOTICE)
		text_clean(text, a->message.notice, sizeof a->message.notice);
}

static void targets_load_rows(struct app *a)
{
	const struct replay *r = a->replay;

	model_init(&a->model);
	a->model.replay = a->replay;
	for (size_t i = 0; r && i < r->recording.process_count; i++) {
		model_add(&a->model, r->processes[i].member.session);
		a->model.processes[i].pid = r->processes[i].member.pid;
		a->model.processes[i].recorded = &r->processes[i];
	}
	for (size_t i = 0; a->group && i < probes_group_count(a->group); i++)
		if (probes_group_at(a->group, i)->session)
			model_add(&a->model, probes_group_at(a->group, i)->session);
	list_init(&a->list, &a->model);
	a->glance.row = MODEL_NONE;
	app_title(a);
	rowlist_init(&a->pairs.rows);
	if (a->model.process_count)
		app_update_access(a);
	else
		probes_explain(app_pid(a), &a->access);
	a->objects.unread = objects_unreadable(&a->model);
	list_update(&a->list);
	app_refresh(a, true);
	list_start(&a->list);
}

/* How many processes could not be opened; the error is the first one's. */
static size_t targets_load_failures(const struct app *a, struct probes_error *e)
{
	size_t failed = 0;

	for (size_t i = 0; i < probes_group_count(a->group); i++) {
		const struct probes_member *m = probes_group_at(a->group, i);

		if (!m->session && !failed++)
			*e = m->error;
	}
	return failed;
}

static int targets_load_processes(struct app *a, struct probes_error *e)
{
	size_t failed;
	int status = targets_open(&a->group, a->options, &a->engine, e);

	if (status < 0)
		return status;
	failed = targets_load_failures(a, e);
	if (failed && failed == probes_group_count(a->group) && e->status != PROBES_DENIED)
		return e->code;
	if (!failed || e->status == PROBES_DENIED)
		e->code = 0;
	return 0;
}

/* A process without probes is not worth a screen: why there are none, or why none were found. */
static int targets_load_nothing(const struct app *a, struct probes_error *e)
{
	const struct probes_session *s = a->model.processes[0].session;
	const char *why = "no object mapped in it declares any";
	size_t count = probes_object_count(s), unread = unreadable_count(s), listed = 0;

	e->status = PROBES_NO_TARGET;
	e->code = -ENOENT;
	snprintf(e->what, sizeof e->what,
		unread ? "no probes found in process %d" : "process %d has no probes",
		(int)probes_pid(s));
	e->why[0] = '\0';
	if (unread)
		text_addf(e->why, sizeof e->why, "%zu of its %zu objects could not be read (",
			unread, count);
	for (size_t i = 0; i < count; i++) {
		const struct probes_object *o = probes_object_at(s, i);

		if (unreadable_is(o))
			text_addf(e->why, sizeof e->why, "%s%.80s: %.200s", listed++ ? "; " : "",
				probe_name_base(o->path), o->why);
		if (o->executable && o->why)
			why = o->why;
	}
	text_addf(e->why, sizeof e->why, "%.192s", unread ? ")" : why);
	/* what would bring probes to the other objects, each remedy once */
	for (size_t i = 0; i < count; i++) {
		const struct probes_object *o = probes_object_at(s, i);

		if (!o->executable && !unreadable_is(o) && o->remedy && !strstr(e->why, o->remedy))
			text_addf(e->why, sizeof e->why, "; %s", o->remedy);
	}
	/* A program that the screen started ends with it: later there is no pid to look at. */
	if (probes_held(s))
		snprintf(e->hint, sizeof e->hint,
			"for what it opens or executes later, attach when it runs");
	else
		snprintf(e->hint, sizeof e->hint, "probes-tui list -pid %d says so for each object",
			(int)probes_pid(s));
	return e->code;
}

/* Report what earlier sessions left because they were killed. Repair is left to the user. */
static void targets_load_leftovers(struct app *a)
{
	for (size_t i = 0; i < a->model.process_count; i++) {
		struct probes_session *s = a->model.processes[i].session;
		struct probes_leftover *left = NULL;
		struct probes_error e = {0};
		struct probes_leftover *first;
		size_t count = 0, at = 0;

		if (probes_leftovers(s, &left, &count, &e) < 0)
			count = 0;
		/* Of some, others have removed everything. */
		while (at + 1 < count && !*left[at].unjudged && !left[at].changes &&
			!left[at].interrupted)
			at++;
		first = left ? left + at : NULL;
		if (count && *first->unjudged)
			app_complain(a,
				"changes of an earlier session may remain in process %d: could not "
				"check %s",
				(int)probes_pid(s), first->unjudged);
		else if (count && !first->owner)
			app_complain(a,
				"a session that has ended left counters at %zu site%s of process "
				"%d: H takes them over; H again removes them",
				first->changes, line_s(first->changes), (int)probes_pid(s));
		else if (count && first->changes)
			app_complain(a,
				"an earlier session (pid %d) was killed and left %zu change%s in "
				"process %d; probes-tui repair -pid %d undoes that",
				(int)first->owner, first->changes, line_s(first->changes),
				(int)probes_pid(s), (int)probes_pid(s));
		else if (count && first->interrupted)
			app_complain(a,
				"an earlier session (pid %d) was killed in the middle of a switch "
				"in process %d; probes-tui repair -pid %d undoes what it did",
				(int)first->owner, (int)probes_pid(s), (int)probes_pid(s));
		free(left);
	}
}

/* The actions of the command line, before the program's first instruction if it is held. */
static int targets_load_actions(struct app *a, struct probes_error *e)
{
	const struct actions *todo = &a->options->actions;
	struct probes_switch_options options = options_switch(a->options);
	struct probes_result *r = NULL;
	struct operation *op;
	char said[300], before[sizeof a->message.notice];
	int status;

	if (!todo->count)
		return 0;
	/* Keep the notice from the start of the program: it is still to be shown. */
	memcpy(before, a->message.notice, sizeof before);
	a->message.notice[0] = '\0';
	status = probes_switch(a->started, todo->items, todo->count, &options, &r, e);
	if (status < 0) {
		probes_result_free(r);
		return status;
	}
	a->model.switched = true;
	op = operation_of(
		&a->model, r, probes_held(a->started) ? "before its start" : "after its start");
	app_say(a, "%s: %s %s%s%s", op->what, operation_say(&op->sum, said, sizeof said), before,
		before[0] && a->message.notice[0] ? "; " : "", a->message.notice);
	a->message.bad = before[0];
	if (audit_note(&a->audit, "screen", a->started, r, e) < 0)
		app_say_error(a, "", e);
	script_operation(&a->script, &a->model, "", op);
	history_add(&a->history, op);
	return 0;
}

/* The sessions are open: make rows of them and report what the user must know. */
static int targets_load_shown(struct app *a, struct probes_error *e)
{
	struct probes_error first = {0};
	char said[TEXT_MAX];
	size_t failed;

	targets_load_rows(a);
	if (a->model.process_count && !a->model.row_count)
		return targets_load_nothing(a, e);
	failed = targets_load_failures(a, &first);
	if (failed && a->model.process_count)
		app_say_error(a, "not all processes could be opened", &first);
	if (a->started && a->message.notice[0])
		app_complain(a, "%s", a->message.notice);
	/* Probes may be missing from the list. The header always shows that; say once why. */
	if (*objects_describe_unreadable(&a->model, said, sizeof said))
		app_complain(a, "%s", said);
	if (a->started && !probes_held(a->started))
		app_say(a, "%s loaded its probes after its start: it was not held, and runs",
			probe_name_base(text_clean(probes_path(a->started), said, sizeof said)));
	if (a->started && probes_follow_count(a->started) && !a->message.text[0])
		app_say(a, "%s was reached through %zu launcher%s%s",
			probe_name_base(text_clean(probes_path(a->started), said, sizeof said)),
			probes_follow_count(a->started),
			probes_follow_count(a->started) == 1 ? "" : "s",
			a->options->hold ? ", and is held at its start" : "");
	if (a->started)
		return targets_load_actions(a, e);
	targets_load_leftovers(a);
	if (!a->access.can_read || (!a->access.can_switch && !a->read_only))
		a->view = VIEW_DENIED;
	return 0;
}

/* No process was given, or a name that several processes have: the user chooses. */
static bool targets_load_is_choice(const struct app *a)
{
	const struct options *o = a->options;

	return (!o->prog && !o->pid_count && !o->tree && !o->comm) ||
	       (o->comm && a->group && probes_group_count(a->group) > 1);
}

int targets_load_all(struct app *a, struct probes_error *e)
{
	int status = 0;

	if (a->options->recording) {
		if (replay_open(a->options->recording, &a->replay, e) < 0)
			return e->code;
		/* These columns are empty for a recording; c still shows them. */
		a->hidden |= 1u << COLUMN_SEMAPHORE | 1u << COLUMN_RATE | 1u << COLUMN_TREND |
			     1u << COLUMN_HOLDER;
		targets_load_rows(a);
		return 0;
	}
	a->engine = (struct probes_options){
		.read_only = a->options->read_only, .log = targets_load_log, .log_data = a};
	a->read_only = a->options->read_only;
	if (a->options->prog)
		status = program_start(&a->program, a->options, &a->engine, &a->started, e);
	else if (!targets_load_is_choice(a))
		status = targets_load_processes(a, e);
	if (status == 0 && a->started)
		status = probes_group_new(&a->engine, &a->group, e);
	if (status == 0 && a->started)
		status = probes_group_add(a->group, a->started, e);
	if (status < 0)
		return status;
	if (!targets_load_is_choice(a))
		return targets_load_shown(a, e);
	probes_group_close(a->group);
	a->group = NULL;
	picker_init(&a->picker, a->options->comm);
	a->view = VIEW_PICKER;
	return 0;
}

int targets_load_picked(struct app *a, const pid_t *pids, size_t count, struct probes_error *e)
{
	int status;

	free(a->picked.pids);
	a->picked = *a->options;
	a->picked.comm = NULL;
	a->picked.pids = mem_array(count, sizeof *pids);
	memcpy(a->picked.pids, pids, count * sizeof *pids);
	a->picked.pid_count = count;
	a->options = &a->picked;
	a->view = VIEW_LIST;
	status = targets_load_processes(a, e);
	if (status >= 0)
		status = targets_load_shown(a, e);
	if (status < 0) {
		targets_load_close(a);
		a->view = VIEW_PICKER;
	}
	return status;
}

void targets_load_again(struct app *a)
{
	struct probes_error e = {0};
	int status;

	targets_load_close(a);
	if (a->program.used)
		status = probes_group_new(&a->engine, &a->group, &e);
	else
		status = targets_load_processes(a, &e);
	if (status == 0 && a->program.used)
		status = probes_group_open(a->group, &a->program.pid, 1, false, &e);
	if (status == 0 && a->program.used && targets_load_failures(a, &e))
		status = e.code;
	if (status < 0)
		app_say_error(a, "", &e);
	targets_load_rows(a);
}

void targets_load_close(struct app *a)
{
	pager_done(&a->glance.pane);
	a->glance = (struct app_glance){.row = MODEL_NONE};
	list_done(&a->list);
	history_done(&a->history);
	timing_done(&a->timing);
	feed_done(&a->events.feed);
	rowlist_done(&a->events.rows);
	search_done(&a->events.search);
	free(a->timing_begun.rows);
	free(a->events.begun.rows);
	a->timing_begun = a->events.begun = (struct app_begun){0};
	pairs_done(&a->pairs.known);
	rowlist_done(&a->pairs.rows);
	model_done(&a->model);
	probes_group_close(a->group);
	a->group = NULL;
	replay_close(a->replay);
	a->replay = NULL;
	a->started = NULL;
	a->new_children_ms = 0;
}
