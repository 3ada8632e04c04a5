/*
 * Covers base/escape: which characters reach a terminal as they are, that what is written can be
 * read back, that a cut leaves whole characters. Not covered: how a terminal draws them.
 */
#include "base/escape.h"

#include "probes.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct escape_case {
	const char *raw, *safe;
} escape_cases[] = {
	{"", ""},
	{"plain text_09~", "plain text_09~"},
	{"a\\b", "a\\\\b"},
	{"\x1b[31mred", "\\x1b[31mred"},
	{"\n\r\t\x07\x01\x1f", "\\x0a\\x0d\\x09\\x07\\x01\\x1f"},
	{"\x7f", "\\x7f"},
	{"\xc2\x9b", "\\u{009b}"}, /* CSI as a C1 control */
	{"\x9b", "\\x9b"},         /* and as a raw byte */
	{"\xc2\xa0", "\xc2\xa0"},  /* no-break space: shown as one */
	{"\xc2\xad", "\\u{00ad}"}, /* soft hyphen */
	{"\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac"},
	{"\xf0\x9f\x90\xaa", "\xf0\x9f\x90\xaa"}, /* a camel */
	{"\xe2\x80\x8b", "\\u{200b}"},            /* zero width space */
	{"\xe2\x80\xae", "\\u{202e}"},            /* right-to-left override */
	{"\xe2\x81\xa6", "\\u{2066}"},            /* left-to-right isolate */
	{"\xe2\x80\xa8", "\\u{2028}"},            /* line separator */
	{"\xd8\x9c", "\\u{061c}"},                /* Arabic letter mark */
	{"\xef\xbb\xbf", "\\u{feff}"},            /* byte order mark */
	{"\xee\x80\x80", "\\u{e000}"},            /* private use */
	{"\xef\xbf\xbe", "\\u{fffe}"},
	{"\xf3\xa0\x80\x81", "\\u{e0001}"}, /* a tag */
	{"\xf0\x9d\x85\xb3", "\\u{1d173}"}, /* musical symbol begin beam: formatting */
	{"\xf0\x9b\xb2\xa0", "\\u{1bca0}"}, /* shorthand format letter overlap */
	{"\xf0\x93\x90\xb0", "\\u{13430}"}, /* Egyptian hieroglyph vertical joiner */
	{"\xe3\x85\xa4", "\\u{3164}"},      /* Hangul filler: a letter that shows nothing */
	{"\xcd\x8f", "\\u{034f}"},          /* combining grapheme joiner */
	{"\xcd\xb8", "\\u{0378}"},          /* not assigned */
	{"\xdf\xbf", "\xdf\xbf"},
	{"\xef\xbf\xbd", "\xef\xbf\xbd"}, /* replacement character */
	{"\xf0\x90\x80\x80", "\xf0\x90\x80\x80"},
	{"\xf4\x8f\xbf\xbf", "\\u{10ffff}"},
	{"\xc0\x80", "\\xc0\\x80"}, /* overlong */
	{"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
	{"\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"},
	{"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* surrogate */
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
	{"\xf5\xff\xfe", "\\xf5\\xff\\xfe"},
	{"\xe2\x82", "\\xe2\\x82"}, /* cut short at the end */
	{"\xf0\x90\x80", "\\xf0\\x90\\x80"},
	{"\xe2\x82x", "\\xe2\\x82x"},
	{"\x80\xbf", "\\x80\\xbf"},
};

START_TEST(escape_writes)
{
	const struct escape_case *c = &escape_cases[_i];
	char out[200];

	ck_assert_uint_eq(probes_escape(c->raw, out, sizeof out), strlen(c->safe));
	ck_assert_str_eq(out, c->safe);
}
END_TEST

START_TEST(escape_reads_back_what_it_wrote)
{
	const struct escape_case *c = &escape_cases[_i];
	char out[200];

	ck_assert(escape_decode(c->safe, out));
	ck_assert_str_eq(out, c->raw);
}
END_TEST

START_TEST(escape_round_trip_of_every_pair_of_bytes)
{
	for (unsigned first = 1; first < 256; first++)
		for (unsigned second = 0; second < 256; second++) {
			char raw[4] = {(char)first, (char)second, second ? 'z' : 0, 0};
			char safe[40], back[40];
			bool plain = true;

			probes_escape(raw, safe, sizeof safe);
			for (const char *at = safe; *at; at++)
				plain &= (unsigned char)*at >= 0x20 && *at != 0x7f;
			/* One check for all: a check costs more than what it checks. */
			ck_assert_msg(plain && escape_decode(safe, back) && !strcmp(back, raw),
				"%02x %02x became %s", first, second, safe);
		}
}
END_TEST

/* Every way to cut: a prefix of the whole, of whole pieces, and always ended. */
START_TEST(escape_cut_splits_nothing)
{
	const char *raw = "a\xc3\xa9\x1b\xe2\x82\xac\xe2\x80\xae\\\xf0\x9f\x90\xaaz";
	char whole[100], out[100];
	size_t length = probes_escape(raw, whole, sizeof whole), last = 0;

	for (size_t size = 0; size <= length + 2; size++) {
		char decoded[100];
		size_t got;

		memset(out, '#', sizeof out);
		ck_assert_uint_eq(probes_escape(raw, out, size), length);
		ck_assert_int_eq(out[size], '#');
		if (size == 0)
			continue;
		got = strlen(out);
		ck_assert_uint_lt(got, size);
		ck_assert_uint_ge(got, last);
		ck_assert_mem_eq(out, whole, got);
		/* A piece that was cut would not decode to a beginning of the raw text. */
		ck_assert(escape_decode(out, decoded));
		ck_assert_mem_eq(decoded, raw, strlen(decoded));
		probes_escape(decoded, decoded + 50, 50);
		ck_assert_str_eq(decoded + 50, out);
		last = got;
	}
	ck_assert_uint_eq(last, length);
}
END_TEST

START_TEST(escape_sizes_zero_and_one)
{
	char out[2] = {'#', '#'};

	ck_assert_uint_eq(probes_escape("abc", NULL, 0), 3);
	ck_assert_uint_eq(probes_escape("abc", out, 1), 3);
	ck_assert_int_eq(out[0], '\0');
	ck_assert_int_eq(out[1], '#');
}
END_TEST

static const char *const escape_never_written[] = {"\\", "a\\", "\\n", "\\x", "\\x1", "\\xg0",
	"\\u", "\\u{", "\\u{}", "\\u{12", "\\u{110000}", "\\u{0012", "\\q",
	/* what sscanf would take for a number */
	"\\x 1", "\\x+1", "\\x-1", "\\u{ 202e}", "\\u{+202e}", "\\u{0x202}",
	/* would end the text early, and so name another probe */
	"a\\x00b", "a\\u{0000}b",
	/* no character */
	"\\u{d800}"};

START_TEST(escape_decode_refuses)
{
	char out[40];

	ck_assert_msg(!escape_decode(escape_never_written[_i], out), "%s was decoded",
		escape_never_written[_i]);
}
END_TEST

Suite *escape_suite(void)
{
	Suite *s = suite_create("escape");
	TCase *t = tcase_create("escape");
	int cases = sizeof escape_cases / sizeof *escape_cases;

	tcase_add_loop_test(t, escape_writes, 0, cases);
	tcase_add_loop_test(t, escape_reads_back_what_it_wrote, 0, cases);
	tcase_add_test(t, escape_round_trip_of_every_pair_of_bytes);
	tcase_add_test(t, escape_cut_splits_nothing);
	tcase_add_test(t, escape_sizes_zero_and_one);
	tcase_add_loop_test(t, escape_decode_refuses, 0,
		sizeof escape_never_written / sizeof *escape_never_written);
	suite_add_tcase(s, t);
	return s;
}
