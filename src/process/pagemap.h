/*
 * Which pages of a process are its own already, and which a write would copy. Source:
 * Documentation/admin-guide/mm/pagemap.rst in the kernel.
 */
#ifndef PROCESS_PAGEMAP_H
#define PROCESS_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGEMAP_PAGE 4096 /* bytes of a page: x86-64 */

/* Does a write to the page of this entry cost no memory? Pure. */
bool pagemap_is_own(uint64_t entry);

/*
 * Count the pages that a write would copy, of the thread whose /proc directory is `task`. `pages`
 * are page numbers (address / PAGEMAP_PAGE), ascending and distinct. Those that cannot be seen
 * count as copied. Returns 0, or a negative errno where none could be seen.
 */
int pagemap_count(int task, const uint64_t *pages, size_t count, size_t *copied);

#endif
