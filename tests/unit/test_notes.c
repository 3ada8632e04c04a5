/* Covers elf/note: a section in pieces of any size, against the notes that it was made of. */
#include "elf/note.h"

#include "elf_builder.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOTES_MANY = 5000, NOTES_LONG = 200000, NOTES_AHEAD = 100 };

static char notes_long_name[NOTES_LONG + 1];

/* The i-th of many: names of all lengths, now and then one that no piece has room for. */
static struct elf_note notes_one(size_t i, char *name)
{
	size_t length = (size_t)sprintf(name, "n%05zu", i);

	memset(name + length, 'x', i % 37);
	name[length + i % 37] = '\0';
	return (struct elf_note){.pc = 0x1000 + i,
		.base = 0x10,
		.semaphore = i % 3,
		.provider = i % 5 ? "often" : "seldom",
		.name = i % 1999 ? name : notes_long_name,
		.arguments = i % 7   ? "8@%rax"
			     : i % 2 ? ""
				     : NULL};
}

static void notes_fill_up(struct array *to, size_t align)
{
	static const char zeros[8];

	elf_put(to, zeros, -to->count % align);
}

/* A note whose parts begin at multiples of `align`. */
static void notes_put(struct array *to, const struct elf_note *note, size_t align)
{
	Elf64_Nhdr header = {.n_namesz = sizeof NOTE_OWNER, .n_type = NOTE_TYPE};
	struct array d;

	d = ARRAY_OF(char);
	elf_put_descriptor(&d, note);
	header.n_descsz = (uint32_t)d.count;
	elf_put(to, &header, sizeof header);
	elf_put(to, NOTE_OWNER, sizeof NOTE_OWNER);
	notes_fill_up(to, align);
	elf_put(to, d.data, d.count);
	notes_fill_up(to, align);
	array_done(&d);
}

static int notes_file(const struct array *section)
{
	char name[] = "/tmp/probes-notes-XXXXXX";
	int fd = mkstemp(name);

	ck_assert_int_ge(fd, 0);
	unlink(name);
	ck_assert_int_eq(pwrite(fd, section->data, section->count, NOTES_AHEAD), section->count);
	return fd;
}

static void notes_compare(const struct notes *n, size_t count, uint64_t moved)
{
	char name[64];

	ck_assert_uint_eq(n->list.count, count);
	for (size_t i = 0; i < count; i++) {
		const struct note *note = ARRAY_AT(&n->list, struct note, i);
		struct elf_note wanted = notes_one(i, name);

		ck_assert_uint_eq(note->pc, wanted.pc + moved);
		ck_assert_uint_eq(note->semaphore, wanted.semaphore ? wanted.semaphore + moved : 0);
		ck_assert_str_eq(note->provider, wanted.provider);
		ck_assert_str_eq(note->name, wanted.name);
		ck_assert_str_eq(note->arguments, wanted.arguments ? wanted.arguments : "");
	}
}

START_TEST(notes_in_pieces)
{
	const size_t align = _i ? 8 : 4;
	struct array section;
	GElf_Shdr header = {.sh_offset = NOTES_AHEAD, .sh_addralign = align};
	struct notes n;
	char name[64];
	int fd;

	memset(notes_long_name, 'l', NOTES_LONG);
	section = ARRAY_OF(char);
	for (size_t i = 0; i < NOTES_MANY; i++) {
		struct elf_note note = notes_one(i, name);

		notes_put(&section, &note, align);
	}
	header.sh_size = section.count;
	fd = notes_file(&section);
	ck_assert(notes_init(&n, section.count, NULL, NULL));
	ck_assert(notes_read(&n, fd, &header, 0x30));
	ck_assert_uint_eq(n.malformed, 0);
	notes_compare(&n, NOTES_MANY, 0x20);
	notes_done(&n);
	/* Cut short within the last note: all the others, and a rest that makes no sense. */
	header.sh_size -= 12;
	ck_assert(notes_init(&n, section.count, NULL, NULL));
	ck_assert(notes_read(&n, fd, &header, 0));
	ck_assert_uint_eq(n.malformed, 1);
	notes_compare(&n, NOTES_MANY - 1, 0);
	notes_done(&n);
	/* The file ends before the section does. */
	header.sh_size += 4096;
	ck_assert(notes_init(&n, header.sh_size, NULL, NULL));
	ck_assert(notes_read(&n, fd, &header, 0));
	ck_assert_uint_eq(n.malformed, 1);
	ck_assert_uint_eq(n.list.count, NOTES_MANY);
	notes_done(&n);
	close(fd);
	array_done(&section);
}
END_TEST

/* What the last note said too is kept once. */
START_TEST(notes_say_it_once)
{
	static const struct elf_note note = {0x10, 0, 0, "provider", "name", "8@%rax"};
	GElf_Shdr header = {.sh_offset = NOTES_AHEAD, .sh_addralign = 4};
	const struct note *kept;
	struct array section;
	struct notes n;
	int fd;

	section = ARRAY_OF(char);
	notes_put(&section, &note, 4);
	notes_put(&section, &note, 4);
	header.sh_size = section.count;
	fd = notes_file(&section);
	ck_assert(notes_init(&n, section.count, NULL, NULL));
	ck_assert(notes_read(&n, fd, &header, 0));
	ck_assert_uint_eq(n.list.count, 2);
	kept = n.list.data;
	ck_assert_ptr_eq(kept[0].provider, kept[1].provider);
	ck_assert_ptr_eq(kept[0].name, kept[1].name);
	ck_assert_ptr_eq(kept[0].arguments, kept[1].arguments);
	ck_assert_int_eq(n.end - n.text, sizeof "provider" + sizeof "name" + sizeof "8@%rax");
	notes_done(&n);
	close(fd);
	array_done(&section);
}
END_TEST

Suite *notes_suite(void)
{
	Suite *s = suite_create("notes");
	TCase *t = tcase_create("notes");

	tcase_add_loop_test(t, notes_in_pieces, 0, 2);
	tcase_add_test(t, notes_say_it_once);
	suite_add_tcase(s, t);
	return s;
}
