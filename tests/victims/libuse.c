/*
 * The loop victims' use of libvictim, see libuse.h. Opening and closing excludes the threads that
 * run in the library, so that a victim never jumps into what is gone: the tests are about what the
 * tracer does then.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libuse.h"

#include "libvictim.h"

static const struct libvictim *lib;

#ifdef LIBUSE_DLOPEN

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRANGER 0xa5 /* what is put where the library was */

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *handle;
static unsigned char *was; /* the place of the library that is or was loaded */
static size_t was_size;

static int find_place(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t inside = (uintptr_t)data, end = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
			      info->dlpi_phdr[i].p_memsz;
	if (inside < info->dlpi_addr || inside >= end)
		return 0;
	was = (unsigned char *)info->dlpi_addr;
	was_size = ((end + 4095) & ~(uintptr_t)4095) - info->dlpi_addr;
	return 1;
}

/* Map something else where the library was. */
static void occupy(void)
{
	void *p = MAP_FAILED;

	if (!handle && was)
		p = mmap(was, was_size, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (p == MAP_FAILED) {
		printf("failed to occupy\n");
		return;
	}
	memset(was, STRANGER, was_size);
	printf("done occupied\n");
}

static void tell_touched(void)
{
	for (size_t i = 0; i < was_size; i++)
		if (was[i] != STRANGER) {
			printf("failed touched at %p\n", (void *)(was + i));
			return;
		}
	printf("done untouched\n");
}

/* A copy of a file in memory, without a name of its own. */
static const char *in_memory(const char *path, char name[64])
{
	int file = open(path, O_RDONLY | O_CLOEXEC), memory = memfd_create("hidden", MFD_CLOEXEC);
	struct stat st;

	if (file >= 0 && fstat(file, &st) == 0 &&
		sendfile(memory, file, NULL, (size_t)st.st_size) == st.st_size)
		snprintf(name, 64, "/proc/self/fd/%d", memory);
	close(file);
	return name;
}

static void load(const char *path)
{
	const struct libvictim *(*get)(void);
	char name[64] = "";

	if (handle) {
		printf("failed already loaded\n");
		return;
	}
	handle = dlopen(strncmp(path, "memory:", 7) ? path : in_memory(path + 7, name),
		RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		printf("failed %s\n", dlerror());
		return;
	}
	*(void **)&get = dlsym(handle, "libvictim");
	lib = get ? get() : NULL;
	dl_iterate_phdr(find_place, (void *)lib);
	printf("loaded %s\n", path);
}

static void unload(void)
{
	if (!handle) {
		printf("failed not loaded\n");
		return;
	}
	lib = NULL;
	dlclose(handle);
	handle = NULL;
	printf("unloaded\n");
}

int libuse_command(const char *line)
{
	int known = 1;

	pthread_rwlock_wrlock(&lock);
	if (!strncmp(line, "load ", 5))
		load(line + 5);
	else if (!strcmp(line, "unload"))
		unload();
	else if (!strcmp(line, "occupy"))
		occupy();
	else if (!strcmp(line, "touched"))
		tell_touched();
	else
		known = 0;
	pthread_rwlock_unlock(&lock);
	return known;
}

void libuse_round(long n)
{
	pthread_rwlock_rdlock(&lock);
	if (lib)
		lib->round(n);
	pthread_rwlock_unlock(&lock);
}

#else

/* The linked library cannot go, so there is nothing to lock and no command to obey. */
__attribute__((constructor)) static void find(void)
{
	lib = libvictim();
}

int libuse_command(const char *line)
{
	(void)line;
	return 0;
}

void libuse_round(long n)
{
	lib->round(n);
}

#endif

void libuse_report(void)
{
	if (lib)
		record_print("libvictim.", lib->records, lib->count);
}
