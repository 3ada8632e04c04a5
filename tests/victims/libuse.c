/*
 * The loop victims' use of libvictim, see libuse.h. Opening and closing excludes the threads that
 * run in the library, so that a victim never jumps into what is gone: the tests are about what the
 * tracer does then.
 */
#include "libuse.h"

#include "libvictim.h"

static const struct libvictim *lib;

#ifdef LIBUSE_DLOPEN

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *handle;

static void load(const char *path)
{
	const struct libvictim *(*get)(void);

	if (handle) {
		printf("failed already loaded\n");
		return;
	}
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		printf("failed %s\n", dlerror());
		return;
	}
	*(void **)&get = dlsym(handle, "libvictim");
	lib = get ? get() : NULL;
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
