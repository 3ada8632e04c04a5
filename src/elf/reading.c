#include "elf/reading.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define READING_MOST_BYTES ((rlim_t)1 << 30)

/* The limit applies to the process: two threads that set it at once would restore each other's. */
static pthread_mutex_t reading_limited = PTHREAD_MUTEX_INITIALIZER;
static rlim_t reading_held; /* bytes of all that is open; under the lock */

/* Size of our address space, in bytes; 0: unknown. */
static rlim_t reading_our_size(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

void reading_begin(struct reading *r)
{
	struct rlimit limit;
	rlim_t most;

	pthread_mutex_lock(&reading_limited);
	r->size = reading_our_size();
	if (!r->size || getrlimit(RLIMIT_AS, &r->before) < 0) {
		r->size = 0;
		return;
	}
	most = reading_held < READING_MOST_BYTES ? READING_MOST_BYTES - reading_held : 0;
	limit = r->before;
	if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > r->size + most)
		limit.rlim_cur = r->size + most;
	if (setrlimit(RLIMIT_AS, &limit) < 0)
		r->size = 0;
}

void reading_end(const struct reading *r, size_t *bytes)
{
	rlim_t now = r->size ? reading_our_size() : 0;

	if (r->size)
		(void)setrlimit(RLIMIT_AS, &r->before);
	if (bytes && now > r->size) {
		*bytes += (size_t)(now - r->size);
		reading_held += now - r->size;
	}
	pthread_mutex_unlock(&reading_limited);
}

void reading_release(size_t bytes)
{
	pthread_mutex_lock(&reading_limited);
	reading_held -= bytes;
	pthread_mutex_unlock(&reading_limited);
}

bool reading_crowded(void)
{
	bool crowded;

	pthread_mutex_lock(&reading_limited);
	crowded = reading_held > READING_MOST_BYTES / 4;
	pthread_mutex_unlock(&reading_limited);
	return crowded;
}
