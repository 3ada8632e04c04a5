/* Covers process/maps: lines as the kernel writes them, and lines that it never would. */
#include "process/maps.h"

#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char maps_real[] =
	"55d0c0400000-55d0c0402000 r--p 00000000 fe:01 1835063                    /usr/bin/cat\n"
	"55d0c0402000-55d0c0407000 r-xp 00002000 fe:01 1835063                    /usr/bin/cat\n"
	"55d0c1f5e000-55d0c1f7f000 rw-p 00000000 00:00 0                          [heap]\n"
	"7f0000000000-7f0000001000 rw-s 00001000 00:1f 77 /dev/shm/a b  c (deleted)\n"
	"7f1000000000-7f1000001000 ---p 00000000 00:00 0 \n"
	"7f2000000000-7f2000001000 r-xp 000ff000 103:02 18446744073709551615 /tmp/new\\012line\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

static const struct mapping *maps_at(const struct array *mappings, size_t i)
{
	return ARRAY_AT(mappings, struct mapping, i);
}

static char *maps_from(const char *text, struct array *mappings, size_t *malformed)
{
	char *copy = strdup(text);

	*mappings = ARRAY_OF(struct mapping);
	ck_assert(maps_parse(copy, mappings, malformed));
	return copy;
}

/*
 * What has no file goes, but for code and for what follows a line that stays without a gap (.bss);
 * what is no line stays, and counts as such.
 */
START_TEST(maps_without_the_anonymous)
{
	char text[] = "1000-2000 r--p 00000000 fe:01 18 /a\n"
		      "2000-3000 rw-p 00000000 00:00 0 \n"
		      "3000-4000 r--p 00000000 00:00 0 \n"
		      "4100-5000 rw-p 00000000 00:00 0    [heap]\n"
		      "5000-5100 rw-p 00000000 00:00 0\n"
		      "6000-7000 r-xp 00000000 00:00 0\n"
		      "7100-8000 ---p 00000000 00:00 0\n"
		      "nonsense\n"
		      "8000-aB00 rw-p 00000000 00:00 01 /b\n"
		      "ab00-b000 rw-p 00000000 00:00 0\n"
		      "b001-c000 rw-p 00000000 00:00 0\n";
	static const char left[] = "1000-2000 r--p 00000000 fe:01 18 /a\n"
				   "2000-3000 rw-p 00000000 00:00 0 \n"
				   "3000-4000 r--p 00000000 00:00 0 \n"
				   "6000-7000 r-xp 00000000 00:00 0\n"
				   "nonsense\n"
				   "8000-aB00 rw-p 00000000 00:00 01 /b\n"
				   "ab00-b000 rw-p 00000000 00:00 0\n";

	ck_assert_uint_eq(maps_drop_anonymous(text, strlen(text)), strlen(left));
	ck_assert_int_eq(memcmp(text, left, strlen(left)), 0);
	ck_assert_uint_eq(maps_drop_anonymous(text, 0), 0);
	ck_assert_uint_eq(maps_drop_anonymous(text, 3), 3);
}
END_TEST

START_TEST(maps_real_lines)
{
	struct array m;
	size_t malformed;
	char *text = maps_from(maps_real, &m, &malformed);

	ck_assert_uint_eq(malformed, 0);
	ck_assert_uint_eq(m.count, 7);
	ck_assert_uint_eq(maps_at(&m, 1)->start, 0x55d0c0402000);
	ck_assert_uint_eq(maps_at(&m, 1)->end, 0x55d0c0407000);
	ck_assert_uint_eq(maps_at(&m, 1)->offset, 0x2000);
	ck_assert_uint_eq(maps_at(&m, 1)->major, 0xfe);
	ck_assert_uint_eq(maps_at(&m, 1)->minor, 1);
	ck_assert_uint_eq(maps_at(&m, 1)->inode, 1835063);
	ck_assert_str_eq(maps_at(&m, 1)->path, "/usr/bin/cat");
	ck_assert(maps_at(&m, 1)->readable && maps_at(&m, 1)->executable);
	ck_assert(!maps_at(&m, 1)->writable && !maps_at(&m, 1)->shared);
	ck_assert(maps_at(&m, 3)->shared && maps_at(&m, 3)->deleted);
	ck_assert_str_eq(maps_at(&m, 3)->path, "/dev/shm/a b  c");
	ck_assert_str_eq(maps_at(&m, 4)->path, "");
	ck_assert(!maps_at(&m, 4)->readable && !maps_at(&m, 4)->deleted);
	ck_assert_str_eq(maps_at(&m, 5)->path, "/tmp/new\nline");
	ck_assert_uint_eq(maps_at(&m, 5)->inode, UINT64_MAX);
	ck_assert_uint_eq(maps_at(&m, 5)->major, 0x103);
	ck_assert_uint_eq(maps_at(&m, 6)->start, 0xffffffffff600000);
	array_done(&m);
	free(text);
}
END_TEST

START_TEST(maps_finds_by_address)
{
	struct array m;
	size_t malformed;
	char *text = maps_from(maps_real, &m, &malformed);

	ck_assert_ptr_null(maps_find(&m, 0));
	ck_assert_ptr_eq(maps_find(&m, 0x55d0c0400000), maps_at(&m, 0));
	ck_assert_ptr_eq(maps_find(&m, 0x55d0c0401fff), maps_at(&m, 0));
	ck_assert_ptr_eq(maps_find(&m, 0x55d0c0402000), maps_at(&m, 1));
	ck_assert_ptr_null(maps_find(&m, 0x55d0c0407000));
	ck_assert_ptr_eq(maps_find(&m, 0xffffffffff600fff), maps_at(&m, 6));
	ck_assert_ptr_null(maps_find(&m, UINT64_MAX));
	m.count = 0;
	ck_assert_ptr_null(maps_find(&m, 0x55d0c0400000));
	array_done(&m);
	free(text);
}
END_TEST

static const char *const maps_senseless[] = {"garbage", "1000-2000", "1000-2000 r-xp",
	"2000-1000 r-xp 0 0:0 0 /x", "1000-1000 r-xp 0 0:0 0 /x", "1000-2000 rx 0 0:0 0 /x",
	"zzz-2000 r-xp 0 0:0 0 /x", "1000-2000 r-xp 0 00 0 /x", "-", " "};

START_TEST(maps_leaves_out_garbage)
{
	char line[200];
	struct array m;
	size_t malformed;
	char *text;

	strcpy(line, maps_senseless[_i]);
	strcat(line, "\n5000-6000 rw-p 0 0:0 0 /ok");
	text = maps_from(line, &m, &malformed);
	ck_assert_uint_eq(malformed, 1);
	ck_assert_uint_eq(m.count, 1);
	ck_assert_str_eq(maps_at(&m, 0)->path, "/ok");
	array_done(&m);
	free(text);
}
END_TEST

START_TEST(maps_empty_and_unended)
{
	struct array m;
	size_t malformed;
	char *text = maps_from("", &m, &malformed);

	ck_assert_uint_eq(m.count + malformed, 0);
	array_done(&m);
	free(text);
	text = maps_from("1000-2000 r--p 0 0:0 1 / (deleted)", &m, &malformed);
	ck_assert_uint_eq(m.count, 1);
	ck_assert_str_eq(maps_at(&m, 0)->path, "/");
	ck_assert(maps_at(&m, 0)->deleted);
	array_done(&m);
	free(text);
	text = maps_from("1000-2000 r--p 0 0:0 1 (deleted)\n", &m, &malformed);
	ck_assert_str_eq(maps_at(&m, 0)->path, "(deleted)"); /* without the blank it is a name */
	ck_assert(!maps_at(&m, 0)->deleted);
	array_done(&m);
	free(text);
}
END_TEST

/* Cut at every byte: the kernel hands out whole lines, a full disk of ours may not. */
START_TEST(maps_cut_at_every_byte)
{
	for (size_t size = 0; size < sizeof maps_real; size++) {
		struct array m = ARRAY_OF(struct mapping);
		size_t malformed, lines = 0;
		char *copy = malloc(size + 1);

		memcpy(copy, maps_real, size);
		copy[size] = '\0';
		for (const char *at = copy; *at;
			at = strchrnul(at, '\n') + (*strchrnul(at, '\n') != 0))
			lines++;
		ck_assert(maps_parse(copy, &m, &malformed));
		ck_assert_uint_eq(m.count + malformed, lines);
		ck_assert_uint_le(malformed, 1);
		array_done(&m);
		free(copy);
	}
}
END_TEST

START_TEST(maps_tells_what_is_writable)
{
	char text[] = "1000-2000 r--p 00000000 08:01 5 /a\n"
		      "2000-3000 rw-p 00000000 08:01 5 /a\n"
		      "3000-5000 rwxp 00000000 00:00 0 \n"
		      "5000-6000 rw-s 00000000 00:01 7 /dev/zero\n"
		      "6000-7000 -w-s 00000000 00:01 7 /dev/zero\n"
		      "8000-9000 rw-p 00000000 00:00 0 \n";
	struct array ranges = ARRAY_OF(struct maps_range);
	struct array m = ARRAY_OF(struct mapping);
	size_t malformed;

	ck_assert_ptr_null(maps_range_at(&ranges, 0x2000));
	ck_assert(maps_parse(text, &m, &malformed));
	ck_assert(maps_writable(&m, &ranges));
	ck_assert_uint_eq(ranges.count, 3);
	ck_assert_ptr_null(maps_range_at(&ranges, 0x1fff));
	ck_assert_uint_eq(maps_range_at(&ranges, 0x2000)->end, 0x5000);
	ck_assert(!maps_range_at(&ranges, 0x4fff)->shared);
	ck_assert(maps_range_at(&ranges, 0x5000)->shared);
	ck_assert_uint_eq(maps_range_at(&ranges, 0x6fff)->start, 0x5000);
	ck_assert_ptr_null(maps_range_at(&ranges, 0x7000));
	ck_assert_uint_eq(maps_range_at(&ranges, 0x8fff)->start, 0x8000);
	ck_assert_ptr_null(maps_range_at(&ranges, 0x9000));
	array_done(&ranges);
	array_done(&m);
}
END_TEST

/* A process may have 65530 mappings and more: linear, not worse. */
START_TEST(maps_huge)
{
	enum { LINES = 100000 };
	char *text = malloc(LINES * 60 + 1), *at = text;
	struct array m = ARRAY_OF(struct mapping);
	size_t malformed;

	for (unsigned i = 0; i < LINES; i++)
		at += sprintf(
			at, "%x000-%x000 r-xp 00000000 08:01 %u /a/%u\n", i + 16, i + 17, i, i);
	ck_assert(maps_parse(text, &m, &malformed));
	ck_assert_uint_eq(m.count, LINES);
	ck_assert_uint_eq(malformed, 0);
	ck_assert_str_eq(maps_find(&m, 0x1000ULL * (99999 + 16))->path, "/a/99999");
	array_done(&m);
	free(text);
}
END_TEST

/* However often a process maps one memory. Forked children and decoys lack a part of it. */
START_TEST(maps_lists_each_arena_once)
{
	static const char text[] = "1000-3000 r-xs 00000000 00:01 9 /memfd:probes-tui (deleted)\n"
				   "3000-4000 rw-s 00002000 00:01 9 /memfd:probes-tui (deleted)\n"
				   "4000-5000 rw-p 00000000 00:01 8 /memfd:probes-tui (deleted)\n"
				   "5000-6000 r-xs 00001000 00:01 7 /memfd:probes-tui (deleted)\n"
				   "6000-7000 r-xs 00000000 00:01 5 /memfd:probes-tui (deleted)\n"
				   "7000-9000 r-xs 00000000 00:01 9 /memfd:probes-tui (deleted)\n"
				   "9000-a000 r-xs 00000000 00:01 6 /memfd:probes-tu (deleted)\n"
				   "a000-b000 rw-s 00000000 00:01 4 /memfd:probes-tui (deleted)\n";
	size_t malformed;
	struct array m, arenas;
	char *copy = maps_from(text, &m, &malformed);
	const struct maps_arena *list;

	arenas = ARRAY_OF(*list);
	ck_assert(maps_arenas(&m, &arenas));
	list = arenas.data;
	ck_assert_uint_eq(arenas.count, 2);
	ck_assert_uint_eq(list[0].address, 0x1000);
	ck_assert_uint_eq(list[0].inode, 9);
	ck_assert_uint_eq(list[0].size, 0x5000);
	ck_assert_uint_eq(list[1].address, 0x6000);
	ck_assert_uint_eq(list[1].inode, 5);
	array_done(&arenas);
	array_done(&m);
	free(copy);
}
END_TEST

Suite *maps_suite(void)
{
	Suite *s = suite_create("maps");
	TCase *t = tcase_create("maps");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, maps_real_lines);
	tcase_add_test(t, maps_without_the_anonymous);
	tcase_add_test(t, maps_finds_by_address);
	tcase_add_loop_test(
		t, maps_leaves_out_garbage, 0, sizeof maps_senseless / sizeof *maps_senseless);
	tcase_add_test(t, maps_empty_and_unended);
	tcase_add_test(t, maps_cut_at_every_byte);
	tcase_add_test(t, maps_tells_what_is_writable);
	tcase_add_test(t, maps_lists_each_arena_once);
	tcase_add_test(t, maps_huge);
	suite_add_tcase(s, t);
	return s;
}
