/*
 * The table of looks. tests/unit/test_theme.c measures the contrast of each.
 *
 * With 8 colours a light background leaves no readable yellow, green or cyan text: there these
 * colours are the background of black text.
 */
#include "ui/tui/terminal/theme.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The palettes: of each theme that for few colours, and that for 256. */
enum { MONO, DARK, LIGHT, DARK_256, LIGHT_256, PALETTES };

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, OWN = -1 };
enum {
	BOLD = THEME_BOLD,
	FAINT = THEME_FAINT,
	UNDERLINE = THEME_UNDERLINE,
	REVERSE = THEME_REVERSE,
};

/* The background of the row under the cursor. */
static const short theme_cursor[PALETTES] = {OWN, CYAN, CYAN, 24, 189};

static const struct {
	short foreground, background;
	unsigned attributes;
	short cursor; /* the foreground in the row under the cursor */
} theme_looks[STYLE_COUNT][PALETTES] = {
	[STYLE_PLAIN] = {{OWN, OWN, 0, OWN}, {OWN, OWN, 0, BLACK}, {OWN, OWN, 0, BLACK},
		{OWN, OWN, 0, 231}, {OWN, OWN, 0, 16}},
	[STYLE_TITLE] = {{OWN, OWN, BOLD, OWN}, {OWN, OWN, BOLD, BLACK}, {OWN, OWN, BOLD, BLACK},
		{117, OWN, BOLD, 231}, {25, OWN, BOLD, 16}},
	[STYLE_BAR] = {{OWN, OWN, REVERSE | BOLD, OWN}, {WHITE, BLUE, BOLD, BLACK},
		{WHITE, BLUE, BOLD, BLACK}, {231, 61, BOLD, 231}, {231, 61, BOLD, 16}},
	[STYLE_HEAD] = {{OWN, OWN, REVERSE, OWN}, {BLACK, GREEN, 0, BLACK},
		{BLACK, GREEN, 0, BLACK}, {252, 238, 0, 231}, {235, 252, 0, 16}},
	[STYLE_SORTED] = {{OWN, OWN, REVERSE | BOLD | UNDERLINE, OWN}, {BLACK, CYAN, 0, BLACK},
		{BLACK, CYAN, 0, BLACK}, {222, 238, BOLD, 231}, {88, 252, BOLD, 16}},
	[STYLE_DIM] = {{OWN, OWN, FAINT, OWN}, {OWN, OWN, FAINT, BLACK}, {OWN, OWN, FAINT, BLACK},
		{245, OWN, 0, 254}, {242, OWN, 0, 239}},
	[STYLE_PROVIDER] = {{OWN, OWN, 0, OWN}, {OWN, OWN, FAINT, BLACK}, {OWN, OWN, FAINT, BLACK},
		{103, OWN, 0, 189}, {60, OWN, 0, 238}},
	[STYLE_ON] = {{OWN, OWN, BOLD, OWN}, {GREEN, OWN, BOLD, BLACK}, {BLACK, GREEN, 0, BLACK},
		{114, OWN, BOLD, 157}, {22, OWN, BOLD, 22}},
	[STYLE_COUNTED] = {{OWN, OWN, BOLD, OWN}, {CYAN, OWN, BOLD, BLACK}, {BLACK, CYAN, 0, BLACK},
		{80, OWN, BOLD, 159}, {23, OWN, BOLD, 23}},
	[STYLE_PARTIAL] = {{OWN, OWN, BOLD, OWN}, {YELLOW, OWN, BOLD, BLACK},
		{BLACK, YELLOW, 0, BLACK}, {221, OWN, BOLD, 229}, {94, OWN, BOLD, 58}},
	[STYLE_FOREIGN] = {{OWN, OWN, BOLD, OWN}, {MAGENTA, OWN, BOLD, BLACK},
		{MAGENTA, OWN, BOLD, BLACK}, {213, OWN, BOLD, 225}, {127, OWN, BOLD, 90}},
	[STYLE_BAD] = {{OWN, OWN, BOLD, OWN}, {RED, OWN, BOLD, BLACK}, {RED, OWN, BOLD, BLACK},
		{203, OWN, BOLD, 224}, {160, OWN, BOLD, 88}},
	[STYLE_WARN] = {{OWN, OWN, BOLD, OWN}, {YELLOW, OWN, BOLD, BLACK},
		{MAGENTA, OWN, BOLD, BLACK}, {221, OWN, 0, 229}, {94, OWN, 0, 58}},
	[STYLE_MATCH] = {{OWN, OWN, BOLD | UNDERLINE, OWN}, {BLACK, YELLOW, 0, BLACK},
		{BLACK, YELLOW, 0, BLACK}, {16, 221, 0, 16}, {16, 222, 0, 16}},
	[STYLE_KEY] = {{OWN, OWN, BOLD, OWN}, {OWN, OWN, BOLD, BLACK}, {OWN, OWN, BOLD, BLACK},
		{222, OWN, BOLD, 231}, {88, OWN, BOLD, 16}},
	[STYLE_LABEL] = {{OWN, OWN, REVERSE, OWN}, {BLACK, CYAN, 0, BLACK}, {BLACK, CYAN, 0, BLACK},
		{252, 238, 0, 231}, {235, 252, 0, 16}},
	[STYLE_FRAME] = {{OWN, OWN, 0, OWN}, {CYAN, OWN, 0, BLACK}, {BLUE, OWN, 0, BLACK},
		{74, OWN, 0, 231}, {61, OWN, 0, 16}},
};

struct theme_look theme_look(enum theme_id theme, int colors, int style)
{
	static const int palettes[][2] = {[THEME_MONO] = {MONO, MONO},
		[THEME_DARK] = {DARK, DARK_256},
		[THEME_LIGHT] = {LIGHT, LIGHT_256}};
	int p = palettes[theme][colors >= 256], role = style & ~STYLE_REVERSE;
	struct theme_look look = {.foreground = theme_looks[role][p].foreground,
		.background = theme_looks[role][p].background,
		.attributes = theme_looks[role][p].attributes};

	if (!(style & STYLE_REVERSE) || look.background != OWN)
		return look;
	/* Reverse video: the pair is given as the terminal swaps it. */
	look.attributes |= THEME_REVERSE;
	look.attributes &= ~(unsigned)THEME_FAINT;
	if (theme_cursor[p] != OWN && theme_cursor[p] <= WHITE)
		look.attributes &= ~(unsigned)THEME_BOLD; /* a bold one of 8 colours is another */
	look.foreground = theme_cursor[p];
	look.background = theme_looks[role][p].cursor;
	return look;
}

enum theme_id theme_choose(const char *name, const char *colorfgbg)
{
	const char *background = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
	char *end;
	long color;

	if (name)
		return !strcmp(name, "mono")    ? THEME_MONO
		       : !strcmp(name, "light") ? THEME_LIGHT
						: THEME_DARK;
	if (!background)
		return THEME_DARK;
	color = strtol(background + 1, &end, 10);
	return end > background + 1 && !*end && (color == WHITE || color == 15) ? THEME_LIGHT
										: THEME_DARK;
}
