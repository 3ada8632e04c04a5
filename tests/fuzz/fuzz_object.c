/*
 * object_read over any file, and what is asked of an object afterwards: segments, spans, symbols,
 * names of variables, places of return addresses.
 * Notes have names, no more notes than the file has room for, what is read of a segment is what the
 * file holds there, and a file that is refused says why.
 */
#include "elf/object.h"
#include "elf/symbols.h"

#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGEST (1u << 18)

static int file_of(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(!size || write(fd, bytes, size) == (ssize_t)size);
	return fd;
}

static void check_notes(const struct object *o, size_t size)
{
	/* Each takes a header, an owner, three numbers and two names. */
	FUZZ_CHECK(o->note_count <= size / (12 + 8 + 24 + 4));
	for (size_t i = 0; i < o->note_count; i++) {
		const struct note *note = &o->notes[i];

		FUZZ_CHECK(*note->provider && strlen(note->provider) < size);
		FUZZ_CHECK(*note->name && strlen(note->name) < size);
		FUZZ_CHECK(strlen(note->arguments) < size);
	}
}

/* Bytes of a segment: the file's, and none where it has none. */
static void check_spans(const struct object *o, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < o->segment_count; i++) {
		const struct object_segment *s = &o->segments[i];
		unsigned char got[64];
		struct spans spans;

		spans_init(&spans, 0, SIZE_MAX);
		if (spans_add(&spans, s->vaddr, sizeof got) == 0) {
			object_read_spans(o, &spans, got);
			FUZZ_CHECK(spans_got(&spans, 0, sizeof got) <= sizeof got);
			if (i == 0 && s->filesz && spans_got(&spans, 0, 1) == 1)
				FUZZ_CHECK(s->offset < size && got[0] == bytes[s->offset]);
		}
		spans_done(&spans);
	}
}

static void check_segments(const struct object *o)
{
	for (size_t i = 0; i < o->segment_count; i++) {
		const struct object_segment *s = &o->segments[i], *found;

		FUZZ_CHECK(s->memsz >= s->filesz);
		found = object_segment_at(o, s->vaddr, 1);
		FUZZ_CHECK(!s->memsz || (found && found <= s));
		found = object_segment_at(o, s->vaddr, UINT64_MAX);
		FUZZ_CHECK(!found || found->memsz == UINT64_MAX);
	}
}

/* What debug information and unwind tables say: a name is short, and a place is one of memory. */
static void check_symbols(const struct object *o)
{
	struct symbols *symbols = symbols_open(o->fd, "/nowhere/fuzz");
	struct variables_wanted wanted[3] = {{.size = 4}, {.size = 8}, {.size = 8}};
	struct operand_place place = {0};

	if (!symbols)
		return;
	for (size_t i = 0; i < o->note_count && i < 4; i++) {
		uint64_t pc = o->notes[i].pc;

		FUZZ_CHECK(operand_place("%eax", &wanted[0].place));
		FUZZ_CHECK(operand_place("-16(%rbp)", &wanted[1].place));
		FUZZ_CHECK(operand_place("counter(%rip)", &wanted[2].place));
		symbols_variables(symbols, pc, wanted, 3);
		for (size_t k = 0; k < 3; k++)
			FUZZ_CHECK(memchr(wanted[k].name, '\0', sizeof wanted[k].name));
		if (!symbols_return(symbols, pc, &place))
			FUZZ_CHECK(place.what == OPERAND_MEMORY && place.number < OPERAND_NONE &&
				   place.value == (int32_t)place.value);
	}
	symbols_close(symbols);
}

static void check_object(struct object *o, const uint8_t *bytes, size_t size)
{
	FUZZ_CHECK(o->segment_count <= 4096);
	FUZZ_CHECK(o->build_id_size <= sizeof o->build_id);
	FUZZ_CHECK(!o->interpreter || strlen(o->interpreter) < 4097);
	check_notes(o, size);
	check_segments(o);
	check_spans(o, bytes, size);
	check_symbols(o);
	(void)object_symbol(o, "_dl_debug_state");
	free(object_drop_notes(o));
	FUZZ_CHECK(!o->notes && !o->note_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct probes_error e;
	struct object *o = NULL;
	int r;

	if (size > LARGEST)
		return 0;
	memset(&e, 0, sizeof e);
	r = object_read(file_of(bytes, size), "the file", &o, &e);
	if (r < 0) {
		FUZZ_CHECK(*e.what && *e.why);
		return 0;
	}
	check_object(o, bytes, size);
	object_free(o);
	return 0;
}
