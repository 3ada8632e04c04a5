/*
 * What is shown can be read: the contrast of each role, by WCAG 2.1, on the backgrounds that the
 * themes are for, in the colours of xterm. Not covered: the palettes that users choose.
 */
#include <check.h>
#include <math.h>
#include <stddef.h>

#include "ui/tui/terminal/theme.h"
#include "ui/words/states.h"

Suite *theme_suite(void);

/* One of xterm's 256 colours, as 0xRRGGBB. */
static unsigned rgb(int color)
{
	static const unsigned first[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee,
		0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff,
		0xff00ff, 0x00ffff, 0xffffff};
	static const unsigned level[6] = {0, 95, 135, 175, 215, 255};

	if (color < 16)
		return first[color];
	if (color >= 232)
		return (unsigned)(8 + 10 * (color - 232)) * 0x010101u;
	color -= 16;
	return level[color / 36] << 16 | level[color / 6 % 6] << 8 | level[color % 6];
}

static double luminance(unsigned color)
{
	static const double weight[3] = {0.2126, 0.7152, 0.0722};
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double part = (color >> (16 - 8 * i) & 0xff) / 255.0;

		sum += weight[i] *
		       (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
	}
	return sum;
}

/* Of a text in a theme on a terminal with these colours of its own. */
static double contrast(enum theme_id theme, int colors, int style, unsigned fore, unsigned back)
{
	struct theme_look look = theme_look(theme, colors, style);
	double one, two;

	if (look.foreground >= 0)
		fore = rgb(look.foreground);
	if (look.background >= 0)
		back = rgb(look.background);
	one = luminance(fore);
	two = luminance(back);
	return one > two ? (one + 0.05) / (two + 0.05) : (two + 0.05) / (one + 0.05);
}

START_TEST(is_readable)
{
	static const struct {
		enum theme_id theme;
		unsigned fore, back;
	} terminals[] = {
		{THEME_DARK, 0xe5e5e5, 0x000000},
		{THEME_LIGHT, 0x000000, 0xffffff},
		{THEME_DARK, 0xd8dee9, 0x1b1f27},
		{THEME_LIGHT, 0x24292f, 0xeeeeee},
	};
	static const int flags[] = {0, STYLE_REVERSE};

	for (size_t t = 0; t < sizeof terminals / sizeof *terminals; t++) {
		for (int i = 0; i < 2 * STYLE_COUNT; i++) {
			int style = i / 2 | flags[i % 2];
			double few = contrast(
				terminals[t].theme, 8, style, terminals[t].fore, terminals[t].back);
			double many = contrast(terminals[t].theme, 256, style, terminals[t].fore,
				terminals[t].back);

			/* Eight colours are what they are, and bold: as for large text. Who
			 * chooses another background chooses them, too. */
			ck_assert_msg(few >= 3 || t > 1,
				"terminal %zu, 8 colours, style 0x%x: %.2f", t, style, few);
			ck_assert_msg(many >= 4.5, "terminal %zu, 256 colours, style 0x%x: %.2f", t,
				style, many);
		}
	}
}
END_TEST

/* Without colours each of these is told from the rows around it. */
START_TEST(mono_has_no_colour)
{
	static const enum style marked[] = {STYLE_BAR, STYLE_HEAD, STYLE_LABEL};

	for (int style = 0; style < STYLE_COUNT; style++) {
		for (int colors = 0; colors <= 256; colors += 256) {
			struct theme_look one = theme_look(THEME_MONO, colors, style);
			struct theme_look two =
				theme_look(THEME_MONO, colors, style | STYLE_REVERSE);

			ck_assert_int_eq(one.foreground, -1);
			ck_assert_int_eq(one.background, -1);
			ck_assert_int_eq(two.foreground, -1);
			ck_assert_int_eq(two.background, -1);
			ck_assert(two.attributes & THEME_REVERSE);
		}
	}
	for (size_t i = 0; i < sizeof marked / sizeof *marked; i++)
		ck_assert(theme_look(THEME_MONO, 8, marked[i]).attributes & THEME_REVERSE);
}
END_TEST

/* UI.md's colours: on green, partial yellow, foreign magenta, inconsistent red; dim is what cannot
 * be switched. */
START_TEST(states_have_their_colours)
{
	ck_assert_int_eq(states[PROBES_ON].style, STYLE_ON);
	ck_assert_int_eq(states[PROBES_OFF].style, STYLE_PLAIN);
	ck_assert_int_eq(states[PROBES_PARTIAL].style, STYLE_PARTIAL);
	ck_assert_int_eq(states[PROBES_FOREIGN].style, STYLE_FOREIGN);
	ck_assert_int_eq(states[PROBES_INCONSISTENT].style, STYLE_BAD);
	ck_assert_int_eq(states[PROBES_NO_SWITCH].style, STYLE_DIM);
	ck_assert_int_eq(states[PROBES_UNLOADED].style, STYLE_DIM);
	ck_assert_int_eq(theme_look(THEME_DARK, 8, STYLE_ON).foreground, 2);
	ck_assert_int_eq(theme_look(THEME_DARK, 8, STYLE_PARTIAL).foreground, 3);
	ck_assert_int_eq(theme_look(THEME_DARK, 8, STYLE_FOREIGN).foreground, 5);
	ck_assert_int_eq(theme_look(THEME_DARK, 8, STYLE_BAD).foreground, 1);
	ck_assert_int_eq(theme_look(THEME_DARK, 8, STYLE_COUNTED).foreground, 6);
}
END_TEST

/* The states differ from each other, and the row under the cursor from all. */
START_TEST(colours_mean_something)
{
	static const enum style meanings[] = {
		STYLE_ON, STYLE_COUNTED, STYLE_PARTIAL, STYLE_FOREIGN, STYLE_BAD, STYLE_PLAIN};
	const size_t count = sizeof meanings / sizeof *meanings;

	for (int theme = THEME_DARK; theme <= THEME_LIGHT; theme++) {
		for (size_t i = 0; i < 2 * count * count; i++) {
			size_t x = i / 2 / count, y = i / 2 % count;
			struct theme_look one =
				theme_look((enum theme_id)theme, i % 2 ? 256 : 8, meanings[x]);
			struct theme_look two =
				theme_look((enum theme_id)theme, i % 2 ? 256 : 8, meanings[y]);

			ck_assert(x == y || one.foreground != two.foreground ||
				  one.background != two.background);
		}
		for (int style = 0; style < STYLE_COUNT; style++) {
			struct theme_look here =
				theme_look((enum theme_id)theme, 256, style | STYLE_REVERSE);

			ck_assert(here.attributes & THEME_REVERSE || here.background >= 0);
		}
	}
}
END_TEST

START_TEST(suits_the_terminal)
{
	ck_assert_int_eq(theme_choose(NULL, NULL), THEME_DARK);
	ck_assert_int_eq(theme_choose(NULL, "15;0"), THEME_DARK);
	ck_assert_int_eq(theme_choose(NULL, "0;15"), THEME_LIGHT);
	ck_assert_int_eq(theme_choose(NULL, "0;default;7"), THEME_LIGHT);
	ck_assert_int_eq(theme_choose(NULL, "0;"), THEME_DARK);
	ck_assert_int_eq(theme_choose(NULL, "0;15x"), THEME_DARK);
	ck_assert_int_eq(theme_choose(NULL, ""), THEME_DARK);
	ck_assert_int_eq(theme_choose("dark", "0;15"), THEME_DARK);
	ck_assert_int_eq(theme_choose("light", "15;0"), THEME_LIGHT);
	ck_assert_int_eq(theme_choose("mono", "0;15"), THEME_MONO);
}
END_TEST

Suite *theme_suite(void)
{
	Suite *s = suite_create("theme");
	TCase *c = tcase_create("theme");

	tcase_add_test(c, is_readable);
	tcase_add_test(c, mono_has_no_colour);
	tcase_add_test(c, states_have_their_colours);
	tcase_add_test(c, colours_mean_something);
	tcase_add_test(c, suits_the_terminal);
	suite_add_tcase(s, c);
	return s;
}
