/*
 * The screen from start to end: open the targets, take the terminal, run the
 * loop, release everything.
 */
#include "ui/tui/tui.h"

#include "ui/tui/actions/act.h"
#include "ui/tui/app/app.h"
#include "ui/tui/app/targets_load.h"
#include "ui/tui/loop.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/screen.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/views/view.h"
#include "ui/words/report.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TUI_FAREWELL_S 2          /* how long a stalled terminal may delay the last message */
#define TUI_LEASE_MS (15 * 60000) /* default of -lease */

static int tui_status;

static void tui_give_up(int signal)
{
	_exit(tui_status);
}

static int tui_fail(const struct probes_error *e)
{
	report_error(e);
	return e->status ? (int)e->status : PROBES_FAILED;
}

/* Take the terminal, resume the program, run the loop. Returns the exit status. */
static int tui_show(struct app *a)
{
	struct screen_options options = {.no_color = a->options->no_color,
		.ascii = a->options->ascii,
		.mouse = a->options->mouse,
		.theme = a->options->theme};
	char why[256], safe[1200];
	struct probes_error e = {0};
	int signals = loop_signals();

	if (signals < 0) {
		report_line("cannot listen to signals: %s", strerror(-signals));
		return PROBES_FAILED;
	}
	if (screen_open(&options, why, sizeof why) < 0) {
		report_line("cannot show the screen: %s", why);
		return PROBES_USAGE;
	}
	if (why[0])
		app_say(a, "%s", why);
	if (a->options->config_error[0])
		app_complain(a, "%s", text_clean(a->options->config_error, safe, sizeof safe));
	screen_size(&a->rows, &a->columns);
	app_size_program(a); /* before it looks */
	act_count_begin(a);  /* from the program's first instruction on */
	if (a->started && !a->options->hold && probes_resume(a->started, &e) < 0) {
		screen_close();
		return tui_fail(&e);
	}
	loop_run(a, signals);
	if (!screen_close())
		a->leaving.farewell[0] = '\0'; /* the terminal stalls: nobody would read it */
	if (a->leaving.signal)
		return 128 + a->leaving.signal;
	return a->leaving.failure[0] ? PROBES_FAILED : 0;
}

int tui_run(const struct options *o)
{
	struct sigaction give_up = {.sa_handler = tui_give_up};
	struct app *a = mem_alloc(sizeof *a);
	struct probes_error e = {0};

	a->options = o;
	a->views = view_table;
	a->hidden = o->hidden_columns;
	a->count_all = o->count;
	a->stop = o->stop ? STOP_YES : STOP_UNASKED;
	a->refresh_ms = o->refresh_ms ? o->refresh_ms : 1000;
	a->lease_ms = o->lease_given ? (int64_t)o->lease_ms : TUI_LEASE_MS;
	a->last_key_ms = now_ms();
	if (audit_open(&a->audit, o, &e) < 0) {
		free(a);
		return tui_fail(&e);
	}
	tui_status = targets_load_all(a, &e) < 0 ? tui_fail(&e) : tui_show(a);
	pager_done(&a->text.pager);
	questions_done(&a->questions);
	script_done(&a->script);
	targets_load_close(a);
	picker_done(&a->picker);
	for (int i = 0; i < PAST_COUNT; i++)
		input_past_done(&a->past[i]);
	search_done(&a->output.search);
	free(a->picked.pids);
	program_done(&a->program);
	audit_close(&a->audit);
	if (a->leaving.farewell[0]) {
		/* Everything is undone and closed: a stalled terminal must not delay the exit. */
		sigaction(SIGALRM, &give_up, NULL);
		alarm(TUI_FAREWELL_S);
		report_line("%s", a->leaving.farewell);
		alarm(0);
	}
	free(a);
	return tui_status;
}
