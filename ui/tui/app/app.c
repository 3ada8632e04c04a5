/*
 * The state of the screen: keeping it consistent. Draws nothing, decides nothing.
 */
#include "ui/tui/app/app.h"

#include "ui/columns.h"

#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/views/denied.h"
#include "ui/tui/views/detail.h"
#include "ui/tui/views/inconsistent.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APP_PANE_ROWS 9        /* at least, of the pane below the list, with its title */
#define APP_PANE_COLUMNS 76    /* that a site takes */
#define APP_GLANCE_MS 200      /* without a key: time to look into symbol tables */
#define APP_ORDER_HELD_MS 3000 /* after a key the order is held for so long */

int64_t app_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool app_key_waits(void)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};

	return poll(&in, 1, 0) == 1 && (in.revents & POLLIN);
}

/* ---------------------------------------------------------------- the result line */

static void app_vsay(struct app *a, bool bad, const char *format, va_list args)
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(a->message, sizeof a->message, "%H:%M:%S ", &tm);
	vsnprintf(a->message + strlen(a->message), sizeof a->message - strlen(a->message), format,
		args);
	a->message_bad = bad;
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

void app_say_error(struct app *a, const char *prefix, const struct probes_error *e)
{
	char what[512], why[512], hint[512];

	text_clean(e->what, what, sizeof what);
	text_clean(e->why, why, sizeof why);
	text_clean(e->hint, hint, sizeof hint);
	app_complain(a, "%s%s%s: %s%s%s", prefix, *prefix ? ": " : "", what, why, *hint ? "; " : "",
		hint);
}

/* ---------------------------------------------------------------- what is possible */

unsigned app_where(const struct app *a)
{
	static const unsigned where[VIEW_COUNT] = {
		[VIEW_LIST] = IN_LIST,
		[VIEW_DENIED] = IN_DENIED,
		[VIEW_OUTPUT] = IN_OUTPUT,
		[VIEW_DETAIL] = IN_DETAIL,
		[VIEW_HELP] = IN_TEXT,
		[VIEW_PREVIEW] = IN_TEXT,
		[VIEW_CODE] = IN_TEXT,
		[VIEW_PICKER] = IN_PICKER,
		[VIEW_PAIRS] = IN_PAIRS,
		[VIEW_INCONSISTENT] = IN_INCONSISTENT,
		[VIEW_ARGUMENTS] = IN_TEXT,
		[VIEW_RECORD] = IN_TEXT,
		[VIEW_LIBRARIES] = IN_TEXT,
	};

	return where[a->view];
}

static bool app_held(const struct app *a)
{
	return a->program.used && a->model.process_count &&
	       probes_held(a->model.processes[0].session);
}

unsigned app_have(const struct app *a)
{
	unsigned have = 0;

	if (a->access.can_switch && !a->read_only && model_alive(&a->model))
		have |= NEED_SWITCH;
	if (a->program.used)
		have |= NEED_PROGRAM;
	if (a->model.process_count == 1 && !a->program.ended && !model_alive(&a->model))
		have |= NEED_GONE;
	if (app_held(a))
		have |= NEED_HELD;
	if (a->access.can_list && a->model.process_count)
		have |= NEED_LISTABLE;
	return have;
}

pid_t app_pid(const struct app *a)
{
	return a->program.used ? a->program.pid : a->targets.items[0].pid;
}

void app_title(struct app *a)
{
	const struct model *m = &a->model;
	const struct probes_session *s = m->process_count ? m->processes[0].session : NULL;
	char path[TEXT_MAX], inner[32] = "";

	if (s && probes_ns_pid(s) != probes_pid(s))
		snprintf(inner, sizeof inner, "(%d inside) ", (int)probes_ns_pid(s));
	if (!s)
		snprintf(a->title, sizeof a->title, "pid %d", (int)app_pid(a));
	else if (m->process_count == 1)
		snprintf(a->title, sizeof a->title, "pid %d %s%.60s", (int)probes_pid(s), inner,
			text_base(text_clean(probes_path(s), path, sizeof path)));
	else
		snprintf(a->title, sizeof a->title, "%zu processes %.60s", model_alive(m),
			text_base(text_clean(probes_path(s), path, sizeof path)));
}

void app_look_at_access(struct app *a)
{
	for (size_t i = 0; i < a->model.process_count; i++) {
		if (a->model.processes[i].gone)
			continue;
		a->access = *probes_access(a->model.processes[i].session);
		if (!a->access.can_switch || !a->access.can_read)
			return;
	}
}

/* ---------------------------------------------------------------- the states */

static void app_look_for_ends(struct app *a, size_t alive_before)
{
	size_t alive = model_alive(&a->model);
	char why[512];

	if (alive == alive_before || a->program.ended)
		return; /* how a program of ours ended is known better by waitpid */
	for (size_t i = 0; i < a->model.process_count; i++) {
		struct model_process *p = &a->model.processes[i];

		if (!p->gone || !p->error.why[0])
			continue;
		text_clean(p->error.why, why, sizeof why);
		app_complain(a, "process %d is gone: %s; %s", (int)p->pid, why,
			alive                         ? "the others go on"
			: a->model.process_count == 1 ? "states are no longer known; r looks again"
						      : "states are no longer known");
	}
}

void app_refresh(struct app *a, bool all)
{
	uint32_t *seen = mem_array((size_t)a->list.rows.height, sizeof *seen);
	size_t alive = model_alive(&a->model), count = list_seen(&a->list, seen);
	bool changed;

	if (!a->model.process_count) {
		free(seen);
		return;
	}
	if (all)
		procinfo_read(&a->info, a->model.process_count ? a->model.processes[0].pid : 0);
	changed = model_refresh(&a->model, all ? NULL : seen, count);
	free(seen);
	app_look_for_ends(a, alive);
	a->order_stale |= changed && list_is_live(&a->list);
	if (a->order_stale && app_now_ms() - a->last_key_ms > APP_ORDER_HELD_MS) {
		list_update(&a->list);
		a->order_stale = false;
	}
	list_sum(&a->list);
	if (a->view == VIEW_DETAIL)
		detail_build(&a->lines, &a->model, a->detail, a->columns);
	else if (a->view == VIEW_INCONSISTENT)
		inconsistent_build(&a->lines, &a->model, a->detail, a->columns);
	a->dirty = true;
}

void app_look_on(struct app *a)
{
	list_look_on(&a->list);
	if (a->prompt == PROMPT_FILTER)
		snprintf(a->prompt_why, sizeof a->prompt_why, "%zu of %zu match%s",
			a->list.shown_count, a->model.row_count,
			list_is_looking(&a->list) ? ", looking up functions" : "");
	a->dirty = true;
}

/* ---------------------------------------------------------------- the space */

/* How many lines the result line may take: long errors matter. */
int app_message_rows(const struct app *a)
{
	const char *text = a->question ? a->asked : a->prompt ? a->prompt_why : a->message;
	int need = 0, most = a->rows >= 16 ? 4 : a->question ? 3 : 2;

	for (const char *next; *text && need < most; text = next, need++)
		text_wrap(text, a->columns, &next);
	return need ? need : 1;
}

/* Free lines under a short list, or a third of a tall screen, go to the program's output. */
static int app_output_rows(const struct app *a, int room)
{
	int spare = room - (int)a->model.row_count - 1;

	if (!a->program.used)
		return 0;
	if (spare >= 5)
		return spare > room * 2 / 3 ? room * 2 / 3 : spare;
	return room >= 14 ? room / 3 : 0;
}

/* Details: beside the list where that keeps its 80 columns, else below it on a tall screen. */
static void app_pane(const struct app *a, struct app_layout *l, int top, int bottom)
{
	int room = bottom - top;

	l->list_columns = a->columns;
	if (a->hidden & 1u << COLUMN_DETAIL || !a->model.row_count)
		return;
	if (a->columns >= APP_PANE_COLUMNS + 81) {
		l->pane = (struct area){.y = top - l->heading, .rows = room + l->heading};
		l->pane_left = a->columns - APP_PANE_COLUMNS;
		l->list_columns = l->pane_left - 1;
	} else if (a->columns >= APP_PANE_COLUMNS && room >= 3 * APP_PANE_ROWS && !l->output.rows) {
		int spare = room - (int)a->model.row_count - 1, most = room / 2;

		l->pane.rows = spare < APP_PANE_ROWS ? APP_PANE_ROWS : spare > most ? most : spare;
		l->pane.y = bottom - l->pane.rows;
	}
}

void app_areas(const struct app *a, struct app_layout *l)
{
	bool roomy = a->rows >= 16;
	int y, bottom;

	memset(l, 0, sizeof *l);
	l->header.rows = roomy ? 3 : 2;
	l->heading = roomy;
	l->footer = (struct area){.y = a->rows - 1, .rows = 1};
	l->message.rows = app_message_rows(a);
	l->message.y = l->footer.y - l->message.rows + (a->question != ASK_NONE);
	l->below.rows = roomy ? 2 : 1; /* a question takes the footer's line, too */
	l->below.y = l->message.y - l->below.rows;
	y = l->header.rows + l->heading;
	bottom = l->below.y;
	l->output.rows = app_output_rows(a, bottom - y);
	l->output.y = bottom - l->output.rows;
	app_pane(a, l, y, l->output.y);
	l->list = (struct area){.y = y, .rows = l->output.y - y};
	if (!l->pane_left)
		l->list.rows -= l->pane.rows;
}

int app_text_rows(const struct app *a)
{
	/* around it: a heading (or a box) and the footer */
	int around = (a->view == VIEW_DENIED ? 4 : 2) + app_message_rows(a);

	return a->rows > around ? a->rows - around : 1;
}

/* Over the processes: title, filter, headings; under them: counts, message, footer. */
static int app_picker_rows(const struct app *a)
{
	int rows = a->rows - APP_PICKER_ABOVE - 2 - app_message_rows(a);

	return rows > 0 ? rows : 1;
}

static int app_compare_pairs(const void *x, const void *y, void *data)
{
	const struct app *a = data;
	const struct pairs_one *one = &a->pairs.all[*(const uint32_t *)x];
	const struct pairs_one *two = &a->pairs.all[*(const uint32_t *)y];
	int order = strcmp(a->model.rows[one->start].label, a->model.rows[two->start].label);

	return order ? order : (one > two) - (one < two);
}

/* The pairs of which the filter lets a half through, in the order of their names. */
static void app_show_pairs(struct app *a)
{
	uint32_t *ids = mem_array(a->pairs.count, sizeof *ids);
	size_t count = 0;

	for (size_t i = 0; i < a->pairs.count; i++) {
		if (list_passes(&a->list, a->pairs.all[i].start) ||
			list_passes(&a->list, a->pairs.all[i].end))
			ids[count++] = (uint32_t)i;
	}
	qsort_r(ids, count, sizeof *ids, app_compare_pairs, a);
	rowlist_set(&a->pair_rows, ids, count);
	rowlist_resize(&a->pair_rows, app_text_rows(a) - 1);
	free(ids);
}

void app_layout(struct app *a)
{
	struct app_layout l;

	app_areas(a, &l);
	rowlist_resize(&a->list.rows, l.list.rows);
	if (a->picker.used)
		rowlist_resize(&a->picker.rows, app_picker_rows(a));
	if (a->view == VIEW_PAIRS)
		app_show_pairs(a);
	if (a->view == VIEW_DENIED)
		denied_build(&a->lines, &a->access, a->title, a->columns);
	pager_scroll(&a->lines, 0, app_text_rows(a));
	program_resize(&a->program, a->rows - 3, a->columns);
}

/* ---------------------------------------------------------------- the glance */

void app_glance(struct app *a)
{
	struct app_layout l;

	app_areas(a, &l);
	glance_update(&a->glance, &a->model, list_current(&a->list), l.pane.rows - 1,
		a->columns - l.pane_left);
}

int64_t app_glance_wait(const struct app *a)
{
	int64_t wait = a->last_key_ms + APP_GLANCE_MS - app_now_ms();

	if (a->view != VIEW_LIST || a->prompt || a->glance.row == MODEL_NONE || a->glance.looked)
		return -1;
	return wait > 0 ? wait : 0;
}

void app_glance_look(struct app *a)
{
	glance_look(&a->glance, &a->model);
	a->dirty = true;
}
