/*
 * note_parse over any descriptor: it takes exactly what the format allows (said here a second time,
 * by looking for NULs), its strings lie inside the descriptor one after the other, what it read
 * written out again reads the same, and no adjustment makes an address of a 0.
 */
#include "elf/note.h"

#include "tests/fuzz/fuzz.h"

static size_t put(uint8_t *to, size_t at, const void *bytes, size_t size)
{
	memcpy(to + at, bytes, size);
	return at + size;
}

static bool expected(const uint8_t *bytes, size_t size)
{
	size_t nuls[3] = {0}, found = 0;

	if (size < 24)
		return false;
	for (size_t i = 24; i < size && found < 3; i++)
		if (!bytes[i])
			nuls[found++] = i;
	if (found < 2 || nuls[0] == 24 || nuls[1] == nuls[0] + 1)
		return false;
	return found == 3 || nuls[1] + 1 == size;
}

static void written_again(const struct note *note, size_t size)
{
	uint8_t *out = malloc(size + 1);
	struct note again;
	size_t at = 0;

	FUZZ_CHECK(out);
	at = put(out, at, &note->pc, 8);
	at = put(out, at, &note->base, 8);
	at = put(out, at, &note->semaphore, 8);
	at = put(out, at, note->provider, strlen(note->provider) + 1);
	at = put(out, at, note->name, strlen(note->name) + 1);
	at = put(out, at, note->arguments, strlen(note->arguments) + 1);
	FUZZ_CHECK(at <= size + 1);
	FUZZ_CHECK(note_parse(out, at, &again) == 0);
	FUZZ_CHECK(again.pc == note->pc && again.base == note->base);
	FUZZ_CHECK(again.semaphore == note->semaphore);
	FUZZ_CHECK(!strcmp(again.provider, note->provider) && !strcmp(again.name, note->name));
	FUZZ_CHECK(!strcmp(again.arguments, note->arguments));
	free(out);
}

static void adjusted(const struct note *note)
{
	struct note moved = *note;

	note_adjust(&moved, note->base);
	FUZZ_CHECK(moved.pc == note->pc && moved.semaphore == note->semaphore);
	note_adjust(&moved, note->base + 0x1000);
	FUZZ_CHECK(moved.pc == (note->pc ? note->pc + 0x1000 : 0));
	FUZZ_CHECK(moved.semaphore == (note->semaphore ? note->semaphore + 0x1000 : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *from = (const char *)bytes + 24, *end = (const char *)bytes + size;
	struct note note;
	bool good = note_parse(bytes, size, &note) == 0;

	FUZZ_CHECK(good == expected(bytes, size));
	if (!good)
		return 0;
	FUZZ_CHECK(note.provider == from);
	FUZZ_CHECK(note.name == note.provider + strlen(note.provider) + 1);
	from = note.name + strlen(note.name) + 1;
	FUZZ_CHECK(from <= end);
	FUZZ_CHECK(from == end ? !*note.arguments : note.arguments == from);
	FUZZ_CHECK(from == end || from + strlen(from) < end);
	written_again(&note, size);
	adjusted(&note);
	return 0;
}
