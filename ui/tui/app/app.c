/*
 * The state of the screen: keeping it consistent. Draws nothing, decides nothing.
 */
#include "ui/tui/app/app.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/now.h"
#include "ui/words/probe_name.h"
#include "ui/words/states.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APP_ORDER_HELD_MS 3000  /* after a key the order of the rows stays */
#define APP_ORDER_EVERY_MS 2000 /* rows that hits sort move no more often */
#define APP_SYNTAX_GAP 3        /* columns between a prompt's remark and its syntax */
#define APP_SYNTAX_LEAST 20     /* columns: less of the syntax is not worth showing */

int64_t app_now_ms(void)
{
	return now_ms();
}

bool app_key_waits(void)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};

	return poll(&in, 1, 0) == 1 && (in.revents & POLLIN);
}

/* ---------------------------------------------------------------- the result line */

__attribute__((format(printf, 3, 0))) static void app_vsay(
	struct app *a, bool bad, const char *format, va_list args)
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(a->message.text, sizeof a->message.text, "%H:%M:%S ", &tm);
	vsnprintf(a->message.text + strlen(a->message.text),
		sizeof a->message.text - strlen(a->message.text), format, args);
	a->message.bad = bad;
	a->message.answer = a->message.answering;
	a->message.remark[0] = '\0';
	a->dirty = true;
}

void app_say(struct app *a, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	app_vsay(a, false, format, args);
	va_end(args);
}

void app_complain(struct app *a, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	app_vsay(a, true, format, args);
	va_end(args);
}

void app_remark(struct app *a, bool bad, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (a->message.answer)
		vsnprintf(a->message.remark, sizeof a->message.remark, format, args);
	else
		app_vsay(a, bad, format, args);
	va_end(args);
	a->dirty = true;
}

void app_say_error(struct app *a, const char *prefix, const struct probes_error *e)
{
	char what[512], why[512], hint[512];

	text_clean(e->what, what, sizeof what);
	text_clean(e->why, why, sizeof why);
	text_clean(e->hint, hint, sizeof hint);
	app_complain(a, "%s%s%s: %s%s%s", prefix, *prefix ? ": " : "", what, why, *hint ? "; " : "",
		hint);
}

/* ---------------------------------------------------------------- views */

const struct view_ops *app_view(const struct app *a)
{
	return a->views[a->view];
}

void app_open(struct app *a, enum app_view view)
{
	if (a->views[view]->overlay && !app_view(a)->overlay)
		a->before = a->view;
	a->view = view;
	a->prompt.ops = NULL; /* a prompt is about the view that it was opened in */
	a->hscroll = 0;
	pager_begin(&a->text.pager);
	if (app_view(a)->build)
		app_view(a)->build(a);
	app_layout(a);
}

uint32_t app_row(const struct app *a)
{
	return app_view(a)->row ? app_view(a)->row(a) : ROWLIST_NONE;
}

struct app_selection app_selection(const struct app *a)
{
	return app_view(a)->selection ? app_view(a)->selection(a) : (struct app_selection){0};
}

struct app_selection app_select(uint32_t row)
{
	struct app_selection s = {.named = true};

	if (row == ROWLIST_NONE)
		return (struct app_selection){0};
	s.rows = mem_array(1, sizeof *s.rows);
	s.rows[s.count++] = row;
	return s;
}

unsigned app_have(const struct app *a)
{
	unsigned have = 0;

	if (a->access.can_switch && !a->read_only && model_alive(&a->model))
		have |= NEED_SWITCH;
	if (!a->replay)
		have |= NEED_PROCESS |
			(model_switchable(&a->model) ? NEED_SWITCHABLE : NEED_UNSWITCHABLE);
	if ((have & NEED_SWITCH) || a->timing.used || a->replay)
		have |= NEED_LATENCY;
	if ((have & NEED_SWITCH) || a->events.feed.used || a->replay)
		have |= NEED_EVENTS;
	if ((have & NEED_SWITCH) || a->replay)
		have |= NEED_CONDITION;
	if (a->program.used)
		have |= NEED_PROGRAM;
	if (a->model.process_count == 1 && !a->program.ended && !model_alive(&a->model))
		have |= NEED_GONE;
	if (a->program.used && a->model.process_count && probes_held(a->model.processes[0].session))
		have |= NEED_HELD;
	if (a->access.can_list && a->model.process_count)
		have |= NEED_LISTABLE;
	return have;
}

/* ---------------------------------------------------------------- the processes */

static void app_complain_of_line(void *data, const char *text)
{
	char safe[1024];

	app_complain(data, "%s", text_clean(text, safe, sizeof safe));
}

const struct questions *app_questions(struct app *a)
{
	/* Without memory there are fewer. */
	if (!a->questions_read)
		(void)!questions_load(&a->questions, app_complain_of_line, a);
	a->questions_read = true;
	return &a->questions;
}

bool app_asks(const struct app *a, const struct question *q)
{
	for (size_t i = 0; i < a->model.process_count; i++)
		if (questions_fit(q, a->model.processes[i].session))
			return true;
	return false;
}

pid_t app_pid(const struct app *a)
{
	if (a->program.used)
		return a->program.pid;
	return a->group && probes_group_count(a->group) ? probes_group_at(a->group, 0)->pid : 0;
}

void app_title(struct app *a)
{
	const struct model *m = &a->model;
	const struct probes_session *s = m->process_count ? m->processes[0].session : NULL;
	size_t alive = model_alive(m);
	char path[TEXT_MAX], file[TEXT_MAX], inner[32] = "";

	if (a->replay) {
		const struct recording_process *p = a->replay->recording.processes;

		snprintf(a->title, sizeof a->title,
			"%.50s: ", probe_name_base(text_clean(a->replay->path, file, sizeof file)));
		text_addf(a->title, sizeof a->title,
			m->process_count > 1 ? "%.40s  %zu processes" : "%.40s  pid %zu",
			probe_name_base(text_clean(p->program, path, sizeof path)),
			m->process_count > 1 ? m->process_count : (size_t)p->pid);
		return;
	}
	if (s && probes_ns_pid(s) != probes_pid(s))
		snprintf(inner, sizeof inner, " (%d inside)", (int)probes_ns_pid(s));
	if (!s)
		snprintf(a->title, sizeof a->title, "pid %d", (int)app_pid(a));
	else if (m->process_count == 1)
		snprintf(a->title, sizeof a->title, "%.60s  pid %d%s",
			probe_name_base(text_clean(probes_path(s), path, sizeof path)),
			(int)probes_pid(s), inner);
	else
		snprintf(a->title, sizeof a->title, "%.60s  %zu process%s",
			probe_name_base(text_clean(probes_path(s), path, sizeof path)),
			alive ? alive : m->process_count, alive == 1 ? "" : "es");
}

void app_update_access(struct app *a)
{
	for (size_t i = 0; i < a->model.process_count; i++) {
		if (a->model.processes[i].gone)
			continue;
		a->access = *probes_access(a->model.processes[i].session);
		if (!a->access.can_switch || !a->access.can_read)
			return;
	}
}

/* How one process ended. */
static const char *app_end(const struct model_process *p, char *out, size_t size)
{
	char end[512], why[512];

	states_end(p->error.why, end, sizeof end);
	snprintf(out, size, "process %d %s", (int)p->pid, text_clean(end, why, sizeof why));
	return out;
}

/* Is there something to open under this number? */
static bool app_reopens(pid_t pid)
{
	struct probes_survey survey;
	struct probes_error e;

	return probes_survey(pid, &survey, &e) == 0 && survey.probes;
}

const char *app_gone(const struct app *a, char *out, size_t size)
{
	const struct model_process *p = &a->model.processes[0];
	char end[128];

	if (a->model.process_count > 1)
		snprintf(out, size, "all %zu processes are gone", a->model.process_count);
	else if (a->program.ended)
		snprintf(out, size, "process %d %s", (int)a->program.pid,
			program_end(&a->program, end, sizeof end));
	else
		app_end(p, out, size);
	if ((app_have(a) & NEED_GONE) && app_reopens(p->pid))
		text_addf(out, size, "; %sr opens that",
			app_view(a)->where & request_info(REQUEST_REOPEN)->where ? ""
										 : "in the list, ");
	return out;
}

static void app_report_ends(struct app *a, size_t alive)
{
	char end[600];

	if (!alive && a->model.process_count > 1) {
		app_complain(a,
			"all %zu processes are gone: what was switched there went with "
			"them, and states are no longer known",
			a->model.process_count);
		return;
	}
	for (size_t i = 0; i < a->model.process_count; i++) {
		struct model_process *p = &a->model.processes[i];

		if (!p->gone || !p->error.why[0])
			continue;
		app_remark(a, true, "%s; %s", app_end(p, end, sizeof end),
			alive                 ? "the others go on"
			: app_reopens(p->pid) ? "r opens that"
					      : "r looks for it again");
	}
}

/* The age of the oldest process, and the threads of all. */
static void app_update_info(struct app *a)
{
	struct probes_process_info sum = {.up_seconds = -1, .threads = -1}, one;
	struct probes_error e;

	for (size_t i = 0; i < a->model.process_count; i++) {
		const struct model_process *p = &a->model.processes[i];

		/* By now a recorded pid may be that of another process. */
		if (p->gone || p->recorded || probes_process_info(p->pid, &one, &e) < 0)
			continue;
		if (one.up_seconds > sum.up_seconds)
			sum.up_seconds = one.up_seconds;
		if (one.threads > 0)
			sum.threads = (sum.threads > 0 ? sum.threads : 0) + one.threads;
	}
	a->info = sum;
}

/* Sort and filter again. Of a list that is sorted by hits the top matters: a cursor there stays. */
static void app_order(struct app *a, int64_t now)
{
	struct rowlist *rows = &a->list.rows;
	bool top = column_table[a->list.order].hits && !rows->cursor;
	uint32_t id = rowlist_current(rows);

	list_update(&a->list);
	if (top)
		rowlist_to(rows, 0);
	if (rowlist_current(rows) != id)
		a->slipped_ms = now;
	a->order_ms = now;
	a->order_stale = false;
}

void app_refresh(struct app *a, bool all)
{
	uint32_t *seen;
	size_t alive = model_alive(&a->model), count;
	int64_t now;
	bool changed;

	if (!a->model.process_count)
		return;
	seen = mem_array((size_t)a->list.rows.height, sizeof *seen);
	count = list_seen(&a->list, seen);
	if (all)
		app_update_info(a);
	changed = model_refresh(&a->model, all ? NULL : seen, count);
	free(seen);
	/* waitpid says more about the end of a program that this process started */
	if (model_alive(&a->model) != alive && !a->program.ended) {
		app_title(a);
		app_report_ends(a, model_alive(&a->model));
	}
	now = app_now_ms();
	timing_read(&a->timing, &a->model, now);
	a->order_stale |= changed && list_is_live(&a->list);
	a->order_stale |= model_read_hits(&a->model, now) && list_follows_hits(&a->list);
	if (a->order_stale && now - a->last_key_ms > APP_ORDER_HELD_MS &&
		(!list_follows_hits(&a->list) || now - a->order_ms >= APP_ORDER_EVERY_MS))
		app_order(a, now);
	list_sum(&a->list);
	if (app_view(a)->refresh)
		app_view(a)->refresh(a);
	a->dirty = true;
}

int64_t app_lease_remaining(const struct app *a)
{
	int64_t remaining = a->last_key_ms + a->lease_ms - app_now_ms();
	size_t probes;

	if (!a->lease_ms || (!model_changed(&a->model) &&
				    !(a->group && probes_group_children(a->group, &probes))))
		return -1;
	return remaining > 0 ? remaining : 0;
}

/* ---------------------------------------------------------------- the space */

void app_ask(struct app *a, const struct prompt_ops *ops, const char *before, const char *text,
	size_t from)
{
	a->prompt.ops = ops;
	a->prompt.syntax = ops->syntax;
	a->prompt.listed = false;
	a->prompt.from = from;
	a->prompt.why[0] = '\0';
	snprintf(a->prompt.before, sizeof a->prompt.before, "%s", before);
	input_set(&a->prompt.input, text);
	input_past_begin(&a->past[ops->past]);
}

/* What a prompt says: what is wrong or what matches, then the syntax in what is left of the line.
 */
static const char *app_prompt_text(const struct app *a, char *out, size_t size)
{
	const struct app_prompt *p = &a->prompt;
	int room = a->columns - text_width(p->why) - APP_SYNTAX_GAP;
	const char *rest;

	if (!p->syntax || (p->why[0] && (p->listed || room < APP_SYNTAX_LEAST)))
		return p->why;
	if (!p->why[0])
		return p->syntax;
	snprintf(out, size, "%s%*s%.*s", p->why, APP_SYNTAX_GAP, "",
		(int)text_wrap(p->syntax, room, &rest), p->syntax);
	return out;
}

const char *app_message_text(const struct app *a, char *out, size_t size)
{
	const struct app_message *m = &a->message;

	if (!a->question.kind && !a->prompt.ops && m->text[0] && m->remark[0]) {
		snprintf(out, size, "%s; %s", m->text, m->remark);
		return out;
	}
	return a->question.kind ? a->question.text
	       : a->prompt.ops  ? app_prompt_text(a, out, size)
				: a->message.text;
}

bool app_dialog(const struct app *a)
{
	return a->question.kind && a->rows >= 16 && a->columns >= 60;
}

struct area app_message_area(const struct app *a)
{
	char room[sizeof(struct app_message)];
	const char *text = app_message_text(a, room, sizeof room);
	/* A question takes what it needs: its keys come last. */
	int need = 0, most = a->question.kind ? a->rows - 2 : a->rows >= 16 ? 4 : 2;

	if (app_dialog(a))
		return (struct area){.y = a->rows - 2, .rows = 1};
	for (const char *next; *text && need < most; text = next, need++)
		text_wrap(text, a->columns, &next);
	if (!need)
		need = 1;
	return (struct area){
		.y = a->rows - 1 - need + (a->question.kind != ASK_NONE), .rows = need};
}

int app_view_rows(const struct app *a)
{
	int around = app_view(a)->around + app_message_area(a).rows + 1; /* the footer */

	return a->rows > around ? a->rows - around : 1;
}

void app_size_program(struct app *a)
{
	/* without the title, one line of message, the footer */
	program_resize(&a->program, a->rows - 3, a->columns);
}

void app_layout(struct app *a)
{
	app_size_program(a);
	app_view(a)->layout(a);
}
