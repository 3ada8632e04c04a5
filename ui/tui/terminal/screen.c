#include "ui/tui/terminal/screen.h"

#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/paint.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/terminal/theme.h"
#include "ui/tui/terminal/tty.h"
#include "ui/tui/terminal/typing.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>
#undef columns /* term.h defines capability names as macros */
#undef lines

/* Prepared for the crash handler, which must not call curses or allocate. */
static struct {
	pid_t owner;
	char restore[256]; /* terminal output: leave the alternate screen, show the cursor */
	char untouched[512], touched[512]; /* the message, by *changed */
	const bool *changed;               /* NULL: false */
	int fd; /* of the message: standard error unless that is a terminal; -1: the terminal */
} screen_crash;

static SCREEN *screen_curses;
static bool screen_released; /* suspended: the shell has the terminal */

/* ---------------------------------------------------------------- crashes */

static void screen_die(int signal)
{
	if (getpid() == screen_crash.owner) {
		bool changed = screen_crash.changed && *screen_crash.changed;
		const char *message = changed ? screen_crash.touched : screen_crash.untouched;
		int fd = tty_fd(); /* non-blocking: the terminal may stall */
		ssize_t ignored = write(fd, screen_crash.restore, strlen(screen_crash.restore));

		tcsetattr(0, TCSANOW, tty_before());
		ignored =
			write(screen_crash.fd < 0 ? fd : screen_crash.fd, message, strlen(message));
		(void)ignored;
	}
	raise(signal); /* with the default action: SA_RESETHAND */
}

/* Append a terminal capability to the restore sequence, without its padding. */
static void screen_add_capability(const char *name)
{
	char capability[16];
	const char *s;
	size_t n = strlen(screen_crash.restore);

	snprintf(capability, sizeof capability, "%s", name);
	s = tigetstr(capability);
	if (!s || s == (char *)-1)
		return;
	while (*s && n + 1 < sizeof screen_crash.restore) {
		if (s[0] == '$' && s[1] == '<' && strchr(s, '>'))
			s = strchr(s, '>') + 1;
		else
			screen_crash.restore[n++] = *s++;
	}
	screen_crash.restore[n] = '\0';
}

static void screen_watch_crashes(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
	static char stack[65536]; /* after a stack overflow the handler needs another stack */
	stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction action = {
		.sa_handler = screen_die, .sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK};

	screen_crash.owner = getpid();
	screen_crash.fd = isatty(2) ? -1 : 2;
	strcpy(screen_crash.restore, TYPING_UNMARK);
	screen_add_capability("sgr0");
	screen_add_capability("rmkx");
	screen_add_capability("cnorm");
	screen_add_capability("rmcup");
	sigaltstack(&alternative, NULL);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
}

void screen_crash_message(const char *untouched, const char *touched, const bool *changed)
{
	snprintf(screen_crash.untouched, sizeof screen_crash.untouched, "\r\n%s\r\n", untouched);
	snprintf(screen_crash.touched, sizeof screen_crash.touched, "\r\n%s\r\n", touched);
	screen_crash.changed = changed;
}

/* ---------------------------------------------------------------- opening */

/* The terminal type for curses: $TERM, or vt100 if $TERM cannot move the cursor. NULL: unknown. */
static const char *screen_type(char *why, size_t size)
{
	const char *term = getenv("TERM"), *move_cursor;
	int status;

	if (!term || !*term) {
		snprintf(why, size,
			"TERM is not set; try: TERM=xterm probes-tui ..., or probes-tui list");
		return NULL;
	}
	if (setupterm(NULL, 1, &status) == OK) {
		move_cursor = tigetstr("cup");
		del_curterm(cur_term);
		if (move_cursor && move_cursor != (const char *)-1)
			return term;
	} else if (status <= 0) { /* 1: known, but generic or a hardcopy terminal */
		snprintf(why, size,
			"unknown terminal type TERM=%.40s; try: TERM=xterm probes-tui ..., or "
			"probes-tui list",
			term);
		return NULL;
	}
	snprintf(why, size, "TERM=%.40s cannot move its cursor: drawn as for a vt100", term);
	return "vt100";
}

const char *screen_emulated(void)
{
	static const char best[] = "xterm-256color";
	bool known;
	int status;

	known = setupterm(best, 1, &status) == OK;
	if (known)
		del_curterm(cur_term);
	return known ? best : "xterm";
}

/* The styles have the pairs below this one; the others are for paint.c. */
#define SCREEN_PAIRS (2 * STYLE_COUNT + 1)

static struct screen_look {
	attr_t attributes;
	short pair;             /* 0: the terminal's own colours */
} screen_looks[2][STYLE_COUNT]; /* the second: with STYLE_REVERSE */

static void screen_colors(const struct screen_options *o)
{
	static const struct {
		unsigned attribute;
		attr_t curses;
	} attributes[] = {
		{THEME_BOLD, A_BOLD},
		{THEME_FAINT, A_DIM},
		{THEME_UNDERLINE, A_UNDERLINE},
		{THEME_REVERSE, A_REVERSE},
	};
	const char *no_color = getenv("NO_COLOR");
	enum theme_id theme = theme_choose(o->theme, getenv("COLORFGBG"));
	short pairs = 1;

	if (o->no_color || (no_color && *no_color) || !has_colors())
		theme = THEME_MONO;
	if (theme != THEME_MONO) {
		start_color();
		use_default_colors();
		if (COLOR_PAIRS < SCREEN_PAIRS)
			theme = THEME_MONO;
	}
	for (int i = 0; i < 2 * STYLE_COUNT; i++) {
		struct theme_look look = theme_look(
			theme, COLORS, i % STYLE_COUNT | (i < STYLE_COUNT ? 0 : STYLE_REVERSE));
		struct screen_look *s = &screen_looks[i / STYLE_COUNT][i % STYLE_COUNT];

		*s = (struct screen_look){0};
		for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++)
			s->attributes |= look.attributes & attributes[k].attribute
						 ? attributes[k].curses
						 : A_NORMAL;
		if (look.foreground < 0 && look.background < 0)
			continue;
		s->pair = pairs++;
		init_pair(s->pair, look.foreground, look.background);
	}
	paint_open(theme != THEME_MONO, SCREEN_PAIRS);
}

/*
 * newterm writes to a file (tty.c), and asks that for the size of the terminal: without LINES and
 * COLUMNS it would take the size in terminfo, and leave a scroll region of 24 lines.
 */
static SCREEN *screen_new(const char *type, FILE *out)
{
	static const char *const names[] = {"LINES", "COLUMNS"};
	struct winsize size = {0};
	char *before[2], number[16];
	SCREEN *screen;

	if (ioctl(1, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
		return newterm(type, out, stdin);
	for (int i = 0; i < 2; i++) {
		before[i] = getenv(names[i]) ? strdup(getenv(names[i])) : NULL;
		snprintf(number, sizeof number, "%u", (unsigned)(i ? size.ws_col : size.ws_row));
		setenv(names[i], number, 1);
	}
	screen = newterm(type, out, stdin);
	for (int i = 0; i < 2; i++) {
		if (before[i])
			setenv(names[i], before[i], 1);
		else
			unsetenv(names[i]);
		free(before[i]);
	}
	return screen;
}

int screen_open(const struct screen_options *o, char *why, size_t size)
{
	const char *type;
	char safe[128], *told;
	FILE *out;

	why[0] = '\0';
	if (!isatty(0) || !isatty(1)) {
		snprintf(why, size, "standard %s is not a terminal; try: probes-tui list",
			isatty(0) ? "output" : "input");
		return -1;
	}
	setlocale(LC_CTYPE, "");
	text_set_utf8(!o->ascii && !strcmp(nl_langinfo(CODESET), "UTF-8"));
	type = screen_type(why, size);
	if (!type)
		return -1;
	out = tty_open();
	screen_curses = out ? screen_new(type, out) : NULL;
	if (!screen_curses) {
		snprintf(why, size, "the terminal type %s cannot be used",
			text_clean(type, safe, sizeof safe));
		if (out)
			tty_close(false);
		return -1;
	}
	screen_resize();
	screen_colors(o);
	raw(); /* ^C and ^Z are keys. tty.c set the modes; these calls inform curses. */
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	/* Keys have 8 bits; newterm saw a file instead of a terminal, and assumes 7. Do not
	 * send meta_on: the terminal would then mark the Alt key in the eighth. */
	told = meta_on;
	meta_on = NULL;
	meta(stdscr, TRUE);
	meta_on = told;
	intrflush(stdscr, FALSE);
	typeahead(-1); /* do not interrupt a frame when a key arrives */
	if (!getenv("ESCDELAY"))
		set_escdelay(25);
	curs_set(0);
	if (o->mouse) {
		mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
		mouseinterval(0); /* a press is a click: do not wait for a second one */
	}
	typing_mark();
	screen_watch_crashes();
	return 0;
}

bool screen_close(void)
{
	bool sent;

	if (!screen_curses)
		return true;
	if (!screen_released) {
		tty_put(TYPING_UNMARK);
		endwin();
	}
	delscreen(screen_curses);
	sent = tty_close(screen_released);
	screen_curses = NULL;
	screen_crash.owner = 0;
	return sent;
}

/* ---------------------------------------------------------------- drawing */

void screen_show(const struct canvas *c, bool asks)
{
	bool cursor = c->cursor_y >= 0;

	if (screen_released)
		return;
	erase();
	paint_frame();
	for (const struct canvas_span *s = c->spans; s < c->spans + c->span_count; s++) {
		const struct screen_look *look;
		struct paint_look paint;

		if (s->style == STYLE_COUNT) {
			paint = paint_look(&s->paint);
			attr_set((attr_t)paint.attributes, paint.pair, NULL);
		} else {
			look = &screen_looks[!!(s->style & STYLE_REVERSE)]
					    [s->style & ~STYLE_REVERSE];
			attr_set(look->attributes, look->pair, NULL);
		}
		mvaddstr(s->y, s->x, canvas_text(c, s));
	}
	attr_set(A_NORMAL, 0, NULL);
	curs_set(cursor);
	move(cursor ? c->cursor_y : c->rows - 1, cursor ? c->cursor_x : 0);
	wnoutrefresh(stdscr);
	doupdate();
	if (asks) { /* curses' own keys, and those that the kernel holds */
		flushinp();
		tcflush(0, TCIFLUSH);
	}
	tty_send();
}

void screen_invalidate(void)
{
	clearok(stdscr, TRUE);
}

void screen_size(int *rows, int *columns)
{
	getmaxyx(stdscr, *rows, *columns);
}

void screen_resize(void)
{
	struct winsize size;

	if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
		resizeterm(size.ws_row, size.ws_col);
}

/* ------------------------------------------------------------------- keys */

static MEVENT screen_event;

void screen_click(int *y, int *x)
{
	*y = screen_event.y;
	*x = screen_event.x;
}

bool screen_key(uint32_t *key)
{
	static const struct {
		wint_t curses;
		uint32_t key;
	} keys[] = {
		{KEY_UP, K_UP},
		{KEY_DOWN, K_DOWN},
		{KEY_LEFT, K_LEFT},
		{KEY_RIGHT, K_RIGHT},
		{KEY_PPAGE, K_PAGE_UP},
		{KEY_NPAGE, K_PAGE_DOWN},
		{KEY_HOME, K_HOME},
		{KEY_END, K_END},
		{KEY_DC, K_DELETE},
		{KEY_BACKSPACE, K_BACKSPACE},
		{KEY_ENTER, K_ENTER},
	};
	wint_t code;
	int kind;

	while ((kind = get_wch(&code)) != ERR) {
		*key = 0;
		if (kind != KEY_CODE_YES)
			*key = code == '\n' ? K_ENTER : (uint32_t)code;
		else if (code >= KEY_F(1) && code <= KEY_F(10))
			*key = K_F1 + (uint32_t)(code - KEY_F(1));
		else if (code == KEY_MOUSE && getmouse(&screen_event) == OK)
			*key = screen_event.bstate & BUTTON4_PRESSED   ? K_WHEEL_UP
			       : screen_event.bstate & BUTTON5_PRESSED ? K_WHEEL_DOWN
			       : screen_event.bstate & BUTTON1_PRESSED ? K_CLICK
								       : 0;
		for (size_t i = 0; kind == KEY_CODE_YES && i < sizeof keys / sizeof *keys; i++)
			if (keys[i].curses == code)
				*key = keys[i].key;
		if (kind == KEY_CODE_YES && typing_paste((int)code))
			*key = typing_paste((int)code);
		if (*key)
			return true;
	}
	return false;
}

/* ------------------------------------------------------------- suspension */

void screen_resume(void)
{
	tty_take();
	screen_released = false;
	keypad(stdscr, TRUE); /* sends the terminal's keypad mode again */
	typing_mark();
	screen_resize();
	screen_invalidate();
}

bool screen_foreground(void)
{
	pid_t group = tcgetpgrp(0);

	return group < 0 ? errno == ENOTTY : group == getpgrp(); /* ENOTTY: no job control */
}

bool screen_suspend(const char *message)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, before;
	bool foreground = screen_foreground();
	sigset_t only, mask;

	sigaction(SIGTSTP, NULL, &before);
	if (foreground && before.sa_handler == SIG_IGN)
		return false;
	tty_put(TYPING_UNMARK);
	endwin();
	tty_flush();
	screen_released = true;
	if (!foreground) /* it was stopped from outside: the modes are the shell's already */
		return true;
	tty_release();
	if (write(tty_fd(), message, strlen(message)) < 0)
		errno = 0; /* the terminal stalls: nobody would read the message */
	sigemptyset(&only);
	sigaddset(&only, SIGTSTP);
	sigaction(SIGTSTP, &stop, NULL);
	sigprocmask(SIG_UNBLOCK, &only, &mask);
	kill(0, SIGTSTP); /* the whole job, as the terminal driver does */
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGTSTP, &before, NULL);
	return true;
}
