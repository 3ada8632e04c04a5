/* Pieces of a section, and the notes in them; see notes.h. */
#include "elf/notes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTES_PIECE (64 << 10) /* bytes read at once; more where a note is longer */

/* Bytes of a section in memory, and where the rest lies in the file. */
struct notes_piece {
	char *bytes;
	size_t room, held;
	uint64_t next, left;
	Elf_Type type; /* says how notes are aligned */
};

bool notes_init(struct notes *n, size_t room, struct budget *budget, struct tally *tally)
{
	*n = (struct notes){.text = malloc(tally ? 1 : room + 1), .budget = budget, .tally = tally};
	n->end = n->text;
	array_init(&n->list, sizeof(struct note));
	return n->text;
}

void notes_done(struct notes *n)
{
	array_done(&n->list);
	free(n->text);
}

/* A copy of text, unless it is what the last note said. */
static void notes_keep(struct notes *n, const char **text, const char *last)
{
	const char *from = *text;

	*text = last;
	if (last && !strcmp(from, last))
		return;
	*text = n->end;
	n->end = stpcpy(n->end, from) + 1;
}

/* Once a note finds no room, this one and all later notes are only counted. */
static bool notes_fit(struct notes *n, size_t size)
{
	if (!n->budget || (!n->left_out && budget_take_some(n->budget, NOTES_COST + size)))
		return true;
	n->left_out++;
	return false;
}

static bool notes_add(struct notes *n, const void *descriptor, size_t size, uint64_t base)
{
	struct note one, *note, last = {0};

	if (note_parse(descriptor, size, &one) < 0) {
		n->malformed++;
		return true;
	}
	if (n->tally)
		return tally_add(n->tally, one.provider, one.name);
	if (!notes_fit(n, size))
		return true;
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
	return true;
}

/* Take the whole notes, with what fills them up, that a piece begins with; *taken bytes of it. */
static bool notes_take(
	struct notes *n, const struct notes_piece *piece, uint64_t base, size_t *taken)
{
	Elf_Data data = {.d_buf = piece->bytes, .d_size = piece->held, .d_type = piece->type};
	size_t next, name_at, desc_at;
	GElf_Nhdr header;

	*taken = 0;
	while (*taken < piece->held &&
		(next = gelf_getnote(&data, *taken, &header, &name_at, &desc_at)) > 0) {
		if (next > piece->held && piece->left)
			break;
		*taken = next < piece->held ? next : piece->held;
		if (header.n_type != NOTE_TYPE || header.n_namesz != sizeof NOTE_OWNER ||
			memcmp(piece->bytes + name_at, NOTE_OWNER, sizeof NOTE_OWNER))
			continue;
		if (!notes_add(n, piece->bytes + desc_at, header.n_descsz, base))
			return false;
	}
	return true;
}

/* The next bytes of the section behind those that are held; false where there are none. */
static bool notes_fill(struct notes_piece *p, int fd)
{
	size_t most = p->room - p->held;
	ssize_t got =
		pread(fd, p->bytes + p->held, most < p->left ? most : p->left, (off_t)p->next);

	if (got <= 0)
		return false;
	p->held += (size_t)got;
	p->next += (size_t)got;
	p->left -= (size_t)got;
	return true;
}

static bool notes_grow(struct notes_piece *p)
{
	char *bytes = realloc(p->bytes, 2 * p->room);

	if (!bytes)
		return false;
	p->bytes = bytes;
	p->room *= 2;
	return true;
}

bool notes_read(struct notes *n, int fd, const GElf_Shdr *section, uint64_t base)
{
	struct notes_piece p = {.bytes = malloc(NOTES_PIECE),
		.room = NOTES_PIECE,
		.next = section->sh_offset,
		.left = section->sh_size,
		.type = section->sh_addralign == 8 ? ELF_T_NHDR8 : ELF_T_NHDR};
	bool fits = p.bytes;

	while (fits && notes_fill(&p, fd)) {
		size_t taken;

		fits = notes_take(n, &p, base, &taken);
		p.held -= taken;
		memmove(p.bytes, p.bytes + taken, p.held);
		/* A note that is longer than all of this. */
		if (p.held == p.room)
			fits = fits && notes_grow(&p);
	}
	/* What is left is none, or its rest is missing. */
	n->malformed += p.held || p.left;
	free(p.bytes);
	return fits;
}
