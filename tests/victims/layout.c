/* See layout.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "layout.h"

#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096UL

struct range {
	char *start;
	size_t size;
	int rights;
};

static struct range range_of(const struct dl_phdr_info *info, const ElfW(Phdr) * p)
{
	uintptr_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;

	start &= ~(PAGE - 1);
	end = (end + PAGE - 1) & ~(PAGE - 1);
	return (struct range){(char *)start, end - start,
		(p->p_flags & PF_R ? PROT_READ : 0) | (p->p_flags & PF_W ? PROT_WRITE : 0) |
			(p->p_flags & PF_X ? PROT_EXEC : 0)};
}

/* Every second page, the first one among them, of all that is written or executed. */
static int split(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (info->dlpi_name[0] && !strstr(info->dlpi_name, "libvictim"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		struct range r = range_of(info, &info->dlpi_phdr[i]);

		if (info->dlpi_phdr[i].p_type != PT_LOAD || !(r.rights & (PROT_WRITE | PROT_EXEC)))
			continue;
		for (size_t at = 0; at < r.size; at += 2 * PAGE)
			if (mprotect(r.start + at, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
				*(int *)data = 1;
	}
	return 0;
}

/* The program itself comes first. What moves is the code that runs here: it is the same there. */
static int giga(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *how = data;
	int all = *how == 'a', part = *how == 'p';

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		struct range r = range_of(info, &info->dlpi_phdr[i]);
		char *copy;

		if (info->dlpi_phdr[i].p_type != PT_LOAD || r.rights & PROT_WRITE ||
			!(all || part || r.rights & PROT_EXEC))
			continue;
		if (part && r.rights & PROT_EXEC)
			r.size = PAGE;
		copy = mmap(
			NULL, r.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (copy == MAP_FAILED)
			return -1;
		memcpy(copy, r.start, r.size);
		if (mprotect(copy, r.size, r.rights) ||
			mremap(copy, r.size, r.size, MREMAP_MAYMOVE | MREMAP_FIXED, r.start) !=
				r.start)
			return -1;
	}
	return 1;
}

/* Its code as a shared mapping of its file, as linkers and loaders of one's own may have it. */
static int share(struct dl_phdr_info *info, size_t size, void *data)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)size;
	(void)data;
	for (int i = 0; fd >= 0 && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		struct range r = range_of(info, p);

		if (p->p_type == PT_LOAD && r.rights & PROT_EXEC &&
			mmap(r.start, r.size, r.rights, MAP_SHARED | MAP_FIXED, fd,
				(off_t)(p->p_offset & ~(PAGE - 1))) != r.start)
			return -1;
	}
	return fd < 0 || close(fd) ? -1 : 1;
}

int layout_command(const char *line)
{
	int failed = 0;

	if (!strcmp(line, "split")) {
		dl_iterate_phdr(split, &failed);
	} else if (!strncmp(line, "gigatext", 8)) {
		failed = dl_iterate_phdr(giga, (void *)(line[8] ? line + 9 : "")) != 1;
	} else if (!strcmp(line, "share")) {
		failed = dl_iterate_phdr(share, NULL) != 1;
	} else {
		return 0;
	}
	printf(failed ? "failed\n" : "done %s\n", line);
	return 1;
}
