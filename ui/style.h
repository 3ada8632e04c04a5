/* The role of a text on the screen; ui/tui/terminal/screen.c maps it to colours and attributes. */
#ifndef UI_STYLE_H
#define UI_STYLE_H

enum style {
	STYLE_PLAIN,
	STYLE_TITLE,
	STYLE_HEAD, /* column headings */
	STYLE_DIM,
	STYLE_ON,
	STYLE_PARTIAL,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_MATCH,
	STYLE_KEY,
	STYLE_COUNT,
	STYLE_REVERSE = 0x100, /* flag: the row under the cursor */
};

#endif
