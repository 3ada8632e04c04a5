/*
 * Which pages of a process are exclusively its own, which a write would copy, and which even a read
 * copies. Source: Documentation/admin-guide/mm/pagemap.rst in the kernel.
 */
#pragma once

#include "base/spans.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGEMAP_PAGE 4096 /* bytes of a page: x86-64 */

/* Does a write to the page of this entry cost no memory? Pure. */
bool pagemap_is_own(uint64_t entry);

/* Is it a page that a fork shares (or the zero page)? Pure. */
bool pagemap_is_shared(uint64_t entry);

/*
 * Count the pages that a write would copy. `pages` are page numbers (address / PAGEMAP_PAGE),
 * ascending and distinct. Unreadable entries count as copied.
 */
size_t pagemap_count(int fd, const uint64_t *pages, size_t count);

/*
 * Set `shared` of each span. process_vm_readv pins what it reads, and since Linux 5.19 a page that
 * a fork shares is copied before it is pinned (FAULT_FLAG_UNSHARE, gup_must_unshare in mm/gup.c): a
 * read would cost the process as much as a write. Reading /proc/PID/mem pins nothing. Unreadable
 * entries count as not shared.
 */
void pagemap_mark(int fd, struct spans *spans);
