/*
 * Covers ui/outbuf: output of all kinds across the buffer's end, compared with printf. Not covered:
 * a stream that fails (e2e/cli-list.sh).
 */
#include "ui/output/outbuf.h"

#include "suites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_SIZE = sizeof((struct outbuf *)0)->bytes };

/* A buffer whose stream is memory, and a stream with the expected output. */
struct outbuf_pair {
	struct outbuf b;
	char *got, *want;
	size_t got_size, want_size;
	FILE *out;
};

static struct outbuf_pair *outbuf_pair_new(void)
{
	struct outbuf_pair *p = malloc(sizeof *p);

	outbuf_begin(&p->b, open_memstream(&p->got, &p->got_size));
	p->out = open_memstream(&p->want, &p->want_size);
	return p;
}

static void outbuf_pair_end(struct outbuf_pair *p)
{
	outbuf_flush(&p->b);
	fclose(p->b.out);
	fclose(p->out);
	ck_assert_uint_eq(p->got_size, p->want_size);
	ck_assert(!memcmp(p->got, p->want, p->got_size));
	free(p->got);
	free(p->want);
	free(p);
}

START_TEST(prints_numbers)
{
	struct outbuf_pair *p = outbuf_pair_new();
	static const uint8_t bytes[] = {0x00, 0x0f, 0xf0, 0xff, 0x3d};

	for (unsigned shift = 0; shift < 64; shift++)
		for (int less = 0; less < 2; less++) {
			uint64_t number = (UINT64_C(1) << shift) - (uint64_t)less;

			outbuf_address(&p->b, number);
			outbuf_text(&p->b, " ");
			outbuf_number(&p->b, (uint32_t)number);
			fprintf(p->out, "0x%" PRIx64 " %" PRIu32, number, (uint32_t)number);
		}
	outbuf_address(&p->b, UINT64_MAX);
	outbuf_hex(&p->b, bytes, sizeof bytes);
	fprintf(p->out, "0x%" PRIx64 "000ff0ff3d", UINT64_MAX);
	outbuf_pair_end(p);
}
END_TEST

/* Pieces of every kind, with lengths that meet the end of the buffer in every way. */
START_TEST(crosses_the_end)
{
	struct outbuf_pair *p = outbuf_pair_new();
	char text[64];

	memset(text, 't', sizeof text);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned length = i * 7 % sizeof text;

		outbuf_bytes(&p->b, text, length);
		outbuf_blanks(&p->b, i % 50);
		outbuf_padded(&p->b, "abc", i % 9);
		outbuf_escaped(&p->b, i % 2 ? "a\tb" : "plain");
		fprintf(p->out, "%.*s%*s%-*s%s", (int)length, text, (int)(i % 50), "", (int)(i % 9),
			"abc", i % 2 ? "a\\x09b" : "plain");
	}
	outbuf_pair_end(p);
}
END_TEST

/* Texts around the size of the buffer, and longer ones. */
START_TEST(takes_long_texts)
{
	static const size_t lengths[] = {
		BUFFER_SIZE - 1, BUFFER_SIZE, BUFFER_SIZE + 1, 3 * BUFFER_SIZE};
	char *text = malloc(3 * BUFFER_SIZE + 1);

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (int before = 0; before < 2; before++) {
			struct outbuf_pair *p = outbuf_pair_new();

			memset(text, 'l', lengths[i]);
			text[lengths[i]] = '\0';
			outbuf_text(&p->b, before ? "b" : "");
			outbuf_text(&p->b, text);
			outbuf_escaped(&p->b, text);
			outbuf_escaped(&p->b, "\n");
			fprintf(p->out, "%s%s%s\\x0a", before ? "b" : "", text, text);
			outbuf_pair_end(p);
		}
	free(text);
}
END_TEST

Suite *outbuf_suite(void)
{
	Suite *s = suite_create("outbuf");
	TCase *t = tcase_create("outbuf");

	tcase_add_test(t, prints_numbers);
	tcase_add_test(t, crosses_the_end);
	tcase_add_test(t, takes_long_texts);
	suite_add_tcase(s, t);
	return s;
}
