/*
 * journal_parse over any bytes: what it says lies within them, the whole blocks alone say the same,
 * and what it says, put on record by the functions that write journals, reads the same.
 */
#include "patch/journal.h"

#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#define LARGEST (1u << 20)
#define SMALLEST 12 /* bytes of an edit: address, role, length, old, new */

static bool same_edits(const struct array *a, const struct array *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct probes_edit *x = ARRAY_AT(a, struct probes_edit, i);
		const struct probes_edit *y = ARRAY_AT(b, struct probes_edit, i);

		if (x->address != y->address || x->role != y->role || x->length != y->length ||
			memcmp(x->old, y->old, x->length) || memcmp(x->new_, y->new_, x->length))
			return false;
	}
	return true;
}

static bool same_text(const struct journal_text *a, const struct journal_text *b)
{
	return a->key.target == b->key.target && a->key.owner == b->key.owner &&
	       a->key.target_start == b->key.target_start &&
	       a->key.target_program == b->key.target_program &&
	       a->key.owner_start == b->key.owner_start && a->key.pids == b->key.pids &&
	       same_edits(&a->made, &b->made) && same_edits(&a->pending, &b->pending);
}

static void check_record(int fd, const struct journal_text *text)
{
	uint8_t *bytes = malloc(LARGEST);
	struct journal_text again;
	ssize_t size;

	FUZZ_CHECK(bytes);
	size = pread(fd, bytes, LARGEST, 0);
	FUZZ_CHECK(size > 0 && size < LARGEST);
	FUZZ_CHECK(journal_parse(bytes, (size_t)size, &again));
	FUZZ_CHECK(again.length == (size_t)size);
	FUZZ_CHECK(same_text(text, &again));
	journal_text_done(&again);
	free(bytes);
}

static size_t header_of(const struct journal_text *text)
{
	return text->version == 2 ? JOURNAL_HEADER_2 : JOURNAL_HEADER;
}

static void written_again(const uint8_t *bytes, const struct journal_text *text)
{
	size_t header = header_of(text);
	struct journal j = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};

	FUZZ_CHECK(j.fd >= 0 && write(j.fd, bytes, header) == (ssize_t)header);
	j.length = header;
	FUZZ_CHECK(journal_record(&j, JOURNAL_KNOWN, &text->made, NULL) == 0);
	FUZZ_CHECK(journal_record(&j, JOURNAL_INTENT, &text->pending, NULL) == 0);
	check_record(j.fd, text);
	/* An intent that ended, either way. */
	FUZZ_CHECK(journal_record(&j, JOURNAL_UNDONE, NULL, NULL) == 0);
	check_record(j.fd, &(struct journal_text){.key = text->key, .made = text->made});
	journal_leave(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct journal_text text, whole;

	if (size > LARGEST / 4 || !journal_parse(bytes, size, &text))
		return 0;
	FUZZ_CHECK(text.length >= header_of(&text) && text.length <= size);
	FUZZ_CHECK((text.made.count + text.pending.count) * SMALLEST <=
		   text.length - header_of(&text));
	FUZZ_CHECK(journal_parse(bytes, text.length, &whole));
	FUZZ_CHECK(whole.length == text.length && same_text(&text, &whole));
	written_again(bytes, &text);
	journal_text_done(&whole);
	journal_text_done(&text);
	return 0;
}
