/* Reads /proc/PID/pagemap, neighbouring pages in one call. Needs the rights to read memory. */
#include "process/pagemap.h"

#include <unistd.h>

#define PAGEMAP_PRESENT (1ULL << 63)
#define PAGEMAP_SWAPPED (1ULL << 62)
#define PAGEMAP_FILE (1ULL << 61)  /* file page or shared memory */
#define PAGEMAP_ALONE (1ULL << 56) /* mapped exclusively */

#define PAGEMAP_ENTRIES 1024 /* read by one call */
#define PAGEMAP_GAP 64       /* entries that are cheaper to read than to skip */

/*
 * A write copies all other pages: file pages; pages that a fork shares (copied for the first
 * writer); the zero page, which is not mapped exclusively; and pages not present yet. A page in
 * swap takes memory when it returns, but is charged already, and the page that is swapped out for
 * it frees as much.
 */
bool pagemap_is_own(uint64_t entry)
{
	if (entry & PAGEMAP_FILE)
		return false;
	return (entry & PAGEMAP_SWAPPED) || (entry & PAGEMAP_PRESENT && entry & PAGEMAP_ALONE);
}

bool pagemap_is_shared(uint64_t entry)
{
	return (entry & (PAGEMAP_PRESENT | PAGEMAP_FILE | PAGEMAP_ALONE)) == PAGEMAP_PRESENT;
}

/* Read the entries of the pages from `first` to `last`; unreadable ones are 0. */
static void pagemap_read(int fd, uint64_t first, uint64_t last, uint64_t *entries)
{
	size_t count = (size_t)(last - first) + 1;
	ssize_t n = pread(fd, entries, count * sizeof *entries, (off_t)(first * sizeof *entries));

	for (size_t i = n > 0 ? (size_t)n / sizeof *entries : 0; i < count; i++)
		entries[i] = 0;
}

/* Should pages up to `last` be read in one call with those from `first` to `before`? */
static bool pagemap_joins(uint64_t first, uint64_t before, uint64_t next, uint64_t last)
{
	return last - first < PAGEMAP_ENTRIES && (next <= before || next - before <= PAGEMAP_GAP);
}

size_t pagemap_count(int fd, const uint64_t *pages, size_t count)
{
	uint64_t entries[PAGEMAP_ENTRIES];
	size_t copied = 0;

	for (size_t at = 0, end; at < count; at = end) {
		for (end = at + 1; end < count; end++)
			if (!pagemap_joins(pages[at], pages[end - 1], pages[end], pages[end]))
				break;
		pagemap_read(fd, pages[at], pages[end - 1], entries);
		for (size_t i = at; i < end; i++)
			copied += !pagemap_is_own(entries[pages[i] - pages[at]]);
	}
	return copied;
}

static uint64_t pagemap_first(const struct span *span)
{
	return span->address / PAGEMAP_PAGE;
}

static uint64_t pagemap_last(const struct span *span)
{
	return (span->address + span->length - 1) / PAGEMAP_PAGE;
}

void pagemap_mark(int fd, struct spans *spans)
{
	struct span *list = spans->list.data;
	uint64_t entries[PAGEMAP_ENTRIES];

	for (size_t at = 0, end; at < spans->list.count; at = end) {
		uint64_t first = pagemap_first(&list[at]), last = pagemap_last(&list[at]);

		for (end = at + 1; end < spans->list.count; end++) {
			if (!pagemap_joins(first, last, pagemap_first(&list[end]),
				    pagemap_last(&list[end])))
				break;
			last = pagemap_last(&list[end]);
		}
		/* A span that exceeds one call counts as shared: reading mem is always safe. */
		list[at].shared = last - first >= PAGEMAP_ENTRIES;
		if (list[at].shared)
			continue;
		pagemap_read(fd, first, last, entries);
		for (size_t i = at; i < end; i++) {
			list[i].shared = false;
			for (uint64_t p = pagemap_first(&list[i]); p <= pagemap_last(&list[i]); p++)
				list[i].shared |= pagemap_is_shared(entries[p - first]);
		}
	}
}
