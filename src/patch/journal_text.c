/* What a journal says. Pure: bytes in, facts out; every byte of it is untrusted. */
#include "patch/journal.h"
#include "patch/journal_format.h"

#include <string.h>

static bool journal_append(struct array *to, const struct array *from)
{
	if (!array_reserve(to, from->count))
		return false;
	for (size_t i = 0; i < from->count; i++)
		*(struct journal_write *)array_add(to) = *ARRAY_AT(from, struct journal_write, i);
	return true;
}

/* The writes of an intent; `open` of the last array are of intents before it that never ended. */
static bool journal_take(struct journal_text *text, const char *bytes, size_t count)
{
	if (!array_reserve(&text->last, count))
		return false;
	for (size_t i = 0; i < count; i++)
		memcpy(array_add(&text->last), bytes + i * sizeof(struct journal_write),
			sizeof(struct journal_write));
	return true;
}

/* The end of the newest intent, which begins at `open`: done, or undone. */
static bool journal_end(struct journal_text *text, size_t open, bool done)
{
	struct array newest = text->last;
	bool fits = true;

	newest.count = text->last.count - open;
	if (newest.count)
		newest.data = ARRAY_AT(&text->last, struct journal_write, open);
	if (done)
		fits = journal_append(&text->writes, &newest);
	text->last.count = open;
	return fits;
}

/*
 * One block at *at; false at the end or where it is cut short. *open is where the newest intent
 * begins among those whose end is not on record.
 */
static bool journal_block(const char *bytes, size_t size, size_t *at, size_t *open,
	struct journal_text *text, bool *good)
{
	struct journal_block block;
	size_t length;

	if (size - *at < sizeof block)
		return false;
	memcpy(&block, bytes + *at, sizeof block);
	length = (size_t)block.count * sizeof(struct journal_write);
	if (size - *at - sizeof block < length)
		return false;
	*at += sizeof block;
	switch (block.kind) {
	case JOURNAL_INTENT:
		*open = text->last.count;
		*good = journal_take(text, bytes + *at, block.count);
		break;
	case JOURNAL_KNOWN:
		*open = text->last.count = 0;
		*good = journal_take(text, bytes + *at, block.count) && journal_end(text, 0, true);
		break;
	case JOURNAL_DONE:
	case JOURNAL_UNDONE:
		*good = block.count == 0 && journal_end(text, *open, block.kind == JOURNAL_DONE);
		break;
	default:
		*good = false;
	}
	*at += length;
	return *good;
}

/* Length of its header, by its magic; 0: no journal. */
static size_t journal_header_size(const void *bytes, size_t size)
{
	size_t length = 0;

	if (size >= JOURNAL_HEADER_OLD && !memcmp(bytes, JOURNAL_MAGIC_OLD, 8))
		length = JOURNAL_HEADER_OLD;
	else if (size >= sizeof(struct journal_header) && !memcmp(bytes, JOURNAL_MAGIC, 8))
		length = sizeof(struct journal_header);
	return length;
}

bool journal_parse(const void *bytes, size_t size, struct journal_text *text)
{
	struct journal_header header = {.flags = 0};
	size_t at = journal_header_size(bytes, size), open = 0;
	bool good = true;

	array_init(&text->writes, sizeof(struct journal_write));
	array_init(&text->last, sizeof(struct journal_write));
	if (!at)
		return false;
	memcpy(&header, bytes, at);
	text->key = (struct journal_key){.target = (pid_t)header.target,
		.owner = (pid_t)header.owner,
		.target_start = header.target_start,
		.target_program = header.target_program,
		.owner_start = header.owner_start,
		.pids = header.pids,
		.boot = {header.boot[0], header.boot[1]}};
	text->old = at == JOURNAL_HEADER_OLD;
	text->locked = header.flags & JOURNAL_IS_LOCKED;
	while (journal_block(bytes, size, &at, &open, text, &good))
		;
	text->length = at;
	if (!good)
		journal_text_done(text);
	return good;
}

void journal_text_done(struct journal_text *text)
{
	array_done(&text->writes);
	array_done(&text->last);
}
