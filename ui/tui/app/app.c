#include "ui/tui/app/app.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/line.h"
#include "ui/words/probe_name.h"
#include "ui/words/states.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define APP_ORDER_HELD_MS 3000  /* after a key the order of the rows stays */
#define APP_ORDER_EVERY_MS 2000 /* rows that hits sort move no more often */

bool app_key_waits(void)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};

	return poll(&in, 1, 0) == 1 && (in.revents & POLLIN);
}

/* ---------------------------------------------------------------- views */

const struct view_ops *app_view(const struct app *a)
{
	return a->views[a->view];
}

struct rowlist *app_rows(struct app *a)
{
	size_t at = app_view(a)->rows;

	return at ? (struct rowlist *)((char *)a + at) : NULL;
}

struct search *app_search(struct app *a)
{
	return (struct search *)((char *)a + app_view(a)->search);
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
	enum app_view view = a->view == VIEW_HELP ? a->before : a->view; /* help is about that */
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
	if (view == VIEW_LATENCY ? timing_on(&a->timing) : feed_on(&a->events.feed))
		have |= NEED_RUNS;
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

		snprintf(a->title, sizeof a->title, "%.50s: ",
			probe_name_base(text_clean(a->options->recording, file, sizeof file)));
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

/* May hits of its last moment be missing? */
static bool app_misses_end(const struct model_process *p)
{
	struct probes_error e;

	/* A forked child that is still there may have them, too. */
	(void)!probes_read_hits(p->session, &e);
	return probes_misses_end(p->session);
}

/* Is there something to take back of what was done in a process? Not of counting where all jumps
 * are gone. */
static bool app_has_to_revert(const struct model_process *p, const struct probes_result *r)
{
	for (size_t i = 0; !p->gone && i < r->item_count; i++) {
		const struct probes_live *live = probes_live_at(p->session, r->items[i].probe);

		if (r->items[i].outcome == PROBES_DONE &&
			(r->items[i].verb != PROBES_COUNT || live->mine || live->mine_counted))
			return true;
	}
	return false;
}

/* Where all processes that an operation switched have ended, nobody can take it back; nor jumps
 * that are gone. */
static void app_withdraw_offer(struct app *a)
{
	struct app_message *m = &a->message;
	char *offer = m->text + m->offer, *rest;
	bool redo = !strncmp(offer, APP_REDO, strlen(APP_REDO));
	const struct operation *op = history_last(&a->history, redo);

	if (!m->offer || (!redo && strncmp(offer, APP_UNDO, strlen(APP_UNDO)) != 0))
		return;
	for (size_t i = 0; op && i < op->count; i++)
		if (op->results[i] && app_has_to_revert(&a->model.processes[i], op->results[i]))
			return;
	rest = offer + strlen(redo ? APP_REDO : APP_UNDO);
	memmove(offer, rest, strlen(rest) + 1);
	m->offer = 0;
}

/* Of those that ended since the last report, the most important one. */
static void app_report_ends(struct app *a)
{
	size_t alive = model_alive(&a->model), count = a->model.process_count, ended = 0;
	const struct model_process *shown = NULL;
	bool hard = false; /* nobody expects that end */
	char end[600], more[40] = "";
	const char *missing = "";

	for (struct model_process *p = a->model.processes; p < a->model.processes + count; p++) {
		enum probes_end how;
		int signal;

		if (!p->gone || p->end_reported)
			continue;
		p->end_reported = true;
		how = probes_end(p->session, &signal);
		/* waitpid says more about the end of a program that this process started. */
		if (a->program.used && p->pid == a->program.pid && how != PROBES_END_EXEC)
			continue;
		ended++;
		if (app_misses_end(p))
			missing = "; hits of the last 200 ms may be missing, as an earlier session "
				  "made the counters";
		if (!shown || (!hard && how != PROBES_END_EXIT))
			shown = p;
		hard |= how != PROBES_END_EXIT;
	}
	if (!ended)
		return;
	app_withdraw_offer(a);
	if (ended > 1)
		snprintf(more, sizeof more, ", and %zu more ended", ended - 1);
	if (!alive && count > 1)
		app_remark(a, REMARK_END, true,
			"all %zu processes are gone: what was switched there went with them, and "
			"states are no longer known%s",
			count, missing);
	if (alive || hard || count == 1)
		app_remark(a, hard || !alive ? REMARK_END : REMARK_NEWS, hard || !alive, "%s%s%s%s",
			app_end(shown, end, sizeof end), more, missing,
			alive                     ? "; the others go on"
			: count > 1               ? ""
			: app_reopens(shown->pid) ? "; r opens that"
						  : "; r looks for it again");
}

/* A probe that is no longer counted must not look like one not hit, nor vanish. */
static void app_report_lost(struct app *a)
{
	struct model *m = &a->model;
	size_t rows = m->lost.rows;

	m->lost.rows = 0;
	if (!rows)
		return;
	app_withdraw_offer(a);
	app_remark(a, REMARK_WARNING, true,
		"jumps of %zu probe%s (%s%s) are gone: another program or session removed them; "
		"hits since then are missing; %s",
		rows, line_s(rows), m->rows[m->lost.first].label, rows == 1 ? "" : ", ...",
		rows == 1 && !m->rows[m->lost.first].sites_counted ? "H counts again"
								   : "i explains");
}

/* The age of the oldest process, and the threads of all. */
static void app_update_info(struct app *a)
{
	struct probes_process_info sum = {.up_seconds = -1, .threads = -1}, one;
	struct probes_error e;

	a->stopped = 0;
	for (size_t i = 0; i < a->model.process_count; i++) {
		const struct model_process *p = &a->model.processes[i];

		/* By now a recorded pid may be that of another process. */
		if (p->gone || p->recorded || probes_process_info(p->pid, &one, &e) < 0)
			continue;
		a->stopped += one.stopped;
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
	if (model_alive(&a->model) != alive) {
		app_title(a);
		app_report_ends(a);
	}
	app_report_lost(a);
	now = now_ms();
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
	int64_t remaining = a->last_key_ms + a->lease_ms - now_ms();
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
