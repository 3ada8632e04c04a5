/* Parsing of one note's descriptor; every byte of it is untrusted. */
#include "elf/note.h"

#include "base/cursor.h"

#include <errno.h>

int note_parse(const void *descriptor, size_t size, struct note *note)
{
	struct cursor c = {.at = descriptor, .left = size};

	if (!cursor_u64(&c, &note->pc) || !cursor_u64(&c, &note->base) ||
		!cursor_u64(&c, &note->semaphore))
		return -EBADMSG;
	if (!cursor_string(&c, &note->provider) || !cursor_string(&c, &note->name))
		return -EBADMSG;
	if (!*note->provider || !*note->name)
		return -EBADMSG;
	note->arguments = "";
	if (c.left && !cursor_string(&c, &note->arguments))
		return -EBADMSG;
	return 0;
}

void note_adjust(struct note *note, uint64_t base_section)
{
	uint64_t moved = base_section - note->base;

	if (note->pc)
		note->pc += moved;
	if (note->semaphore)
		note->semaphore += moved;
}
