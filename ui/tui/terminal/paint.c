/*
 * Color pairs are few: 64 on a terminal of 8 colours. They are handed out as they are needed; in a
 * frame that needs more the background goes without.
 */
#include "ui/tui/terminal/paint.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>

#define PAINT_PAIRS 224 /* at most */

static struct {
	bool colors;
	short first;
	int most, count;
	struct {
		short foreground, background;
	} pairs[PAINT_PAIRS];
} paint;

/* 0xrrggbb of one of 256 colours, as xterm has them. */
static int32_t paint_rgb(int32_t index)
{
	static const int32_t first[] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
		0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff,
		0x00ffff, 0xffffff};
	static const int32_t steps[] = {0, 95, 135, 175, 215, 255};

	if (index < 16)
		return first[index];
	if (index >= 232)
		return 0x010101 * (8 + 10 * (index - 232));
	index -= 16;
	return steps[index / 36] << 16 | steps[index / 6 % 6] << 8 | steps[index % 6];
}

static int paint_distance(int32_t a, int32_t b)
{
	int red = (a >> 16 & 255) - (b >> 16 & 255), green = (a >> 8 & 255) - (b >> 8 & 255),
	    blue = (a & 255) - (b & 255);

	return 3 * red * red + 4 * green * green + 2 * blue * blue;
}

short paint_nearest(int32_t color, int colors, bool *bright)
{
	/* the first 16 of 256 are often changed: not for a colour that is given exactly */
	int32_t from = colors >= 256 ? 16 : 0, to = colors >= 256 ? 256 : 16, best = from, rgb;

	*bright = false;
	if (color < 0 || colors < 8)
		return -1;
	if (color >= (colors >= 256 ? 256 : 16)) {
		rgb = color & CANVAS_RGB ? color & 0xffffff : paint_rgb(color);
		for (int32_t i = from; i < to; i++)
			if (paint_distance(rgb, paint_rgb(i)) <
				paint_distance(rgb, paint_rgb(best)))
				best = i;
		color = best;
	}
	*bright = colors < 16 && color >= 8;
	return (short)(*bright ? color - 8 : color);
}

void paint_open(bool colors, int first)
{
	paint.colors = colors;
	paint.first = (short)first;
	paint.most = colors ? COLOR_PAIRS - first : 0;
	if (paint.most > PAINT_PAIRS)
		paint.most = PAINT_PAIRS;
	paint.count = 0;
}

void paint_frame(void)
{
	if (paint.count >= paint.most)
		paint.count = 0;
}

/* The pair of two colours; 0 if there is none left. */
static short paint_pair(short foreground, short background)
{
	int i = 0;

	if (foreground < 0 && background < 0)
		return 0;
	while (i < paint.count && (paint.pairs[i].foreground != foreground ||
					  paint.pairs[i].background != background))
		i++;
	if (i >= paint.most)
		return 0;
	if (i == paint.count) {
		paint.pairs[paint.count].foreground = foreground;
		paint.pairs[paint.count++].background = background;
		init_pair((short)(paint.first + i), foreground, background);
	}
	return (short)(paint.first + i);
}

struct paint_look paint_look(const struct canvas_paint *p)
{
	struct paint_look look = {0};
	bool bright, ignored, reverse = p->attributes & CANVAS_REVERSE;
	short foreground, background;

	look.attributes = (p->attributes & CANVAS_BOLD ? A_BOLD : A_NORMAL) |
			  (p->attributes & CANVAS_UNDERLINE ? A_UNDERLINE : A_NORMAL);
#ifdef A_ITALIC
	look.attributes |= p->attributes & CANVAS_ITALIC ? A_ITALIC : A_NORMAL;
#endif
	if (paint.colors) {
		foreground = paint_nearest(p->foreground, COLORS, &bright);
		background = paint_nearest(p->background, COLORS, &ignored);
		look.attributes |= bright ? A_BOLD : A_NORMAL;
		look.pair = paint_pair(foreground, background);
		if (!look.pair && background >= 0)
			look.pair = paint_pair(foreground, -1);
	}
	/* where a colour cannot be shown, a bar of it still is */
	if (reverse || (p->background >= 0 && !look.pair))
		look.attributes |= A_REVERSE;
	return look;
}
