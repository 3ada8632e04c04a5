/*
 * A helper of the tests, no victim: makes files and programs that are hard to find.
 *   hide exec FILE ARG...   run a program from memory (memfd), without a file
 *   hide prelink FILE       as prelink(8) leaves it: its notes say addresses that are all lower by
 *                           64 KiB than they are, and their base says by how much
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOVED 0x10000

static int run(char **argv, char **environment)
{
	int file = open(argv[0], O_RDONLY | O_CLOEXEC),
	    memory = memfd_create("hidden", MFD_CLOEXEC);
	struct stat st;

	if (file < 0 || memory < 0 || fstat(file, &st) < 0 ||
		sendfile(memory, file, NULL, (size_t)st.st_size) != st.st_size)
		return perror(argv[0]), 1;
	fexecve(memory, argv, environment);
	return perror("fexecve"), 1;
}

/* One note's pc, base and semaphore; 0 means none. */
static void move(char *descriptor)
{
	uint64_t values[3];

	memcpy(values, descriptor, sizeof values);
	for (int i = 0; i < 3; i++)
		values[i] -= values[i] ? MOVED : 0;
	memcpy(descriptor, values, sizeof values);
}

static void move_all(char *at, const char *end)
{
	while (end - at >= (long)sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr n;

		memcpy(&n, at, sizeof n);
		at += sizeof n + ((n.n_namesz + 3) & ~3u);
		move(at);
		at += (n.n_descsz + 3) & ~3u;
	}
}

static int prelink(const char *name)
{
	int fd = open(name, O_RDWR | O_CLOEXEC);
	const Elf64_Shdr *sections;
	struct stat st;
	char *file;

	if (fd < 0 || fstat(fd, &st) < 0)
		return perror(name), 1;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED)
		return perror(name), 1;
	sections = (const Elf64_Shdr *)(file + ((const Elf64_Ehdr *)file)->e_shoff);
	for (int i = 0; i < ((const Elf64_Ehdr *)file)->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i], *names = sections;

		names += ((const Elf64_Ehdr *)file)->e_shstrndx;
		if (!strcmp(file + names->sh_offset + s->sh_name, ".note.stapsdt"))
			move_all(file + s->sh_offset, file + s->sh_offset + s->sh_size);
	}
	return 0;
}

int main(int argc, char **argv, char **environment)
{
	if (argc >= 3 && !strcmp(argv[1], "exec"))
		return run(argv + 2, environment);
	if (argc == 3 && !strcmp(argv[1], "prelink"))
		return prelink(argv[2]);
	return 2;
}
