/*
 * Covers ui/page, and what ui/put puts on one: over every border of a page, against the same
 * printed by printf. Not covered: a stream that fails (e2e/cli-list.sh).
 */
#include "ui/outbuf.h"

#include "suites.h"
#include "ui/out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_SIZE = sizeof((struct outbuf *)0)->bytes };

/* A page whose stream is memory, and a stream of what is wanted. */
struct page_pair {
	struct outbuf page;
	char *got, *want;
	size_t got_size, want_size;
	FILE *out;
};

static struct page_pair *page_pair_new(void)
{
	struct page_pair *p = malloc(sizeof *p);

	outbuf_begin(&p->page, open_memstream(&p->got, &p->got_size));
	p->out = open_memstream(&p->want, &p->want_size);
	return p;
}

static void page_pair_end(struct page_pair *p)
{
	outbuf_flush(&p->page);
	fclose(p->page.out);
	fclose(p->out);
	ck_assert_uint_eq(p->got_size, p->want_size);
	ck_assert(!memcmp(p->got, p->want, p->got_size));
	free(p->got);
	free(p->want);
	free(p);
}

START_TEST(page_prints_numbers)
{
	struct page_pair *p = page_pair_new();
	static const uint8_t bytes[] = {0x00, 0x0f, 0xf0, 0xff, 0x3d};

	for (unsigned shift = 0; shift < 64; shift++)
		for (int less = 0; less < 2; less++) {
			uint64_t number = (UINT64_C(1) << shift) - (uint64_t)less;

			outbuf_address(&p->page, number);
			outbuf_text(&p->page, " ");
			outbuf_number(&p->page, (uint32_t)number);
			fprintf(p->out, "0x%" PRIx64 " %" PRIu32, number, (uint32_t)number);
		}
	outbuf_address(&p->page, UINT64_MAX);
	outbuf_hex(&p->page, bytes, sizeof bytes);
	fprintf(p->out, "0x%" PRIx64 "000ff0ff3d", UINT64_MAX);
	page_pair_end(p);
}
END_TEST

/* Pieces of every kind, of lengths that meet the end of a page in every way. */
START_TEST(page_goes_on)
{
	struct page_pair *p = page_pair_new();
	char text[64];

	memset(text, 't', sizeof text);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned length = i * 7 % sizeof text;

		outbuf_bytes(&p->page, text, length);
		outbuf_blanks(&p->page, i % 50);
		out_padded(&p->page, "abc", i % 9);
		out_raw(&p->page, i % 2 ? "a\tb" : "plain");
		fprintf(p->out, "%.*s%*s%-*s%s", (int)length, text, (int)(i % 50), "", (int)(i % 9),
			"abc", i % 2 ? "a\\x09b" : "plain");
	}
	page_pair_end(p);
}
END_TEST

/* What is longer than a page: before, at and behind its border. */
START_TEST(page_takes_long_ones)
{
	static const size_t lengths[] = {PAGE_SIZE - 1, PAGE_SIZE, PAGE_SIZE + 1, 3 * PAGE_SIZE};
	char *text = malloc(3 * PAGE_SIZE + 1);

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (int before = 0; before < 2; before++) {
			struct page_pair *p = page_pair_new();

			memset(text, 'l', lengths[i]);
			text[lengths[i]] = '\0';
			outbuf_text(&p->page, before ? "b" : "");
			outbuf_text(&p->page, text);
			out_raw(&p->page, text);
			out_raw(&p->page, "\n");
			fprintf(p->out, "%s%s%s\\x0a", before ? "b" : "", text, text);
			page_pair_end(p);
		}
	free(text);
}
END_TEST

Suite *outbuf_suite(void)
{
	Suite *s = suite_create("outbuf");
	TCase *t = tcase_create("outbuf");

	tcase_add_test(t, page_prints_numbers);
	tcase_add_test(t, page_goes_on);
	tcase_add_test(t, page_takes_long_ones);
	suite_add_tcase(s, t);
	return s;
}
