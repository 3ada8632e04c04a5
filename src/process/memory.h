/*
 * The memory of a live process: read by process_vm_readv, written by pwrite on a /proc/PID/mem that
 * is opened once. After exec or exit that descriptor reads and writes 0 bytes, so that no write can
 * reach another program.
 */
#pragma once

#include "base/spans.h"
#include "probes.h"

struct memory;

/* Access to memory; tests replace it by a fake that fails at step k. */
struct memory_ops {
	/* Read the spans into buffer and set `got` of each; 0, or a negative errno if nothing may
	   be read. A span that faults is read in part, which is no error. */
	int (*read)(struct memory *m, struct spans *spans, unsigned char *buffer);
	/* Write exactly `length` bytes or fail; 0 or a negative errno, -ESRCH: exit or exec. */
	int (*write)(struct memory *m, uint64_t address, const void *bytes, size_t length);
};

struct memory {
	const struct memory_ops *ops;
	pid_t pid;  /* of a live thread; 0: read only through fd */
	int fd;     /* /proc/PID/mem, or -1 where that is denied */
	int denied; /* why: a negative errno, or 0 */
};

/*
 * Open the memory of the thread whose /proc directory is `task`. Never fails: see `denied`. A
 * thread that is not the leader may end at any moment, and its tid be recycled: then reads use only
 * fd.
 */
void memory_open(struct memory *m, int task, pid_t tid, bool leader);
void memory_close(struct memory *m);

/* False after exit and exec. True if the memory is denied. */
bool memory_alive(const struct memory *m);

/* Read one range; false unless all of it was read. */
bool memory_read(struct memory *m, uint64_t address, void *to, size_t length);
