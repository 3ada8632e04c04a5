/*
 * The role of a text on the screen. ui/tui/terminal/theme.c says what each looks like; colour never
 * carries meaning alone.
 */
#pragma once

enum style {
	STYLE_PLAIN,
	STYLE_TITLE,    /* a heading within a text */
	STYLE_BAR,      /* the bar at the top: what is shown */
	STYLE_HEAD,     /* column headings */
	STYLE_SORTED,   /* the heading of the column that the list is sorted by */
	STYLE_DIM,      /* remarks, and what cannot be switched */
	STYLE_PROVIDER, /* the provider before a probe's name */
	STYLE_ON,
	STYLE_COUNTED,
	STYLE_PARTIAL,
	STYLE_FOREIGN,
	STYLE_BAD,   /* inconsistent; a failure */
	STYLE_WARN,  /* questions, warnings, a filter that hides rows */
	STYLE_MATCH, /* what the search finds */
	STYLE_KEY,   /* a key in the footer, */
	STYLE_LABEL, /* and what it does */
	STYLE_FRAME, /* the lines around panes and dialogs */
	STYLE_COUNT,
	STYLE_REVERSE = 0x100, /* flag: the row under the cursor */
};
