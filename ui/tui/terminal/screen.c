/*
 * The terminal: curses, its colours, its keys, and that it is left in order.
 */
#include "ui/tui/terminal/screen.h"

#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/terminal/tty.h"

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
#undef columns /* term.h makes names of capabilities out of common words */
#undef lines

/* What the crash handler needs, made ready while all is well. */
static struct {
	pid_t owner;
	char restore[256];          /* leaves the alternate screen, shows the cursor */
	char clean[512], left[512]; /* what to say, where something was changed and where not */
	const bool *changed;        /* which of them; NULL: nothing was */
	int words_fd;               /* standard error where that is no terminal, else -1 */
} screen_crash;

static SCREEN *screen_curses;
static bool screen_color;
static bool screen_given; /* back, while suspended: not ours to touch */

/* ------------------------------------------------------------- a way out */

static void screen_die(int signal)
{
	if (getpid() == screen_crash.owner) {
		bool changed = screen_crash.changed && *screen_crash.changed;
		const char *words = changed ? screen_crash.left : screen_crash.clean;
		int fd = tty_fd(); /* a line that hangs does not keep us */
		ssize_t ignored = write(fd, screen_crash.restore, strlen(screen_crash.restore));

		tcsetattr(0, TCSANOW, tty_before());
		ignored = write(screen_crash.words_fd < 0 ? fd : screen_crash.words_fd, words,
			strlen(words));
		(void)ignored;
	}
	raise(signal); /* the default action now: SA_RESETHAND */
}

static void screen_watch_crashes(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
	static char stack[65536]; /* the one that overflowed cannot be used */
	stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction action = {
		.sa_handler = screen_die, .sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK};

	sigaltstack(&alternative, NULL);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
}

/* Append a capability without its padding. */
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

void screen_last_words(const char *clean, const char *left, const bool *changed)
{
	snprintf(screen_crash.clean, sizeof screen_crash.clean, "\r\n%s\r\n", clean);
	snprintf(screen_crash.left, sizeof screen_crash.left, "\r\n%s\r\n", left);
	screen_crash.changed = changed;
}

/* ---------------------------------------------------------------- opening */

/* Can the type that setupterm has found move its cursor? Frees it. */
static bool screen_type_moves(void)
{
	const char *move_cursor = tigetstr("cup");
	bool moves = move_cursor && move_cursor != (const char *)-1;

	del_curterm(cur_term);
	return moves;
}

/* The name to use for $TERM: itself, or vt100 for one that cannot move its cursor. NULL: unknown.
 */
static const char *screen_type(char *why, size_t size)
{
	const char *term = getenv("TERM");
	int status;

	if (!term || !*term) {
		snprintf(why, size,
			"TERM is not set; try: TERM=xterm probes-tui ..., or probes-tui list");
		return NULL;
	}
	if (setupterm(NULL, 1, &status) == OK) {
		if (screen_type_moves())
			return term;
	} else if (status <= 0) { /* else it exists, but is generic or a printer */
		snprintf(why, size,
			"unknown terminal type TERM=%.40s; try: TERM=xterm probes-tui ..., "
			"or probes-tui list",
			term);
		return NULL;
	}
	snprintf(why, size, "TERM=%.40s cannot move its cursor: drawn as for a vt100", term);
	return "vt100";
}

/* Colours of on, some, warnings, bad: of the eight that all have, and of 256. */
static const short screen_themes[2][2][4] = {
	{{COLOR_GREEN, COLOR_CYAN, COLOR_YELLOW, COLOR_RED}, {78, 80, 221, 203}},  /* dark */
	{{COLOR_GREEN, COLOR_BLUE, COLOR_MAGENTA, COLOR_RED}, {28, 25, 130, 160}}, /* light */
};

static void screen_colors(const struct screen_options *o)
{
	const char *wish = getenv("NO_COLOR"), *theme = o->theme ? o->theme : "dark";
	const short *colors;

	screen_color =
		!o->no_color && strcmp(theme, "mono") != 0 && !(wish && *wish) && has_colors();
	if (!screen_color)
		return;
	start_color();
	use_default_colors();
	colors = screen_themes[!strcmp(theme, "light")][COLORS >= 256];
	for (short i = 0; i < 4; i++)
		init_pair((short)(i + 1), colors[i], -1);
}

static void screen_modes(void)
{
	raw(); /* ^C and ^Z are keys; what others send us comes as signals. The modes themselves
		  are line.c's: these calls only tell curses */
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	intrflush(stdscr, FALSE);
	typeahead(-1); /* a frame is sent whole, or not begun */
	if (!getenv("ESCDELAY"))
		set_escdelay(25);
	curs_set(0);
}

int screen_open(const struct screen_options *o, char *why, size_t size)
{
	const char *type;
	char safe[128];
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
	screen_curses = out ? newterm(type, out, stdin) : NULL;
	if (!screen_curses) {
		snprintf(why, size, "the terminal type %s cannot be used",
			text_clean(type, safe, sizeof safe));
		if (out)
			tty_close(false);
		return -1;
	}
	screen_resize();
	screen_colors(o);
	screen_modes();
	if (o->mouse) {
		mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
		mouseinterval(0); /* a press is a click: nothing waits for a second one */
	}
	screen_crash.owner = getpid();
	screen_crash.words_fd = isatty(2) ? -1 : 2;
	screen_add_capability("sgr0");
	screen_add_capability("rmkx");
	screen_add_capability("cnorm");
	screen_add_capability("rmcup");
	screen_watch_crashes();
	return 0;
}

bool screen_close(void)
{
	bool sent;

	if (!screen_curses)
		return true;
	if (!screen_given)
		endwin();
	delscreen(screen_curses);
	sent = tty_close(screen_given);
	screen_curses = NULL;
	screen_crash.owner = 0;
	return sent;
}

/* ---------------------------------------------------------------- drawing */

static attr_t screen_attributes(int style)
{
	static const struct {
		attr_t attributes;
		short pair;
	} looks[STYLE_COUNT] = {
		[STYLE_TITLE] = {A_BOLD, 0},
		[STYLE_HEAD] = {A_UNDERLINE, 0},
		[STYLE_ON] = {A_BOLD, 1},
		[STYLE_SOME] = {A_BOLD, 2},
		[STYLE_WARN] = {A_BOLD, 3},
		[STYLE_BAD] = {A_BOLD, 4},
		[STYLE_MATCH] = {A_BOLD | A_UNDERLINE, 3},
		[STYLE_KEY] = {A_BOLD, 0},
	};
	int look = style & ~STYLE_REVERSE;
	attr_t a = looks[look].attributes;

	if (screen_color)
		a |= COLOR_PAIR(looks[look].pair);
	return style & STYLE_REVERSE ? a | A_REVERSE : a;
}

void screen_show(const struct canvas *c)
{
	bool cursor = c->cursor_y >= 0;

	if (screen_given)
		return;
	erase();
	for (size_t i = 0; i < c->span_count; i++) {
		const struct canvas_span *s = &c->spans[i];

		attrset((int)screen_attributes(s->style));
		mvaddstr(s->y, s->x, canvas_text(c, s));
	}
	attrset(A_NORMAL);
	curs_set(cursor);
	move(cursor ? c->cursor_y : c->rows - 1, cursor ? c->cursor_x : 0);
	wnoutrefresh(stdscr);
	doupdate();
	tty_send();
}

void screen_forget(void)
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

static uint32_t screen_mouse(void)
{
	if (getmouse(&screen_event) != OK)
		return 0;
	if (screen_event.bstate & BUTTON4_PRESSED)
		return K_WHEEL_UP;
	if (screen_event.bstate & BUTTON5_PRESSED)
		return K_WHEEL_DOWN;
	return screen_event.bstate & BUTTON1_PRESSED ? K_CLICK : 0;
}

void screen_click(int *y, int *x)
{
	*y = screen_event.y;
	*x = screen_event.x;
}

static uint32_t screen_translate(wint_t code)
{
	static const struct {
		int curses;
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

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (keys[i].curses == (int)code)
			return keys[i].key;
	}
	if (code == KEY_MOUSE)
		return screen_mouse();
	if (code >= KEY_F(1) && code <= KEY_F(10))
		return K_F1 + (uint32_t)(code - KEY_F(1));
	return 0;
}

bool screen_key(uint32_t *key)
{
	wint_t code;

	for (;;) {
		int kind = get_wch(&code);

		if (kind == ERR)
			return false;
		*key = kind == KEY_CODE_YES ? screen_translate(code) : (uint32_t)code;
		if (kind != KEY_CODE_YES && code == '\n')
			*key = K_ENTER;
		if (*key)
			return true;
	}
}

/* ------------------------------------------------------------- suspension */

void screen_resume(void)
{
	tty_take();
	screen_given = false;
	keypad(stdscr, TRUE); /* tells the terminal again */
	screen_resize();
	screen_forget();
}

bool screen_suspend(const char *words)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, before;
	sigset_t only, mask;

	sigaction(SIGTSTP, NULL, &before);
	if (before.sa_handler == SIG_IGN)
		return false;
	endwin();
	tty_flush();
	tty_release();
	if (write(tty_fd(), words, strlen(words)) < 0)
		errno = 0; /* the line hangs: nobody would read it */
	screen_given = true;
	sigemptyset(&only);
	sigaddset(&only, SIGTSTP);
	sigaction(SIGTSTP, &stop, NULL);
	sigprocmask(SIG_UNBLOCK, &only, &mask);
	kill(0, SIGTSTP); /* the whole job, as the terminal would */
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGTSTP, &before, NULL);
	return true;
}

bool screen_foreground(void)
{
	pid_t group = tcgetpgrp(0);

	return group < 0 ? errno == ENOTTY : group == getpgrp(); /* ENOTTY: no job control here */
}
