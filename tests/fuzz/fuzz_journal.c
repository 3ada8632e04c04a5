/*
 * journal_parse over any bytes: what it says lies within them, the whole blocks alone say the same,
 * and what it says, put on record by the functions that write journals, reads the same.
 */
#include "patch/journal.h"
#include "patch/journal_format.h"

#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#define LARGEST (1u << 20)

static bool same_writes(const struct array *a, const struct array *b)
{
	return a->count == b->count &&
	       (!a->count || !memcmp(a->data, b->data, a->count * sizeof(struct journal_write)));
}

static bool same_text(const struct journal_text *a, const struct journal_text *b)
{
	return a->key.target == b->key.target && a->key.owner == b->key.owner &&
	       a->key.target_start == b->key.target_start &&
	       a->key.target_program == b->key.target_program &&
	       a->key.owner_start == b->key.owner_start && a->key.pids == b->key.pids &&
	       same_writes(&a->writes, &b->writes) && same_writes(&a->last, &b->last);
}

/* As a plan, from which an intent is made. */
static void plan_of(const struct array *writes, struct plan *plan)
{
	*plan = (struct plan){0};
	array_init(&plan->writes, sizeof(struct probes_write));
	for (size_t i = 0; i < writes->count; i++) {
		const struct journal_write *from = ARRAY_AT(writes, struct journal_write, i);
		struct probes_write *w = array_add(&plan->writes);

		FUZZ_CHECK(w);
		w->address = from->address;
		w->is_site = from->is_site;
		w->old[0] = (uint8_t)from->old;
		w->old[1] = (uint8_t)(from->old >> 8);
		w->new_[0] = (uint8_t)from->new_;
		w->new_[1] = (uint8_t)(from->new_ >> 8);
	}
}

/* Ours: a site is one byte, and is marked with 1. */
static bool writable(const struct array *writes)
{
	for (size_t i = 0; i < writes->count; i++) {
		const struct journal_write *w = ARRAY_AT(writes, struct journal_write, i);

		if (w->is_site > 1 || (w->is_site && (w->old > 0xff || w->new_ > 0xff)))
			return false;
	}
	return true;
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
	return text->old ? JOURNAL_HEADER_OLD : sizeof(struct journal_header);
}

static void written_again(const uint8_t *bytes, const struct journal_text *text)
{
	size_t header = header_of(text);
	struct journal j = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};
	struct plan plan;

	FUZZ_CHECK(j.fd >= 0 && write(j.fd, bytes, header) == (ssize_t)header);
	j.length = header;
	plan_of(&text->last, &plan);
	FUZZ_CHECK(journal_settle(&j, text->writes.data, text->writes.count) == 0);
	FUZZ_CHECK(journal_intend(&j, &plan, NULL) == 0);
	check_record(j.fd, text);
	/* An intent that ended, either way. */
	FUZZ_CHECK(journal_conclude(&j, JOURNAL_UNDONE) == 0);
	check_record(j.fd, &(struct journal_text){.key = text->key, .writes = text->writes});
	array_done(&plan.writes);
	journal_leave(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct journal_text text, whole;

	if (size > LARGEST / 4 || !journal_parse(bytes, size, &text))
		return 0;
	FUZZ_CHECK(text.length >= header_of(&text) && text.length <= size);
	FUZZ_CHECK((text.writes.count + text.last.count) * sizeof(struct journal_write) <=
		   text.length - header_of(&text));
	FUZZ_CHECK(journal_parse(bytes, text.length, &whole));
	FUZZ_CHECK(whole.length == text.length && same_text(&text, &whole));
	if (writable(&text.last))
		written_again(bytes, &text);
	journal_text_done(&whole);
	journal_text_done(&text);
	return 0;
}
