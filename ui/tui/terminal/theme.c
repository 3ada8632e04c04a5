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

struct theme_palette {
	struct {
		short foreground, background;
		unsigned attributes;
		short cursor; /* the foreground in the row under the cursor */
	} looks[STYLE_COUNT];
	short cursor; /* the background of that row */
};

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, OWN = -1 };

static const struct theme_palette theme_mono = {.cursor = OWN,
	.looks = {
		[STYLE_PLAIN] = {OWN, OWN, 0, OWN},
		[STYLE_TITLE] = {OWN, OWN, THEME_BOLD, OWN},
		[STYLE_BAR] = {OWN, OWN, THEME_REVERSE | THEME_BOLD, OWN},
		[STYLE_HEAD] = {OWN, OWN, THEME_REVERSE, OWN},
		[STYLE_SORTED] = {OWN, OWN, THEME_REVERSE | THEME_BOLD | THEME_UNDERLINE, OWN},
		[STYLE_DIM] = {OWN, OWN, THEME_FAINT, OWN},
		[STYLE_PROVIDER] = {OWN, OWN, 0, OWN},
		[STYLE_ON] = {OWN, OWN, THEME_BOLD, OWN},
		[STYLE_COUNTED] = {OWN, OWN, THEME_BOLD, OWN},
		[STYLE_PARTIAL] = {OWN, OWN, THEME_BOLD, OWN},
		[STYLE_FOREIGN] = {OWN, OWN, THEME_BOLD, OWN},
		[STYLE_BAD] = {OWN, OWN, THEME_BOLD, OWN},
		[STYLE_WARN] = {OWN, OWN, THEME_BOLD, OWN},
		[STYLE_MATCH] = {OWN, OWN, THEME_BOLD | THEME_UNDERLINE, OWN},
		[STYLE_KEY] = {OWN, OWN, THEME_BOLD, OWN},
		[STYLE_LABEL] = {OWN, OWN, THEME_REVERSE, OWN},
		[STYLE_FRAME] = {OWN, OWN, 0, OWN},
	}};

static const struct theme_palette theme_dark = {.cursor = CYAN,
	.looks = {
		[STYLE_PLAIN] = {OWN, OWN, 0, BLACK},
		[STYLE_TITLE] = {OWN, OWN, THEME_BOLD, BLACK},
		[STYLE_BAR] = {WHITE, BLUE, THEME_BOLD, BLACK},
		[STYLE_HEAD] = {BLACK, GREEN, 0, BLACK},
		[STYLE_SORTED] = {BLACK, CYAN, 0, BLACK},
		[STYLE_DIM] = {OWN, OWN, THEME_FAINT, BLACK},
		[STYLE_PROVIDER] = {OWN, OWN, THEME_FAINT, BLACK},
		[STYLE_ON] = {GREEN, OWN, THEME_BOLD, BLACK},
		[STYLE_COUNTED] = {CYAN, OWN, THEME_BOLD, BLACK},
		[STYLE_PARTIAL] = {YELLOW, OWN, THEME_BOLD, BLACK},
		[STYLE_FOREIGN] = {MAGENTA, OWN, THEME_BOLD, BLACK},
		[STYLE_BAD] = {RED, OWN, THEME_BOLD, BLACK},
		[STYLE_WARN] = {YELLOW, OWN, THEME_BOLD, BLACK},
		[STYLE_MATCH] = {BLACK, YELLOW, 0, BLACK},
		[STYLE_KEY] = {OWN, OWN, THEME_BOLD, BLACK},
		[STYLE_LABEL] = {BLACK, CYAN, 0, BLACK},
		[STYLE_FRAME] = {CYAN, OWN, 0, BLACK},
	}};

static const struct theme_palette theme_light = {.cursor = CYAN,
	.looks = {
		[STYLE_PLAIN] = {OWN, OWN, 0, BLACK},
		[STYLE_TITLE] = {OWN, OWN, THEME_BOLD, BLACK},
		[STYLE_BAR] = {WHITE, BLUE, THEME_BOLD, BLACK},
		[STYLE_HEAD] = {BLACK, GREEN, 0, BLACK},
		[STYLE_SORTED] = {BLACK, CYAN, 0, BLACK},
		[STYLE_DIM] = {OWN, OWN, THEME_FAINT, BLACK},
		[STYLE_PROVIDER] = {OWN, OWN, THEME_FAINT, BLACK},
		[STYLE_ON] = {BLACK, GREEN, 0, BLACK},
		[STYLE_COUNTED] = {BLACK, CYAN, 0, BLACK},
		[STYLE_PARTIAL] = {BLACK, YELLOW, 0, BLACK},
		[STYLE_FOREIGN] = {MAGENTA, OWN, THEME_BOLD, BLACK},
		[STYLE_BAD] = {RED, OWN, THEME_BOLD, BLACK},
		[STYLE_WARN] = {MAGENTA, OWN, THEME_BOLD, BLACK},
		[STYLE_MATCH] = {BLACK, YELLOW, 0, BLACK},
		[STYLE_KEY] = {OWN, OWN, THEME_BOLD, BLACK},
		[STYLE_LABEL] = {BLACK, CYAN, 0, BLACK},
		[STYLE_FRAME] = {BLUE, OWN, 0, BLACK},
	}};

static const struct theme_palette theme_dark_256 = {.cursor = 24,
	.looks = {
		[STYLE_PLAIN] = {OWN, OWN, 0, 231},
		[STYLE_TITLE] = {117, OWN, THEME_BOLD, 231},
		[STYLE_BAR] = {231, 61, THEME_BOLD, 231},
		[STYLE_HEAD] = {252, 238, 0, 231},
		[STYLE_SORTED] = {222, 238, THEME_BOLD, 231},
		[STYLE_DIM] = {245, OWN, 0, 254},
		[STYLE_PROVIDER] = {103, OWN, 0, 189},
		[STYLE_ON] = {114, OWN, THEME_BOLD, 157},
		[STYLE_COUNTED] = {80, OWN, THEME_BOLD, 159},
		[STYLE_PARTIAL] = {221, OWN, THEME_BOLD, 229},
		[STYLE_FOREIGN] = {213, OWN, THEME_BOLD, 225},
		[STYLE_BAD] = {203, OWN, THEME_BOLD, 224},
		[STYLE_WARN] = {221, OWN, 0, 229},
		[STYLE_MATCH] = {16, 221, 0, 16},
		[STYLE_KEY] = {222, OWN, THEME_BOLD, 231},
		[STYLE_LABEL] = {252, 238, 0, 231},
		[STYLE_FRAME] = {74, OWN, 0, 231},
	}};

static const struct theme_palette theme_light_256 = {.cursor = 189,
	.looks = {
		[STYLE_PLAIN] = {OWN, OWN, 0, 16},
		[STYLE_TITLE] = {25, OWN, THEME_BOLD, 16},
		[STYLE_BAR] = {231, 61, THEME_BOLD, 16},
		[STYLE_HEAD] = {235, 252, 0, 16},
		[STYLE_SORTED] = {88, 252, THEME_BOLD, 16},
		[STYLE_DIM] = {242, OWN, 0, 239},
		[STYLE_PROVIDER] = {60, OWN, 0, 238},
		[STYLE_ON] = {22, OWN, THEME_BOLD, 22},
		[STYLE_COUNTED] = {23, OWN, THEME_BOLD, 23},
		[STYLE_PARTIAL] = {94, OWN, THEME_BOLD, 58},
		[STYLE_FOREIGN] = {127, OWN, THEME_BOLD, 90},
		[STYLE_BAD] = {160, OWN, THEME_BOLD, 88},
		[STYLE_WARN] = {94, OWN, 0, 58},
		[STYLE_MATCH] = {16, 222, 0, 16},
		[STYLE_KEY] = {88, OWN, THEME_BOLD, 16},
		[STYLE_LABEL] = {235, 252, 0, 16},
		[STYLE_FRAME] = {61, OWN, 0, 16},
	}};

struct theme_look theme_look(enum theme_id theme, int colors, int style)
{
	static const struct theme_palette *const palettes[][2] = {
		[THEME_MONO] = {&theme_mono, &theme_mono},
		[THEME_DARK] = {&theme_dark, &theme_dark_256},
		[THEME_LIGHT] = {&theme_light, &theme_light_256},
	};
	const struct theme_palette *p = palettes[theme][colors >= 256];
	int role = style & ~STYLE_REVERSE;
	struct theme_look look = {.foreground = p->looks[role].foreground,
		.background = p->looks[role].background,
		.attributes = p->looks[role].attributes};

	if (!(style & STYLE_REVERSE) || look.background != OWN)
		return look;
	/* Reverse video: the pair is given as the terminal swaps it. */
	look.attributes |= THEME_REVERSE;
	look.attributes &= ~(unsigned)THEME_FAINT;
	if (p->cursor != OWN && p->cursor <= WHITE)
		look.attributes &= ~(unsigned)THEME_BOLD; /* a bold one of 8 colours is another */
	look.foreground = p->cursor;
	look.background = p->looks[role].cursor;
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
