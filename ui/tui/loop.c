/*
 * The turns of the screen: keyboard, signals, the program's output, the clock.
 */
#include "ui/tui/loop.h"

#include "ui/tui/actions/act.h"
#include "ui/tui/app/lease.h"
#include "ui/tui/app/objects.h"
#include "ui/tui/app/workers.h"
#include "ui/tui/frame.h"
#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/screen.h"
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

#define LOOP_DEAR 20 /* reading everything may take 1/20 of the time; else only what is seen */

#define LOOP_AWAKE_MS 1000 /* look at the clock at least so often: the lease */

#define LOOP_WHEEL 3 /* lines, for a notch of the mouse's wheel */

struct loop {
	struct app *app;
	struct canvas canvas;
	int64_t next_ms;     /* when to refresh */
	int64_t next_all_ms; /* when to read all rows, not only those shown */
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
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void loop_resized(struct app *a)
{
	screen_size(&a->rows, &a->columns);
	app_layout(a);
	a->dirty = true;
}

static void loop_program_ended(struct app *a)
{
	char end[128];

	a->output.typing = false;
	app_refresh(a, true);
	app_say(a, "process %d %s", (int)a->program.pid, program_end(&a->program, end, sizeof end));
	app_layout(a);
}

static void loop_signal(struct app *a, int signal)
{
	switch (signal) {
	case SIGWINCH:
	case SIGCONT:
		screen_resize();
		if (signal == SIGCONT && screen_foreground())
			screen_resume();
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

static void loop_read_signals(struct app *a, int fd)
{
	struct signalfd_siginfo info;

	while (!a->quit && read(fd, &info, sizeof info) == (ssize_t)sizeof info)
		loop_signal(a, (int)info.ssi_signo);
}

static const char *loop_spell(uint32_t key, char *out, size_t size)
{
	if (key >= 0x7f && key < K_SPECIAL)
		snprintf(out, size, "that key");
	else
		key_spell(key, out, size);
	return out;
}

/* Nothing can be seen on a terminal that is too small: then nothing is done but leaving. */
static void loop_blind_key(struct app *a, uint32_t key)
{
	if (!a->question.kind && !a->prompt.ops && request_of_key(key, IN_LIST) == REQUEST_QUIT)
		act_leave(a, REQUEST_QUIT);
}

/* Only looks and moves: a click that was meant for another window switches nothing. */
static void loop_mouse(struct app *a, uint32_t key)
{
	int y, x;

	if (a->question.kind || a->prompt.ops)
		return;
	screen_click(&y, &x);
	if (key == K_CLICK && app_view(a)->click)
		app_view(a)->click(a, y);
	for (int i = 0; key != K_CLICK && i < LOOP_WHEEL; i++)
		act(a, key == K_WHEEL_UP ? REQUEST_UP : REQUEST_DOWN);
}

static void loop_key(struct app *a, uint32_t key)
{
	char name[16];

	a->last_key_ms = app_now_ms();
	a->dirty = true;
	if (a->rows < FRAME_ROWS || a->columns < FRAME_COLUMNS)
		loop_blind_key(a, key);
	else if (key >= K_CLICK && key <= K_WHEEL_DOWN)
		loop_mouse(a, key);
	else if (a->question.kind)
		act_answer(a, key);
	else if (a->prompt.ops)
		act_prompt_key(a, key);
	else if (request_of_key(key, app_view(a)->where))
		act(a, request_of_key_now(key, app_view(a)->where, app_have(a)));
	else
		app_say(a, "%s does nothing here; ? says what does",
			loop_spell(key, name, sizeof name));
	app_layout(a);
}

static void loop_read_keys(struct app *a)
{
	uint32_t key;

	if (a->output.typing)
		view_output_keys(a);
	while (!a->output.typing && !a->quit && !a->suspend && screen_key(&key))
		loop_key(a, key);
}

static void loop_draw(struct loop *l)
{
	struct app *a = l->app;

	if (!a->dirty || tty_busy()) /* a line that hangs or is slow: what is new then is drawn */
		return;
	if (a->redraw)
		screen_forget();
	frame_draw(a, &l->canvas);
	screen_show(&l->canvas);
	a->dirty = a->redraw = false;
}

/* Read the states. When reading all of them is dear, do that less often than what is shown. */
static void loop_refresh(struct loop *l)
{
	struct app *a = l->app;
	int64_t now = app_now_ms(), took;
	bool all = now >= l->next_all_ms;

	if (now < l->next_ms)
		return;
	l->next_ms = now + a->refresh_ms;
	a->dirty = true; /* times are shown */
	if (a->frozen || !a->model.process_count)
		return;
	app_refresh(a, all);
	took = app_now_ms() - now;
	if (all)
		l->next_all_ms = now + took * LOOP_DEAR;
}

/* A signal that ends us waits to be heard. */
static bool loop_ending(void)
{
	static const int ends[] = {SIGHUP, SIGTERM, SIGINT, SIGQUIT};
	sigset_t waiting;

	sigpending(&waiting);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		if (sigismember(&waiting, ends[i]))
			return true;
	}
	return false;
}

/* While we are stopped the clock goes on: a timer continues us when the lease runs out. */
static void loop_wake(timer_t timer, int64_t after_ms)
{
	struct itimerspec when = {0};

	if (after_ms >= 0)
		after_ms += 10; /* not before it has */
	when.it_value.tv_sec = after_ms > 0 ? after_ms / 1000 : 0;
	when.it_value.tv_nsec = after_ms > 0 ? after_ms % 1000 * 1000000 : 0;
	timer_settime(timer, 0, &when, NULL);
}

/* Stopped, until in the foreground again, or until a signal ends us. */
static void loop_stopped(struct app *a, const char *words)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
	timer_t timer;
	bool timed = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;

	if (timed)
		loop_wake(timer, lease_left(a));
	if (!screen_suspend(words)) {
		app_complain(a, "there is no shell here to suspend to");
	} else {
		while (!screen_foreground() && !loop_ending()) {
			act_leave_lease(a);
			if (timed)
				loop_wake(timer, lease_left(a));
			raise(SIGSTOP);
		}
		if (screen_foreground())
			screen_resume();
	}
	if (timed)
		timer_delete(timer);
}

static void loop_suspend(struct app *a)
{
	size_t changed = model_changed(&a->model);
	char words[128] = "";

	a->suspend = false;
	if (changed)
		snprintf(words, sizeof words,
			"probes-tui: %zu probe%s as this session switched %s; fg returns\n",
			changed, changed == 1 ? " stays" : "s stay", changed == 1 ? "it" : "them");
	loop_stopped(a, words);
	loop_resized(a);
	app_refresh(a, true);
}

static void loop_turn(struct loop *l, int signals)
{
	struct app *a = l->app;
	int64_t wait = l->next_ms - app_now_ms();
	int64_t due = app_view(a)->wait ? app_view(a)->wait(a) : -1;
	struct pollfd fds[] = {
		{.fd = 0, .events = POLLIN},
		{.fd = signals, .events = POLLIN},
		{.fd = a->program.used && !a->program.output_ended ? a->program.keeper.channel : -1,
			.events = POLLIN},
		{.fd = tty_busy() ? tty_fd() : -1, .events = POLLOUT},
	};

	if (due >= 0 && wait > due)
		wait = due;
	if (wait > LOOP_AWAKE_MS)
		wait = LOOP_AWAKE_MS;
	if (wait > 100 && a->leaving.ending)
		wait = 100;
	if (list_is_looking(&a->list))
		wait = 0;
	poll(fds, 4, wait > 0 ? (int)wait : 0);
	if (fds[1].revents)
		loop_read_signals(a, signals);
	if (fds[3].revents)
		tty_send();
	if (!a->quit && fds[2].revents)
		view_output_read(a);
	if (!a->quit && fds[0].revents & POLLIN)
		loop_read_keys(a);
	if (!a->quit && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		act_leave_signal(a, SIGHUP);
	if (!a->quit && list_is_looking(&a->list))
		act_find_look_on(a);
	if (!a->quit && app_view(a)->poll)
		app_view(a)->poll(a);
	if (!a->quit)
		loop_refresh(l);
	if (!a->quit)
		objects_poll(a);
	if (!a->quit)
		workers_poll(a);
	if (!a->quit)
		act_leave_lease(a);
	if (!a->quit)
		act_leave_wait(a);
	if (a->suspend && !a->quit)
		loop_suspend(a);
}

/* All that may be said by then must be ready before: a crash can compose nothing. */
static void loop_last_words(const struct app *a)
{
	char pids[200] = "", left[400];

	for (size_t i = 0; i < a->model.process_count; i++) {
		size_t used = strlen(pids);

		if (used + 16 < sizeof pids)
			snprintf(pids + used, sizeof pids - used, "%s%d", used ? "," : "",
				(int)a->model.processes[i].pid);
	}
	snprintf(left, sizeof left,
		"probes-tui crashed. The target runs on, with what was switched in it: "
		"probes-tui repair -pid %s undoes that",
		pids);
	screen_last_words("probes-tui crashed. It had changed nothing.", left, &a->model.switched);
}

void loop_run(struct app *a, int signals)
{
	struct loop l = {.app = a};

	canvas_init(&l.canvas);
	loop_resized(a);
	if (program_reap(&a->program)) /* it may have ended before we listened */
		loop_program_ended(a);
	l.next_ms = app_now_ms() + a->refresh_ms;
	while (!a->quit) {
		loop_last_words(a);
		loop_draw(&l);
		loop_turn(&l, signals);
	}
	canvas_done(&l.canvas);
}
