/*
 * The screen from start to end: open the targets, take the terminal, run the loop (wait, handle
 * events, draw one frame), release everything.
 */
#include "ui/tui/tui.h"

#include "ui/output/outbuf.h"
#include "ui/tui/actions/act.h"
#include "ui/tui/app/app.h"
#include "ui/tui/app/new_children.h"
#include "ui/tui/app/objects.h"
#include "ui/tui/app/targets_load.h"
#include "ui/tui/frame.h"
#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/screen.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/terminal/tty.h"
#include "ui/tui/terminal/typing.h"
#include "ui/tui/views/view.h"
#include "ui/words/report.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define TUI_FULL_SHARE 20    /* refreshing all rows may take 1/20 of the time */
#define TUI_MAX_WAIT_MS 1000 /* bounds the delay of the lease */
#define TUI_WHEEL_LINES 3
#define TUI_DOUBLE_CLICK_MS 400
#define TUI_FAREWELL_S 2          /* how long a stalled terminal may delay the last message */
#define TUI_LEASE_MS (15 * 60000) /* default of -lease */

/* ---------------------------------------------------------------- the loop */

struct tui {
	struct app *app;
	struct canvas canvas;
	int signals;         /* signalfd */
	int64_t next_ms;     /* next refresh of the rows shown */
	int64_t next_all_ms; /* next refresh of all rows */
	struct {
		int y; /* the line of the last click, if it was on a row; else -1 */
		int64_t ms;
	} clicked;
};

/* Block the signals that the loop handles. Returns a signalfd for them, or a negative errno. */
static int tui_signals(void)
{
	static const int wanted[] = {
		SIGHUP, SIGTERM, SIGINT, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT, SIGCHLD};
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		sigaddset(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	outbuf_outlive();
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void tui_resized(struct app *a)
{
	screen_size(&a->rows, &a->columns);
	if (app_view(a)->build)
		app_view(a)->build(a); /* wraps texts again */
	app_layout(a);
	a->dirty = true;
}

static void tui_program_ended(struct app *a)
{
	char end[128];

	a->output.typing = false;
	app_refresh(a, true);
	app_remark(a, REMARK_END, a->program.status != 0, "process %d %s", (int)a->program.pid,
		program_end(&a->program, end, sizeof end));
	app_layout(a);
}

static void tui_signal(struct app *a, int signal)
{
	switch (signal) {
	case SIGWINCH:
	case SIGCONT:
		screen_resize();
		if (signal == SIGCONT && screen_foreground())
			screen_resume();
		tui_resized(a);
		break;
	case SIGTSTP:
		a->suspend = true;
		break;
	case SIGCHLD:
		if (program_reap(&a->program))
			tui_program_ended(a);
		break;
	default:
		act_leave_signal(a, signal);
	}
}

/* On a key of the footer, a heading or a row; a second click on a row does what Enter does. */
static void tui_click(struct tui *l)
{
	struct app *a = l->app;
	int64_t now = now_ms();
	bool twice, row;
	int y, x;

	screen_click(&y, &x);
	twice = y == l->clicked.y && now - l->clicked.ms < TUI_DOUBLE_CLICK_MS;
	if (frame_request(a, y, x)) {
		act(a, frame_request(a, y, x));
		row = false;
	} else {
		row = app_view(a)->click && app_view(a)->click(a, y, x);
		if (row && twice)
			act(a, request_of_key_now(K_ENTER, app_view(a)->where, app_have(a)));
	}
	l->clicked.y = row && !twice ? y : -1;
	l->clicked.ms = now;
}

static void tui_key(struct tui *l, uint32_t key)
{
	struct app *a = l->app;
	bool asking = a->question.kind || a->prompt.ops;
	char unknown[96];

	a->last_key_ms = now_ms();
	a->dirty = true;
	a->message.answer = false;
	a->message.answering = true;
	if (a->message.passing)
		a->message.text[0] = '\0';
	if (a->rows < FRAME_ROWS || a->columns < FRAME_COLUMNS) {
		/* Nothing is visible on a terminal this small: only quit. */
		if (!asking && request_of_key(key, IN_LIST) == REQUEST_QUIT)
			act_leave(a, REQUEST_QUIT);
	} else if (key >= K_CLICK && key <= K_WHEEL_DOWN) {
		if (key == K_CLICK && !asking)
			tui_click(l);
		for (int i = 0; key != K_CLICK && !asking && i < TUI_WHEEL_LINES; i++)
			act(a, key == K_WHEEL_UP ? REQUEST_UP : REQUEST_DOWN);
	} else if (a->question.kind) {
		act_answer(a, key);
	} else if (a->prompt.ops) {
		act_prompt_key(a, key);
	} else if (request_of_key(key, app_view(a)->where)) {
		act(a, request_of_key_now(key, app_view(a)->where, app_have(a)));
	} else {
		app_pass(
			a, "%s", request_unknown(key, app_view(a)->where, unknown, sizeof unknown));
	}
	a->message.answering = false;
	app_layout(a);
}

/* Refresh the rows shown; all rows less often if that is slow. */
static void tui_refresh(struct tui *l)
{
	struct app *a = l->app;
	int64_t now = now_ms(), took;
	bool all = now >= l->next_all_ms;

	if (now < l->next_ms)
		return;
	l->next_ms = now + a->refresh_ms;
	a->dirty = true; /* the screen shows times */
	if (a->frozen || !a->model.process_count)
		return;
	app_refresh(a, all);
	took = now_ms() - now;
	if (all)
		l->next_all_ms = now + took * TUI_FULL_SHARE;
}

/* A stopped process misses its lease: let a timer continue it when the lease expires. */
static void tui_arm(timer_t timer, int64_t after_ms)
{
	struct itimerspec when = {0};

	if (after_ms >= 0)
		after_ms += 10; /* not before the lease has expired */
	when.it_value.tv_sec = after_ms > 0 ? after_ms / 1000 : 0;
	when.it_value.tv_nsec = after_ms > 0 ? after_ms % 1000 * 1000000 : 0;
	timer_settime(timer, 0, &when, NULL);
}

/* Is a signal pending that ends the screen? */
static bool tui_ending(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGHUP) || sigismember(&pending, SIGTERM) ||
	       sigismember(&pending, SIGINT) || sigismember(&pending, SIGQUIT);
}

/* Stop until the job is in the foreground again, or a signal ends the screen. */
static void tui_suspend(struct app *a)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
	size_t changed = model_changed(&a->model);
	char message[128] = "";
	timer_t timer;
	bool timed = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;

	a->suspend = false;
	if (changed)
		snprintf(message, sizeof message,
			"probes-tui: %zu probe%s as this session switched %s; fg returns\n",
			changed, changed == 1 ? " stays" : "s stay", changed == 1 ? "it" : "them");
	if (timed)
		tui_arm(timer, app_lease_remaining(a));
	if (!screen_suspend(message)) {
		app_complain(a, "there is no shell here to suspend to");
	} else {
		while (!screen_foreground() && !tui_ending()) {
			act_leave_lease(a);
			if (timed)
				tui_arm(timer, app_lease_remaining(a));
			raise(SIGSTOP);
		}
		if (screen_foreground())
			screen_resume();
	}
	if (timed)
		timer_delete(timer);
	tui_resized(a);
	app_refresh(a, true);
}

static int64_t tui_sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void tui_turn(struct tui *l)
{
	static void (*const polls[])(struct app *) = {act_question_poll, act_count_begin,
		act_count_limit, act_latency_limit, act_events_poll, act_replay_poll, objects_poll,
		new_children_poll, act_leave_lease, act_leave_wait};
	struct app *a = l->app;
	int64_t wait = tui_sooner(l->next_ms - now_ms(), TUI_MAX_WAIT_MS);
	const int64_t due[] = {app_view(a)->wait ? app_view(a)->wait(a) : -1, act_events_wait(a),
		act_replay_wait(a), model_keep_wait(&a->model, now_ms()),
		a->leaving.ending ? 100 : -1};
	struct pollfd fds[] = {
		{.fd = 0, .events = POLLIN},
		{.fd = l->signals, .events = POLLIN},
		{.fd = a->program.used && !a->program.output_ended ? a->program.relay.channel : -1,
			.events = POLLIN},
		{.fd = tty_busy() ? tty_fd() : -1, .events = POLLOUT},
		{.fd = program_unsent(&a->program) ? a->program.master : -1, .events = POLLOUT},
	};
	struct signalfd_siginfo info;
	uint32_t key;

	for (size_t i = 0; i < sizeof due / sizeof *due; i++)
		wait = due[i] >= 0 ? tui_sooner(wait, due[i]) : wait;
	if (list_is_looking(&a->list) || program_behind(&a->program))
		wait = 0;
	poll(fds, sizeof fds / sizeof *fds, wait > 0 ? (int)wait : 0);
	while (fds[1].revents && !a->quit &&
		read(l->signals, &info, sizeof info) == (ssize_t)sizeof info)
		tui_signal(a, (int)info.ssi_signo);
	if (fds[3].revents)
		tty_send();
	if (!a->quit && (fds[2].revents || fds[4].revents & POLLOUT || program_behind(&a->program)))
		view_output_read(a);
	if (!a->quit && fds[0].revents & POLLIN) {
		bool any = true;

		while (any && !a->quit && !a->suspend) {
			if (a->output.typing)
				any = view_output_keys(a);
			else if ((any = screen_key(&key)))
				tui_key(l, key);
		}
	}
	if (!a->quit && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		act_leave_signal(a, SIGHUP);
	if (!a->quit && list_is_looking(&a->list))
		act_find_look_on(a);
	if (!a->quit && app_view(a)->poll)
		app_view(a)->poll(a);
	if (!a->quit)
		model_keep_hits(&a->model, now_ms());
	if (!a->quit)
		tui_refresh(l);
	for (size_t i = 0; i < sizeof polls / sizeof *polls && !a->quit; i++)
		polls[i](a);
	if (a->suspend && !a->quit)
		tui_suspend(a);
}

/* Run until app.quit; the screen is open. */
static void tui_loop(struct app *a, int signals)
{
	struct tui l = {.app = a, .signals = signals, .clicked.y = -1};

	canvas_init(&l.canvas);
	tui_resized(a);
	if (program_reap(&a->program)) /* it may have ended before SIGCHLD was blocked */
		tui_program_ended(a);
	l.next_ms = now_ms() + a->refresh_ms;
	while (!a->quit) {
		char pids[200] = "", touched[400];

		/* A crash handler cannot format: prepare the message on each turn. */
		for (size_t i = 0; i < a->model.process_count; i++)
			if (strlen(pids) + 16 < sizeof pids)
				text_addf(pids, sizeof pids, "%s%d", i ? "," : "",
					(int)a->model.processes[i].pid);
		snprintf(touched, sizeof touched,
			"probes-tui crashed. The target runs on, with what was switched in it: "
			"probes-tui repair -pid %s undoes that",
			pids);
		screen_crash_message(
			"probes-tui crashed. It had changed nothing.", touched, &a->model.switched);
		if (a->dirty && !tty_busy()) { /* a stalled terminal gets the next frame later */
			if (a->redraw)
				screen_invalidate();
			app_layout(a); /* messages and states changed since the last key */
			frame_draw(a, &l.canvas);
			app_drawn(a);
			typing_mark(a->output.typing);
			screen_show(&l.canvas, a->question.kind && !a->question.drawn);
			a->dirty = a->redraw = false;
		}
		a->question.drawn |= a->question.kind && !a->dirty && !tty_busy();
		tui_turn(&l);
	}
	canvas_done(&l.canvas);
}

/* ---------------------------------------------------------------- from start to end */

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
	int signals = tui_signals();

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
	tui_loop(a, signals);
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
