/* The whole picture. */
#pragma once

#include "ui/tui/app/app.h"
#include "ui/tui/terminal/canvas.h"

#define FRAME_ROWS 10 /* the smallest terminal that is drawn on */
#define FRAME_COLUMNS 40

/* Draw what is in front on a canvas of the terminal's size. */
void frame_draw(const struct app *a, struct canvas *c);

/* The request of the footer that is shown at a place, or REQUEST_NONE. */
enum request frame_request(const struct app *a, int y, int x);
