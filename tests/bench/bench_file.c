/* Measuring what reads files: commands as a whole, and the bare reading of the notes. */
#include "bench.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void bench_run(char **args)
{
	struct rusage used;
	uint64_t begin = bench_now(), took;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(args[3], &args[3]);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &used) != pid)
		bench_die(args[3], "cannot wait");
	took = bench_now() - begin;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		bench_die(args[3], "it failed");
	bench_put(args[0], args[1], args[2], "ms", (double)took / 1e6);
	bench_put(args[0], args[1], args[2], "MiB", (double)used.ru_maxrss / 1024);
}

/* ---- ELF, as far as it is needed here ---- */

struct bench_elf {
	int fd;
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	char *names;
};

static void bench_get(int fd, void *to, size_t size, uint64_t at)
{
	if (pread(fd, to, size, (off_t)at) != (ssize_t)size)
		bench_die("a file", "cannot be read");
}

static void bench_write(int fd, const void *from, size_t size, uint64_t at)
{
	if (pwrite(fd, from, size, (off_t)at) != (ssize_t)size)
		bench_die("a file", "cannot be written");
}

static void *bench_room(size_t size)
{
	void *room = calloc(1, size + 1);

	if (!room)
		bench_die("memory", "there is none");
	return room;
}

static void bench_open_elf(struct bench_elf *e, const char *file)
{
	const Elf64_Shdr *names;
	size_t size;

	e->fd = open(file, O_RDONLY);
	if (e->fd < 0)
		bench_die(file, "cannot be opened");
	bench_get(e->fd, &e->header, sizeof e->header, 0);
	size = (size_t)e->header.e_shnum * sizeof *e->sections;
	/* One more than there are: bench_sparse adds one. */
	e->sections = bench_room(size + sizeof *e->sections);
	bench_get(e->fd, e->sections, size, e->header.e_shoff);
	names = &e->sections[e->header.e_shstrndx];
	e->names = bench_room(names->sh_size);
	bench_get(e->fd, e->names, names->sh_size, names->sh_offset);
}

static void bench_close_elf(struct bench_elf *e)
{
	close(e->fd);
	free(e->sections);
	free(e->names);
}

void bench_notes(char **args)
{
	struct bench_elf e;
	const Elf64_Shdr *notes = NULL;
	void *room;

	bench_open_elf(&e, args[0]);
	for (unsigned i = 0; i < e.header.e_shnum; i++)
		if (!strcmp(e.names + e.sections[i].sh_name, ".note.stapsdt"))
			notes = &e.sections[i];
	if (!notes)
		bench_die(args[0], "it has no notes");
	room = bench_room(notes->sh_size);
	for (int i = 0; i < BENCH_TURNS; i++) {
		uint64_t begin = bench_now();

		bench_get(e.fd, room, notes->sh_size, notes->sh_offset);
		bench_put("list", args[1], "bare", "ms", (double)(bench_now() - begin) / 1e6);
	}
	free(room);
	bench_close_elf(&e);
}

/* A copy with one more section, .debug_sparse, before new section headers: a hole in the file. */
void bench_sparse(char **args)
{
	static const char name[] = ".debug_sparse";
	uint64_t hole = strtoull(args[2], NULL, 10) << 30, at;
	struct bench_elf e;
	struct stat st;
	Elf64_Shdr *names, *added;
	char *copy;
	int fd = open(args[1], O_RDWR | O_CREAT | O_TRUNC, 0755);

	bench_open_elf(&e, args[0]);
	if (fd < 0 || fstat(e.fd, &st) < 0)
		bench_die(args[1], "cannot be made");
	copy = bench_room((size_t)st.st_size);
	bench_get(e.fd, copy, (size_t)st.st_size, 0);
	bench_write(fd, copy, (size_t)st.st_size, 0);
	added = &e.sections[e.header.e_shnum++];
	names = &e.sections[e.header.e_shstrndx];
	at = ((uint64_t)st.st_size + 4095) & ~4095ull;
	*added = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
		.sh_name = (Elf64_Word)names->sh_size,
		.sh_offset = at,
		.sh_size = hole,
		.sh_addralign = 1};
	at += hole;
	bench_write(fd, e.names, names->sh_size, at);
	bench_write(fd, name, sizeof name, at + names->sh_size);
	names->sh_offset = at;
	names->sh_size += sizeof name;
	e.header.e_shoff = (at + names->sh_size + 7) & ~7ull;
	bench_write(fd, e.sections, e.header.e_shnum * sizeof *e.sections, e.header.e_shoff);
	bench_write(fd, &e.header, sizeof e.header, 0);
	close(fd);
	free(copy);
	bench_close_elf(&e);
}
