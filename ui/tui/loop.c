#include "ui/tui/loop.h"

#include "ui/output/outbuf.h"
#include "ui/tui/actions/act.h"
#include "ui/tui/app/new_children.h"
#include "ui/tui/app/objects.h"
#include "ui/tui/frame.h"
#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/screen.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/terminal/tty.h"
#include "ui/tui/views/view.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define LOOP_FULL_SHARE 20    /* refreshing all rows may take 1/20 of the time */
#define LOOP_MAX_WAIT_MS 1000 /* bounds the delay of the lease */
#define LOOP_WHEEL_LINES 3
#define LOOP_DOUBLE_CLICK_MS 400

struct loop {
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

int loop_signals(void)
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

static void loop_resized(struct app *a)
{
	screen_size(&a->rows, &a->columns);
	if (app_view(a)->build)
		app_view(a)->build(a); /* wraps texts again */
	app_layout(a);
	a->dirty = true;
}

static void loop_program_ended(struct app *a)
{
	char end[128];

	a->output.typing = false;
	app_refresh(a, true);
	app_remark(a, REMARK_END, a->program.status != 0, "process %d %s", (int)a->program.pid,
		program_end(&a->program, end, sizeof end));
	app_layout(a);
}

static void loop_resume(struct app *a)
{
	screen_resume();
	a->pasting = PASTE_NONE; /* the shell got the rest */
}

static void loop_signal(struct app *a, int signal)
{
	switch (signal) {
	case SIGWINCH:
	case SIGCONT:
		screen_resize();
		if (signal == SIGCONT && screen_foreground())
			loop_resume(a);
		else if (signal == SIGCONT) /* no signal says when it is in front again */
			a->suspend = true;
		loop_resized(a);
		break;
	case SIGTSTP:
		a->suspend = true;
		break;
	case SIGCHLD:
		if (program_reap(&a->program))
			loop_program_ended(a);
		break;
	default:
		act_leave_signal(a, signal);
	}
}

/* On a key of the footer, a heading or a row; a second click on a row does what Enter does. */
static void loop_click(struct loop *l)
{
	struct app *a = l->app;
	int64_t now = now_ms();
	bool twice, row;
	int y, x;

	screen_click(&y, &x);
	twice = y == l->clicked.y && now - l->clicked.ms < LOOP_DOUBLE_CLICK_MS;
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

/* Pasted text is no keys: an input line takes the first line of it. False: it is none. */
static bool loop_paste(struct app *a, uint32_t key)
{
	bool line = a->prompt.ops && !a->question.kind;

	if (key == K_PASTE) {
		a->pasting = line ? PASTE_LINE : PASTE_IGNORED;
		if (!line && !a->question.kind)
			app_complain(a,
				"pasted text is ignored here: it would act as keys; press / or "
				"\\ first, and paste again");
	} else if (key == K_PASTED) {
		a->pasting = PASTE_NONE;
	} else if (!a->pasting) {
		return false;
	} else if (!line || key == K_ENTER || key == '\n') {
		a->pasting = PASTE_IGNORED;
	} else if (a->pasting == PASTE_LINE && key >= ' ' && key != K_BACKSPACE &&
		   key < K_SPECIAL) {
		act_prompt_key(a, key);
	}
	return true;
}

static void loop_key(struct loop *l, uint32_t key)
{
	struct app *a = l->app;
	bool asking = a->question.kind || a->prompt.ops;
	char unknown[96];

	a->last_key_ms = now_ms();
	a->dirty = true;
	if (loop_paste(a, key)) {
		app_layout(a);
		return;
	}
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
			loop_click(l);
		for (int i = 0; key != K_CLICK && !asking && i < LOOP_WHEEL_LINES; i++)
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
static void loop_refresh(struct loop *l)
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
		l->next_all_ms = now + took * LOOP_FULL_SHARE;
}

/* A stopped process misses its lease: let a timer continue it when the lease expires. */
static void loop_arm(timer_t timer, int64_t after_ms)
{
	struct itimerspec when = {0};

	if (after_ms >= 0)
		after_ms += 10; /* not before the lease has expired */
	when.it_value.tv_sec = after_ms > 0 ? after_ms / 1000 : 0;
	when.it_value.tv_nsec = after_ms > 0 ? after_ms % 1000 * 1000000 : 0;
	timer_settime(timer, 0, &when, NULL);
}

/* Is a signal pending that ends the screen? */
static bool loop_ending(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGHUP) || sigismember(&pending, SIGTERM) ||
	       sigismember(&pending, SIGINT) || sigismember(&pending, SIGQUIT);
}

/* Stop until the job is in the foreground again, or a signal ends the screen. */
static void loop_suspend(struct app *a)
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
		loop_arm(timer, app_lease_remaining(a));
	if (!screen_suspend(message)) {
		app_complain(a, "there is no shell here to suspend to");
	} else {
		while (!screen_foreground() && !loop_ending()) {
			act_leave_lease(a);
			if (timed)
				loop_arm(timer, app_lease_remaining(a));
			raise(SIGSTOP);
		}
		if (screen_foreground())
			loop_resume(a);
	}
	if (timed)
		timer_delete(timer);
	loop_resized(a);
	app_refresh(a, true);
}

static int64_t loop_sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Wait for events and handle them. */
static void loop_turn(struct loop *l)
{
	static void (*const polls[])(struct app *) = {act_question_poll, act_count_begin,
		act_count_limit, act_latency_limit, act_events_poll, act_replay_poll, objects_poll,
		new_children_poll, act_leave_lease, act_leave_wait};
	struct app *a = l->app;
	int64_t wait = loop_sooner(l->next_ms - now_ms(), LOOP_MAX_WAIT_MS);
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
		wait = due[i] >= 0 ? loop_sooner(wait, due[i]) : wait;
	if (list_is_looking(&a->list) || program_behind(&a->program))
		wait = 0;
	poll(fds, sizeof fds / sizeof *fds, wait > 0 ? (int)wait : 0);
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
				loop_key(l, key);
		}
	}
	/* After the keys: they were typed at a screen of the size that was drawn. */
	while (fds[1].revents && !a->quit &&
		read(l->signals, &info, sizeof info) == (ssize_t)sizeof info)
		loop_signal(a, (int)info.ssi_signo);
	if (!a->quit && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		act_leave_signal(a, SIGHUP);
	if (!a->quit && list_is_looking(&a->list))
		act_find_look_on(a);
	if (!a->quit && app_view(a)->poll)
		app_view(a)->poll(a);
	if (!a->quit)
		model_keep_hits(&a->model, now_ms());
	if (!a->quit)
		loop_refresh(l);
	for (size_t i = 0; i < sizeof polls / sizeof *polls && !a->quit; i++)
		polls[i](a);
	if (a->suspend && !a->quit)
		loop_suspend(a);
}

void loop_run(struct app *a, int signals)
{
	struct loop l = {.app = a, .signals = signals, .clicked.y = -1};

	canvas_init(&l.canvas);
	loop_resized(a);
	if (program_reap(&a->program)) /* it may have ended before SIGCHLD was blocked */
		loop_program_ended(a);
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
			/* The end of a paste is not to be dropped. */
			screen_show(
				&l.canvas, a->question.kind && !a->question.drawn && !a->pasting);
			a->dirty = a->redraw = false;
		}
		a->question.drawn |= a->question.kind && !a->dirty && !tty_busy();
		loop_turn(&l);
	}
	canvas_done(&l.canvas);
}
