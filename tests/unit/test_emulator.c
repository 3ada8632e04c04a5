/*
 * The terminal of a started program: what a program writes becomes lines, colours, a cursor; what
 * is hostile does not pass; what is typed is translated.
 */
#include <check.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/tui/terminal/key.h"
#include "ui/tui/terminal/text.h"
#include "ui/tui/widgets/emulator.h"
#include "ui/tui/widgets/vt_filter.h"

Suite *emulator_suite(void);

static struct emulator *e;

static void begin(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	text_set_utf8(true);
	e = emulator_new(6, 20);
}

static void end(void)
{
	emulator_free(e);
	text_set_utf8(false);
	setlocale(LC_CTYPE, "C");
}

static void feed(const char *text)
{
	emulator_feed(e, text, strlen(text));
}

/* A row of the screen. */
static const char *row(size_t y)
{
	return emulator_line(e, emulator_kept(e) + y).text;
}

static const char *typed(void)
{
	static char bytes[4200];

	bytes[emulator_take(e, bytes, sizeof bytes - 1)] = '\0';
	return bytes;
}

static const char *filtered(const char *text)
{
	static char out[4200];
	struct vt_filter s = {0};

	out[vt_filter_feed(&s, text, strlen(text), out)] = '\0';
	return out;
}

START_TEST(lines_and_scrolling)
{
	feed("one\r\ntwo\r\n 50%\r100%\r\n\ta");
	ck_assert_str_eq(row(0), "one");
	ck_assert_str_eq(row(2), "100%");
	ck_assert_str_eq(row(3), "        a");
	ck_assert_uint_eq(emulator_kept(e), 0);
	ck_assert_uint_eq(emulator_used(e), 4);
	feed("\r\n5\r\n6\r\n7\r\n8");
	ck_assert_uint_eq(emulator_kept(e), 2);
	ck_assert_uint_eq(emulator_count(e), 8);
	ck_assert_str_eq(emulator_line(e, 0).text, "one");
	ck_assert_str_eq(emulator_line(e, 1).text, "two");
	ck_assert_str_eq(row(5), "8");
}
END_TEST

START_TEST(full_screen)
{
	size_t line;
	int column;

	feed("shell\r\n\033[?1049h\033[2J\033[Hmenu\033[3;5Hitem\033[?25l");
	ck_assert_str_eq(row(0), "menu");
	ck_assert_str_eq(row(2), "    item");
	ck_assert(!emulator_cursor(e, &line, &column));
	ck_assert_uint_eq(line, 2);
	ck_assert_int_eq(column, 8);
	feed("\033[?25h");
	ck_assert(emulator_cursor(e, &line, &column));
	feed("\033[6;1H=\033[7b");
	ck_assert_str_eq(row(5), "========");
	feed("\033[2K");
	/* a region scrolls, a line and a character go in, a character goes out */
	feed("\033[2;4r\033[4;1H\r\nnew\033[r\033[1;1H\033[Ltop\033[1;1H\033[@x\033[1;3H\033[P");
	ck_assert_str_eq(row(0), "xtp");
	ck_assert_str_eq(row(1), "menu");
	ck_assert_str_eq(row(2), "    item");
	ck_assert_str_eq(row(4), "new");
	ck_assert_uint_eq(emulator_kept(e), 0);
	feed("\033[?1049l");
	ck_assert_str_eq(row(0), "shell");
	ck_assert_str_eq(row(2), "");
}
END_TEST

START_TEST(colors)
{
	struct emulator_line l;

	feed("a\033[1;31mb\033[0;48;5;200mc\033[0;38;2;1;2;3;4md\033[7m \033[0m  ");
	l = emulator_line(e, 0);
	ck_assert_str_eq(l.text, "abcd ");
	ck_assert_uint_eq(l.run_count, 5);
	ck_assert_int_eq(l.runs[0].paint.foreground, CANVAS_DEFAULT);
	ck_assert_int_eq(l.runs[0].paint.background, CANVAS_DEFAULT);
	ck_assert_int_eq(l.runs[1].paint.foreground, 1);
	ck_assert_uint_eq(l.runs[1].paint.attributes, CANVAS_BOLD);
	ck_assert_int_eq(l.runs[2].paint.background, 200);
	ck_assert_int_eq(l.runs[3].paint.foreground, CANVAS_RGB | 0x010203);
	ck_assert_uint_eq(l.runs[3].paint.attributes, CANVAS_UNDERLINE);
	ck_assert_uint_eq(l.runs[4].paint.attributes, CANVAS_UNDERLINE | CANVAS_REVERSE);
	/* a bar to the right edge stays, blanks without colour do not */
	feed("\r\n\033[44mbar\033[K\033[0m\r\nx   ");
	ck_assert_uint_eq(strlen(row(1)), 20);
	ck_assert_str_eq(row(2), "x");
}
END_TEST

START_TEST(wide_and_combining)
{
	feed("\xe6\xbc\xa2\xe5\xad\x97 e\xcc\x81|");
	ck_assert_str_eq(row(0), "\xe6\xbc\xa2\xe5\xad\x97 e\xcc\x81|");
	ck_assert_int_eq(text_width(row(0)), 7);
	feed("\r\033[C-"); /* half of a wide one is overwritten */
	ck_assert_int_eq(text_width(row(0)), 7);
	feed("\033[2;1H\033(0lqx\033(B");
	ck_assert_str_eq(row(1), "\xe2\x94\x8c\xe2\x94\x80\xe2\x94\x82");
	/* those that libvterm takes for wide: Hangul tone marks, and the voiced か of file names */
	feed("\033[4;1Hx\xe3\x80\xaey\xe3\x81\x8b\xe3\x82\x99|");
	ck_assert_str_eq(row(3), "xy\xe3\x81\x8b\xe3\x82\x9b|");
	text_set_utf8(false);
	ck_assert_str_eq(row(1), "+-|");
	feed("\033[3;1H\xe6\xbc\xa2 \xe2\x94\x80");
	ck_assert_str_eq(row(2), "?? -");
}
END_TEST

START_TEST(hostile_text)
{
	size_t line;
	int column;

	ck_assert_str_eq(
		filtered("a\033]0;title\007b\033]52;c;AAAA\033\\c\033Pq#0\033\\d\a"), "abcd");
	ck_assert_str_eq(filtered("\033[2000000000Ix"), "\033[9999Ix");
	ck_assert_str_eq(
		filtered("\033[00012;31m\033[?1049h\033[>c"), "\033[12;31m\033[?1049h\033[>c");
	ck_assert_str_eq(filtered("\033[8;50;200t\033[?1$p\033#3\033[c\033[5i"), "\033[c");
	ck_assert_str_eq(filtered("\033[1;\r2Hx\033[1\x18y"), "\r\033[1;2Hxy");
	ck_assert_str_eq(filtered("\033[1\033[2Jx\033]0;t\033[3Jy"), "\033[2Jx\033[3Jy");
	ck_assert_str_eq(filtered("\xc2\x9b@\xe2\x80\xae|\xff|\xe6\xbc|\x7f|"),
		"\xef\xbf\xbd@|\xef\xbf\xbd|\xef\xbf\xbd||");
	/* what passes does not end in an endless loop, nor outside of the screen */
	feed("\033[5b\033[Hx\033[5;5H\xcc\x81\033[5bx\033c\033[5b");
	feed("\xc2\x80\xc2\x9b\033[@\033[2000000000I\033[999999b\033[99999S\033[99999;99999Hx");
	ck_assert(emulator_cursor(e, &line, &column));
	ck_assert_uint_lt(line, emulator_count(e));
	ck_assert_int_lt(column, 20);
}
END_TEST

START_TEST(hostile_floods)
{
	size_t marks = 0;
	char line[200], *much = malloc(3000000);

	/* combining characters: a bounded number of them is kept, with anything between them */
	feed("\033[Hx");
	for (int i = 0; i < 3000; i++)
		feed("\xcc\x81\xcc\x82\a\033[m");
	for (const char *s = row(0); *s; s++)
		marks += (unsigned char)*s == 0xcc;
	ck_assert_uint_le(marks, 8);
	memcpy(much, "x", 2);
	for (int i = 0; i < 1000; i++)
		strcat(much, "\xcc\x81");
	ck_assert_uint_eq(strlen(filtered(much)), 1 + 2 * VT_FILTER_MARKS);
	/* lines: the last ones are kept */
	feed("\033[2J\033[H");
	for (int i = 0; i < EMULATOR_LINES + 100; i++) {
		snprintf(line, sizeof line, "%d\r\n", i);
		feed(line);
	}
	ck_assert_uint_eq(emulator_kept(e), EMULATOR_LINES);
	ck_assert_uint_eq(emulator_scrolled(e), EMULATOR_LINES + 100 - 5);
	ck_assert_str_eq(emulator_line(e, 0).text, "95");
	/* wide lines, each cell in a colour of its own: fewer of them */
	emulator_resize(e, 2, 9999);
	for (int i = 0; i < 2 * EMULATOR_LINES; i++) {
		for (int x = 0; x < EMULATOR_COLUMNS_MAX; x += 2)
			feed(x % 4 ? "\033[31m--" : "\033[32m==");
		if (i > 300 && emulator_kept(e) < 2000)
			break;
	}
	ck_assert_uint_lt(emulator_kept(e), 2000);
	/* plain lines that would be forgotten at once are not even looked at */
	for (int i = 0; i < 1000000; i++)
		memcpy(much + 3 * i, "y\r\n", 3);
	ck_assert_uint_eq(emulator_skip(e, much, 3000000), 3 * (1000000 - EMULATOR_LINES - 2));
	ck_assert_uint_eq(emulator_skip(e, much, 3000), 0);
	memcpy(much + 2999000, "\033[m", 3);
	ck_assert_uint_gt(emulator_skip(e, much, 3000000), 2900000);
	memcpy(much + 1000, "\033[m", 3);
	ck_assert_uint_eq(emulator_skip(e, much, 3000000), 0);
	free(much);
}
END_TEST

START_TEST(hostile_sizes)
{
	size_t line;
	int column;

	feed("\033[6;5H\0337"); /* saved where the screen ends soon */
	emulator_resize(e, 3, 20);
	feed("\0338");
	emulator_cursor(e, &line, &column);
	ck_assert_uint_eq(line, emulator_count(e) - 1);
	feed("\033[@x\033c");
	emulator_resize(e, 6, 20);
	feed("1\r\n2\r\n3\r\n4\r\n5");
	emulator_resize(e, 3, 10);
	ck_assert_str_eq(emulator_line(e, emulator_kept(e) - 2).text, "1");
	ck_assert_str_eq(row(2), "5");
	feed("\033[20;20H\0337\033[3;6r");
	emulator_resize(e, 1, 1);
	feed("\033[1;1H\xe6\xbc\xa2\xe3\x80\xae\xe3\x82\x99"); /* more columns than there are */
	feed("\0338\033[@\xe6\xbc\xa2x\033[1;1Hy");
	ck_assert_uint_eq(emulator_count(e), emulator_kept(e) + 2);
	emulator_resize(e, 100000, 100000);
	ck_assert_uint_eq(emulator_count(e), emulator_kept(e) + EMULATOR_ROWS_MAX);
	feed("\033[300;1Hlow\033[1;1H"); /* what is low pushes the cursor's line off */
	emulator_resize(e, 4, 20);
	feed("top\033[P");
	ck_assert_str_eq(row(0), "top");
	ck_assert_str_eq(row(3), "low");
	emulator_resize(e, 0, -1);
	feed("\033[2J\033[H");
	feed("z");
	ck_assert_str_eq(row(0), "z");
}
END_TEST

START_TEST(window)
{
	ck_assert_uint_eq(emulator_follow(e, 3), 0);
	feed("1\r\n2\r\n3\r\n4\r\n");
	ck_assert_uint_eq(emulator_follow(e, 3), 2);
	ck_assert_uint_eq(emulator_follow(e, 6), 0);
	feed("5\r\n6\r\n7\r\n");
	ck_assert_uint_eq(emulator_kept(e), 2);
	ck_assert_uint_eq(emulator_follow(e, 3), 5);
	ck_assert_uint_eq(emulator_follow(e, 6), 2);
	ck_assert_uint_eq(emulator_follow(e, 7), 1);
	feed("\033[1;1H");
	ck_assert_uint_eq(emulator_follow(e, 3), 2);
	feed("\033[?1049h\033[2J\033[6;1Hlast\033[2;1H");
	ck_assert_uint_eq(emulator_follow(e, 3), 2);
	feed("\033[5;1H");
	ck_assert_uint_eq(emulator_follow(e, 3), 4);
	feed("\033[?25l"); /* progress bars hide the cursor, too */
	ck_assert_uint_eq(emulator_follow(e, 3), 4);
	feed("\033[?1h");
	ck_assert_uint_eq(emulator_follow(e, 3), 2);
	ck_assert_str_eq(typed(), "");
}
END_TEST

START_TEST(keys)
{
	emulator_key(e, 'a');
	emulator_key(e, 0xc3);
	emulator_key(e, 3);
	ck_assert_str_eq(typed(), "a\xc3\x03");
	emulator_key(e, K_UP);
	emulator_key(e, K_LEFT | K_CONTROL);
	emulator_key(e, K_F1 + 4);
	emulator_key(e, K_DELETE);
	ck_assert_str_eq(typed(), "\033[A\033[1;5D\033[15~\033[3~");
	feed("\033[?1h");
	emulator_key(e, K_UP);
	emulator_key(e, K_HOME);
	ck_assert_str_eq(typed(), "\033OA\033OH");
	emulator_key(e, K_PASTE);
	emulator_key(e, 'x');
	emulator_key(e, K_PASTED);
	ck_assert_str_eq(typed(), "x");
	feed("\033[?2004h");
	emulator_key(e, K_PASTE);
	emulator_key(e, 'x');
	emulator_key(e, K_PASTED);
	ck_assert_str_eq(typed(), "\033[200~x\033[201~");
}
END_TEST

START_TEST(answers)
{
	feed("\033[3;4H\033[6n");
	ck_assert_str_eq(typed(), "\033[3;4R");
	feed("\033[c");
	ck_assert(!strncmp(typed(), "\033[?", 3));
	ck_assert_str_eq(typed(), "");
	for (int i = 0; i < 100000; i++) /* asked, and never read */
		feed("\033[6n");
	ck_assert_uint_lt(strlen(typed()), 4100);
}
END_TEST

Suite *emulator_suite(void)
{
	Suite *s = suite_create("emulator");
	TCase *c = tcase_create("emulator");

	tcase_add_checked_fixture(c, begin, end);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, lines_and_scrolling);
	tcase_add_test(c, full_screen);
	tcase_add_test(c, colors);
	tcase_add_test(c, wide_and_combining);
	tcase_add_test(c, hostile_text);
	tcase_add_test(c, hostile_floods);
	tcase_add_test(c, hostile_sizes);
	tcase_add_test(c, window);
	tcase_add_test(c, keys);
	tcase_add_test(c, answers);
	suite_add_tcase(s, c);
	return s;
}
