#include "elf/note.h"

#include "base/cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTES_PIECE (64 << 10) /* bytes read at once; more if a note is longer */

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

size_t note_build_id(const Elf_Data *notes, size_t most, size_t *at)
{
	const char *bytes = notes->d_buf;
	size_t next, name_at;
	GElf_Nhdr header;

	for (size_t i = 0; i < notes->d_size; i = next) {
		next = gelf_getnote((Elf_Data *)notes, i, &header, &name_at, at);
		if (!next)
			break;
		if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof "GNU" &&
			!memcmp(bytes + name_at, "GNU", sizeof "GNU") && header.n_descsz &&
			header.n_descsz <= most)
			return header.n_descsz;
	}
	return 0;
}

/* The bytes of a section in memory, and the rest in the file. */
struct notes_piece {
	char *bytes;
	size_t size, held;
	uint64_t next, left; /* file offset and length of the rest */
	Elf_Type type;       /* alignment of the notes */
};

bool notes_init(struct notes *n, size_t bytes, struct budget *budget, struct tally *tally)
{
	*n = (struct notes){
		.text = malloc(tally ? 1 : bytes + 1), .budget = budget, .tally = tally};
	n->end = n->text;
	n->list = ARRAY_OF(struct note);
	return n->text;
}

void notes_done(struct notes *n)
{
	array_done(&n->list);
	free(n->text);
}

/* Copy the text, or reuse that of the last note if it is the same. */
static void notes_keep(struct notes *n, const char **text, const char *last)
{
	const char *from = *text;

	*text = last;
	if (last && !strcmp(from, last))
		return;
	*text = n->end;
	n->end = stpcpy(n->end, from) + 1;
}

/* Add the whole notes at the start of a piece; *taken: their bytes, with padding. */
static bool notes_take(
	struct notes *n, const struct notes_piece *piece, uint64_t base, size_t *taken)
{
	Elf_Data data = {.d_buf = piece->bytes, .d_size = piece->held, .d_type = piece->type};
	size_t next, name_at, desc_at;
	GElf_Nhdr header;

	*taken = 0;
	while (*taken < piece->held &&
		(next = gelf_getnote(&data, *taken, &header, &name_at, &desc_at)) > 0) {
		struct note one, *note, last = {0};

		if (next > piece->held && piece->left)
			break;
		*taken = next < piece->held ? next : piece->held;
		if (header.n_type != NOTE_TYPE || header.n_namesz != sizeof NOTE_OWNER ||
			memcmp(piece->bytes + name_at, NOTE_OWNER, sizeof NOTE_OWNER))
			continue;
		if (note_parse(piece->bytes + desc_at, header.n_descsz, &one) < 0) {
			n->malformed++;
			continue;
		}
		if (n->tally) {
			if (!tally_add(n->tally, one.provider, one.name))
				return false;
			n->tally->semaphores |= one.semaphore != 0;
			continue;
		}
		/* Once the budget refuses a note, this one and all later ones are only counted. */
		if (n->budget && (n->left_out || !budget_take_some(n->budget,
							 NOTES_COST + header.n_descsz))) {
			n->left_out++;
			continue;
		}
		note = array_add(&n->list);
		if (!note)
			return false;
		*note = one;
		if (n->list.count > 1)
			last = note[-1];
		notes_keep(n, &note->provider, last.provider);
		notes_keep(n, &note->name, last.name);
		notes_keep(n, &note->arguments, *note->arguments ? last.arguments : "");
		if (base)
			note_adjust(note, base);
	}
	return true;
}

bool notes_read(struct notes *n, int fd, const GElf_Shdr *section, uint64_t base)
{
	struct notes_piece p = {.bytes = malloc(NOTES_PIECE),
		.size = NOTES_PIECE,
		.next = section->sh_offset,
		.left = section->sh_size,
		.type = section->sh_addralign == 8 ? ELF_T_NHDR8 : ELF_T_NHDR};
	bool fits = p.bytes;

	while (fits) {
		size_t most = p.size - p.held, taken;
		ssize_t got =
			pread(fd, p.bytes + p.held, most < p.left ? most : p.left, (off_t)p.next);

		if (got <= 0)
			break;
		p.held += (size_t)got;
		p.next += (size_t)got;
		p.left -= (size_t)got;
		fits = notes_take(n, &p, base, &taken);
		p.held -= taken;
		memmove(p.bytes, p.bytes + taken, p.held);
		/* A note that is longer than the buffer. */
		if (fits && p.held == p.size) {
			char *bytes = realloc(p.bytes, 2 * p.size);

			fits = bytes;
			p.bytes = bytes ? bytes : p.bytes;
			p.size *= 2;
		}
	}
	/* Any remainder is a note that is cut short. */
	n->malformed += p.held || p.left;
	free(p.bytes);
	return fits;
}
