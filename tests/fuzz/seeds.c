/*
 * Writes what the fuzzing begins with:
 *
 *   seeds FOLDER [ELF-FILE...]
 *
 * makes FOLDER/note, operand, maps, journal, object, emulator, recording, tactics and arena, each
 * with small files: made here, and the notes and arguments of the ELF files named (and these
 * themselves, where they are small).
 */
#include "count/arena.h"
#include "elf/object.h"
#include "patch/journal.h"
#include "process/procfs.h"

#include "tests/unit/elf_builder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMALL (48u << 10)
#define NOTES_OF_A_FILE 12

static const char *folder;
static unsigned made;

static void die(const char *what)
{
	fprintf(stderr, "seeds: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void seed(const char *target, const void *bytes, size_t size)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, target);
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		die(path);
	snprintf(path, sizeof path, "%s/%s/%03u", folder, target, made++);
	file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		die(path);
}

static void seed_note(const struct note *n)
{
	struct elf_note note = {n->pc, n->base, n->semaphore, n->provider, n->name, n->arguments};
	struct array bytes;

	bytes = ARRAY_OF(char);
	elf_put_descriptor(&bytes, &note);
	seed("note", bytes.data, bytes.count);
	array_done(&bytes);
	if (n->arguments && *n->arguments)
		seed("operand", n->arguments, strlen(n->arguments));
}

static void seed_whole(int fd)
{
	char bytes[SMALL];
	ssize_t size = pread(fd, bytes, sizeof bytes, 0);

	if (size > 0 && size < (ssize_t)sizeof bytes)
		seed("object", bytes, (size_t)size);
}

static void seeds_of_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct probes_error e;
	struct object *o = NULL;

	if (fd < 0)
		die(path);
	seed_whole(fd);
	if (object_read(fd, path, &o, &e) < 0)
		return;
	for (size_t i = 0; i < o->note_count && i < NOTES_OF_A_FILE; i++)
		seed_note(&o->notes[i]);
	object_free(o);
}

static void seeds_of_notes(void)
{
	seed_note(&(struct note){0x1010, 0x2000, 0x400010, "ocaml_2", "name", ""});
	seed_note(&(struct note){0, 0x2000, 0x400010, "ocaml_2", "no_site", NULL});
	seed_note(&(struct note){0x1020, 0, 0, "libc", "setjmp", "8@%rdi -4@%esi"});
}

static void seeds_of_operands(void)
{
	static const char *const texts[] = {"8@%rdi -4@$-1 8f@%xmm0 -8@16(%rsp)",
		"4@-20(%rbp,%rax,4) 8@symbol(%rip) 8@symbol+8(%rip)", "8@%eax %rdi (%rax) 1@%al",
		"2@(%rdi, %rsi, 2) -1@symbol@GOTPCREL(%rip)", "3@%rax @ 8@ 4@[sp, 16] ((("};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		seed("operand", texts[i], strlen(texts[i]));
}

/* What this process says of itself, and lines that are hard. */
static void seeds_of_proc(void)
{
	static const char *const files[] = {
		"/proc/self/maps", "/proc/self/stat", "/proc/self/status"};
	static const char hard[] =
		"7f0000000000-7f0000001000 rw-s 00001000 00:1f 77 /dev/shm/a b  c (deleted)\n"
		"7f1000000000-7f1000001000 ---p 00000000 00:00 0 \n"
		"7f2000000000-7f2000001000 r-xp 000ff000 103:02 9 /tmp/new\\012line\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  "
		"[vsyscall]\n";
	static const char stat[] = "7 (a) (b) ) Z 1 7 7 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 99 0";

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		size_t size;
		char *text;

		if (procfs_read(AT_FDCWD, &text, &size, "%s", files[i]) == 0)
			seed("maps", text, size < 2000 ? size : 2000);
		free(text);
	}
	seed("maps", hard, sizeof hard - 1);
	seed("maps", stat, sizeof stat - 1);
}

static void seed_journal(size_t intents, enum journal_kind end)
{
	struct journal_key key = {
		.target = 41872, .owner = 7, .target_start = 99, .owner_start = 98};
	struct probes_edit list[] = {{.address = 0x401000,
					     .length = 1,
					     .role = PROBES_ROLE_CODE,
					     .old = {0x3d},
					     .new_ = {0xe8}},
		edit_semaphore(0x402000, 0, 1)};
	struct array edits = {.data = list, .count = 2, .size = sizeof *list};
	struct array known = {.data = list, .count = intents % 3, .size = sizeof *list};
	struct journal j;
	char bytes[1000];
	bool fits;
	int fd;

	if (journal_open(&j, &key) < 0)
		die("a journal");
	fits = journal_record(&j, JOURNAL_KNOWN, &known, NULL) == 0;
	for (size_t i = 0; fits && i < intents; i++)
		fits = journal_record(&j, JOURNAL_INTENT, &edits, NULL) == 0 &&
		       (i % 2 ? journal_record(&j, JOURNAL_DECIDED, &known, NULL) == 0
			      : journal_record(&j, end, NULL, NULL) == 0);
	fd = open(j.path, O_RDONLY | O_CLOEXEC);
	if (!fits || fd < 0)
		die(j.path);
	seed("journal", bytes, (size_t)read(fd, bytes, sizeof bytes));
	close(fd);
	journal_remove(&j);
}

static void seed_arena(size_t sites)
{
	static unsigned char bytes[4 * TACTICS_PAGE];
	struct arena_head head = {.magic = ARENA_MAGIC,
		.data_size = TACTICS_STATE_BYTES + 4 * TACTICS_PAGE,
		.code_size = 16 * TACTICS_PAGE,
		.recorder = arena_records_size(sites),
		.site_count = sites,
		.file_size = TACTICS_STATE_BYTES + 20 * TACTICS_PAGE};

	memcpy(bytes, &head, sizeof head);
	for (size_t i = 0; i < sites; i++) {
		struct arena_site site = {.address = 0x401000 + 16 * i,
			.counter = arena_head_size(sites) + i * TACTICS_COUNTER_BYTES,
			.tactic = PROBES_TACTIC_PUNNED,
			.length = 1,
			.old = {0x90},
			.new_ = {0xe9}};

		/* One that begins within the data, and does not end there. */
		if (i == 2)
			site.counter = 4 * TACTICS_PAGE - 64;
		memcpy(bytes + sizeof head + i * sizeof site, &site, sizeof site);
	}
	seed("arena", bytes, sizeof bytes);
}

static void seed_object(const struct elf_spec *spec)
{
	struct elf_file f = elf_build(spec);

	seed("object", f.bytes, f.size);
	free(f.bytes);
}

/* Its notes are named by 91 section headers more: what is kept of them must not grow with that. */
static void seed_notes_many_times(const struct elf_spec *spec)
{
	enum { HEADER = 64, AGAIN = 91, SHOFF = 0x28, SHNUM = 0x3c };
	struct elf_file f = elf_build(spec);
	uint16_t count = (uint16_t)(f.section_count + AGAIN);
	uint64_t at = f.size;
	struct array bytes;

	bytes = ARRAY_OF(char);
	elf_put(&bytes, f.bytes, f.size);
	elf_put(&bytes, f.bytes + f.sections, (size_t)f.section_count * HEADER);
	for (int i = 0; i < AGAIN; i++)
		elf_put(&bytes, f.bytes + f.sections + (size_t)f.notes_section * HEADER, HEADER);
	memcpy((char *)bytes.data + SHOFF, &at, sizeof at);
	memcpy((char *)bytes.data + SHNUM, &count, sizeof count);
	seed("object", bytes.data, bytes.count);
	array_done(&bytes);
	free(f.bytes);
}

static void seeds_of_objects(void)
{
	static const unsigned char text[] = {0x90, 0x3d, 1, 2, 3, 4, 0x90};
	static const unsigned char id[20] = {1, 2, 3};
	static const struct elf_note notes[] = {{ELF_TEXT, 0x2000, ELF_DATA, "ocaml_2", "one", ""},
		{0, 0x2000, ELF_DATA, "ocaml_2", "two", NULL},
		{ELF_TEXT + 6, 0x2000, 0, "sdt", "three", "8@%rdi"}};
	struct elf_spec spec = {.notes = notes,
		.note_count = 3,
		.text = text,
		.text_size = sizeof text,
		.data_size = 16};

	seed_object(&spec);
	spec.build_id = id;
	spec.build_id_size = sizeof id;
	seed_notes_many_times(&spec);
	spec.base_section = 0x3000;
	spec.headers_segment = true;
	seed_object(&spec);
	spec.interpreter = "/lib64/ld-linux-x86-64.so.2";
	spec.split = 4;
	spec.type = 2; /* ET_EXEC */
	seed_object(&spec);
	spec.no_sections = true;
	seed_object(&spec);
	spec.note_segments = true;
	seed_object(&spec);
	spec.no_sections = false;
	seed_object(&spec);
}

/* What full-screen programs and coloured logs write; 0xff, 0xfe: see fuzz_emulator.c. */
static void seeds_of_terminals(void)
{
	static const char *const texts[] = {
		"plain\r\n\ttab\b\b\033[31;1mred\033[0m\r\n\033[38;5;200;48;2;1;2;3mx\033[K\n",
		"\033[?1049h\033[22;0;0t\033[?1h\033=\033[H\033[2Jtop\033[3;1H\033[7mPID\033[m\033["
		"K"
		"\033[5;1H\033[?25l\033[?1049l\033[23;0;0t\r\033[?1l\033>",
		"\033[2;4r\033[4;1H\n\n\033M\033[1L\033[2M\033[3@\033[2P\033[1S\033[1T\033[4X\033["
		"r",
		"\033(0lqqk\033(B\xe6\xbc\xa2\xe5\xad\x97"
		"e\xcc\x81\xcc\x82x\033[5b",
		"\033]0;title\007\033]52;c;AAAA\033\\\033Pq#1\033\\\033[c\033[>c\033[6n\033[5n",
		"\0337\033[4;9Hlow\xff\x02\x03\0338x\xff\x20\x50\033[?6h\033[9;9Hy\033c",
		"\033[?69h\033[2;5s\033[?6h\033[H\033[?2004h\xfe\x01\xfe\x0a\033[?1h\xfe\x01",
		"?ascii \xe2\x94\x80\xe6\xbc\xa2\xff\x02\x02\xc2\x9b\xe2\x80\xae\xf0\x9f\x98\x80",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		seed("emulator", texts[i], strlen(texts[i]));
}

/* Sites and the code behind them: see fuzz_tactics.c. */
static void seeds_of_tactics(void)
{
	static const struct {
		uint8_t bytes[64];
		size_t size;
	} plans[] = {
		/* One site, nothing else. */
		{{7, 0, 0, 0, 1, 1, 0, 0x90, 0x48, 0x8d, 0x05, 0x49, 0x35, 0, 0}, 16},
		/* Where its jump would land, something lies: 0x35058d48 from pc+5 on. */
		{{3, 1, 1, 0, 0x80, 0x05, 0x35, 0, 0x10, 0, 0, 0, 1, 1, 0, 0x90, 0x48, 0x8d, 0x05,
			 0x35, 0xc3},
			24},
		{{7, 0, 0, 1, 0x4d, 0x48, 0x89, 0x83, 5, 0, 1, 1, 0, 0x90, 0x48, 0x89, 0x83, 0xe0,
			 0x01, 0x74, 0x05},
			24},
		/* Three bytes apart, and nop; nop. */
		{{3, 5, 0, 0, 2, 1, 3, 1, 3, 0x90, 0xeb, 0x04, 0x90, 0x48, 0x8b, 0x05, 0x10, 0x20,
			 0, 0},
			24},
		{{3, 0, 0, 0, 2, 1, 1, 1, 1, 0x90, 0x90, 0x48, 0x8d, 0x3d, 0x10, 0x20, 0x30, 0},
			20},
		/* Many: with a whole one, short code, a breakpoint, other tools. */
		{{6, 0x80, 0, 0, 6, 1, 8, 15, 8, 1, 9, 0x71, 8, 1, 8, 0, 4, 0x90, 0xe8, 1, 2, 3, 4,
			 0x90, 0x90, 0x90, 0x3d, 1, 2, 3, 4, 5, 0xcc, 0x90, 0x55, 0x48, 0x89, 0xe5,
			 0xcc, 0x90, 0x90, 0xc3, 0xe9, 0x90, 0x0f, 0x05},
			56},
	};

	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
		seed("tactics", plans[i].bytes, plans[i].size);
}

static void seeds_of_recordings(void)
{
	static const char head[] =
		"{\"probes_tui_recording\":1,\"of\":\"events\",\"host\":\"h\",\"utc_offset\":3600}"
		"\n"
		"{\"process\":0,\"pid\":7,\"comm\":\"c\",\"program\":\"/p\",\"start\":5}\n"
		"{\"object\":0,\"of\":0,\"path\":{\"hex\":\"2fff\"},\"build_id\":\"ab\"}\n"
		"{\"probe\":0,\"of\":0,\"provider\":\"p\",\"name\":\"n\",\"sites\":2}\n"
		"{\"site\":0,\"of\":0,\"pc\":\"0x1\",\"names\":[\"fd\",null]}\n{\"kept\":0,"
		"\"sites\":2}\n";
	static const char *const rest[] = {
		"{\"event\":0,\"site\":1,\"time_ns\":9,\"pid\":7,\"tid\":8,\"thread\":\"t\","
		"\"args\":"
		"[{\"i\":-1,\"size\":4},{\"u\":\"18446744073709551615\",\"size\":8,\"asked\":true},"
		"{\"f\":0.5,\"size\":8},{\"f\":\"nan\",\"size\":8},{\"size\":8},"
		"{\"u\":1,\"size\":8,\"text\":{\"hex\":\"ff01\"},\"cut\":true}],"
		"\"caller\":{\"address\":\"0x55\",\"pc\":\"0x5\",\"object\":\"/"
		"o\",\"function\":\"f\",\"offset\":2,"
		"\"file\":\"f.c\",\"line\":3}}\n{\"lost\":3}\n",
		"{\"rate\":0,\"time_ns\":1,\"ns\":2,\"hits\":3}\n",
		"{\"latency\":0,\"end\":0,\"row\":0,\"rows\":1,\"by\":0,\"matched\":2,\"sum_ns\":"
		"30,"
		"\"min_ns\":10,\"max_ns\":20,\"buckets\":[[10,1],[16,1]]}\n",
		("{\"end\":\"e\",\"events\":1,\"lost\":3,\"undecided\":2,\"only_counted\":0,"
		 "\"sites_lost\":1,\"seconds\":1.5}\n"),
	};
	char text[4096];

	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
		int length = snprintf(text, sizeof text, "%s%s", head, rest[i]);

		seed("recording", text, (size_t)length);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: seeds FOLDER [ELF-FILE...]\n");
		return 2;
	}
	folder = argv[1];
	seeds_of_notes();
	seeds_of_operands();
	seeds_of_proc();
	seed_journal(0, JOURNAL_DONE);
	seed_journal(1, JOURNAL_DONE);
	seed_journal(4, JOURNAL_UNDONE);
	seeds_of_objects();
	seeds_of_terminals();
	seeds_of_tactics();
	seeds_of_recordings();
	for (size_t sites = 0; sites < 4; sites++)
		seed_arena(sites);
	for (int i = 2; i < argc; i++)
		seeds_of_file(argv[i]);
	return 0;
}
