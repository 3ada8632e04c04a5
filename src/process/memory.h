/*
 * The memory of a live process: read by process_vm_readv, written by pwrite on
 * a /proc/PID/mem that is opened once. After exec or exit that descriptor reads
 * and writes 0 bytes, so that no write can ever reach another program.
 */
#ifndef PROCESS_MEMORY_H
#define PROCESS_MEMORY_H

#include "base/spans.h"
#include "probes.h"

struct memory;

/* How memory is reached; tests put a fake here that fails at step k. */
struct memory_ops {
	/* Fill the spans into buffer and set each `got`; 0 or a negative errno where nothing at
	   all may be read. A span that faults is got in part: no error. */
	int (*read)(struct memory *m, struct spans *spans, unsigned char *buffer);
	/* Write exactly `length` bytes or fail; 0 or a negative errno, -ESRCH when it has gone. */
	int (*write)(struct memory *m, uint64_t address, const void *bytes, size_t length);
};

struct memory {
	const struct memory_ops *ops;
	pid_t pid;  /* of a thread that lives; 0: read through fd alone */
	int fd;     /* /proc/PID/mem, or -1 where that is denied */
	int denied; /* why: a negative errno, or 0 */
};

/*
 * Open the memory of the thread whose /proc directory is `task`. Never fails: see `denied`. Where
 * that is not the leader it may end at any moment and its number be given to another process: then
 * no read goes by the number.
 */
void memory_open(struct memory *m, int task, pid_t tid, bool leader);
void memory_close(struct memory *m);

/* False after exit and after exec. Where the memory is denied: true. */
bool memory_alive(const struct memory *m);

/* One read of one range; false unless all of it was got. */
bool memory_read(struct memory *m, uint64_t address, void *to, size_t length);

#endif
