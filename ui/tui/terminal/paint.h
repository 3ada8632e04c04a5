/* The colours that a started program chose, in those that this terminal has. */
#pragma once

#include "ui/tui/terminal/canvas.h"

#include <stdbool.h>

/* How curses shows a paint. */
struct paint_look {
	unsigned long attributes; /* attr_t */
	short pair;
};

/* The nearest of so many colours, or -1: the terminal's own. *bright: one of 8 that was chosen as
 * the brighter one of 16. Pure. */
short paint_nearest(int32_t color, int colors, bool *bright);

/* colors: false: only attributes are used. Color pairs below `first` belong to others. */
void paint_open(bool colors, int first);
/* A new frame: pairs that no text has may be given away. */
void paint_frame(void);
struct paint_look paint_look(const struct canvas_paint *paint);
