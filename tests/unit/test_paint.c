/*
 * A program's colours in those that a terminal has.
 */
#include <check.h>

#include "ui/tui/terminal/paint.h"

Suite *paint_suite(void);

static struct {
	int32_t color;
	int colors;
	short nearest;
	bool bright;
} nearest[] = {
	{CANVAS_DEFAULT, 256, -1, false},
	{9, 256, 9, false},
	{200, 256, 200, false},
	{CANVAS_RGB | 0xff8700, 256, 208, false},
	{CANVAS_RGB | 0x808080, 256, 244, false},
	{CANVAS_RGB, 256, 16, false},
	{9, 16, 9, false},
	{196, 16, 9, false},
	{CANVAS_RGB | 0xff0000, 16, 9, false},
	{CANVAS_RGB | 0xcc0000, 16, 1, false},
	{3, 8, 3, false},
	{11, 8, 3, true},
	{196, 8, 1, true},
	{232, 8, 0, false},
	{1, 2, -1, false},
	{CANVAS_DEFAULT, 8, -1, false},
};

START_TEST(colors_are_reduced)
{
	bool bright;

	for (size_t i = 0; i < sizeof nearest / sizeof *nearest; i++) {
		ck_assert_int_eq(paint_nearest(nearest[i].color, nearest[i].colors, &bright),
			nearest[i].nearest);
		ck_assert_int_eq(bright, nearest[i].bright);
	}
	for (int32_t c = 0; c < 256; c++)
		for (int colors = 8; colors < 256; colors *= 2)
			ck_assert_int_lt(paint_nearest(c, colors, &bright), colors);
}
END_TEST

Suite *paint_suite(void)
{
	Suite *s = suite_create("paint");
	TCase *c = tcase_create("paint");

	tcase_add_test(c, colors_are_reduced);
	suite_add_tcase(s, c);
	return s;
}
