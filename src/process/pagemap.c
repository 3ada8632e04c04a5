/* Reading /proc/PID/pagemap: neighbours by one call. Needs what reading the memory needs. */
#include "process/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define PAGEMAP_PRESENT (1ULL << 63)
#define PAGEMAP_SWAPPED (1ULL << 62)
#define PAGEMAP_FILE (1ULL << 61)  /* of a file, or shared memory */
#define PAGEMAP_ALONE (1ULL << 56) /* nobody else maps it */

#define PAGEMAP_ENTRIES 1024 /* read by one call */
#define PAGEMAP_GAP 64       /* entries that are cheaper to read than to skip */

/*
 * Everything else is copied: pages of files; pages that a fork shares (a later write copies them
 * for whoever writes first); the zero page, which counts as nobody's; and what is not there yet. A
 * page in swap takes memory when it comes back, but it was paid for once, and what goes to swap in
 * its place gives that back.
 */
bool pagemap_is_own(uint64_t entry)
{
	if (entry & PAGEMAP_FILE)
		return false;
	return (entry & PAGEMAP_SWAPPED) || (entry & PAGEMAP_PRESENT && entry & PAGEMAP_ALONE);
}

/* Some pages that one call reaches; how many of them are the process's own. */
static size_t pagemap_own(int fd, const uint64_t *pages, size_t count)
{
	uint64_t entries[PAGEMAP_ENTRIES];
	size_t own = 0;
	ssize_t n = pread(fd, entries, (pages[count - 1] - pages[0] + 1) * sizeof *entries,
		(off_t)(pages[0] * sizeof *entries));

	for (size_t i = 0; n > 0 && i < count; i++) {
		size_t at = pages[i] - pages[0];

		own += at < (size_t)n / sizeof *entries && pagemap_is_own(entries[at]);
	}
	return own;
}

int pagemap_count(int task, const uint64_t *pages, size_t count, size_t *copied)
{
	int fd = openat(task, "pagemap", O_RDONLY | O_CLOEXEC);

	*copied = count;
	if (fd < 0)
		return -errno;
	for (size_t at = 0, n; at < count; at += n) {
		for (n = 1; at + n < count; n++)
			if (pages[at + n] - pages[at] >= PAGEMAP_ENTRIES ||
				pages[at + n] - pages[at + n - 1] > PAGEMAP_GAP)
				break;
		*copied -= pagemap_own(fd, pages + at, n);
	}
	close(fd);
	return 0;
}
