/* Another tool at our sites: the kernel's own uprobes, by perf_event_open(2). */
#ifndef STRESS_UPROBE_H
#define STRESS_UPROBE_H

#include "truth.h"

/*
 * Put one on the first site of a probe; where it is sdt the kernel counts it in the semaphore.
 * The descriptor, whose closing takes it away; -1 where that is not permitted or not known here.
 */
int uprobe_place(const struct field *f, const struct truth_probe *p);
/* The same at any address of any file that it has mapped; semaphore: an address, or 0. */
int uprobe_place_at(const struct field *f, const char *file, uint64_t site, uint64_t semaphore);

#endif
