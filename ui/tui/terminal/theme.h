/*
 * What the roles of texts (ui/words/style.h) look like: colours and attributes, by theme and by the
 * number of the terminal's colours. Pure.
 */
#pragma once

#include "ui/words/style.h"

enum theme_id {
	THEME_MONO, /* attributes only */
	THEME_DARK, /* for a dark background */
	THEME_LIGHT,
};

enum theme_attribute {
	THEME_BOLD = 1 << 0,
	THEME_FAINT = 1 << 1,
	THEME_UNDERLINE = 1 << 2,
	THEME_REVERSE = 1 << 3,
};

struct theme_look {
	short foreground, background; /* of xterm's 256 colours; -1: the terminal's own */
	unsigned attributes;          /* enum theme_attribute, or'ed */
};

/* How a text looks. style: enum style, maybe with STYLE_REVERSE. colors: of the terminal. */
struct theme_look theme_look(enum theme_id theme, int colors, int style);

/*
 * The theme that a user asks for by name, or, without a name (NULL), the one that suits the
 * terminal. colorfgbg: the variable COLORFGBG, in which rxvt, konsole and others say their colours
 * ("15;0"), or NULL.
 */
enum theme_id theme_choose(const char *name, const char *colorfgbg);
