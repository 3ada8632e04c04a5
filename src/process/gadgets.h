/*
 * Code of a process that its tracer can have executed: a system call, and the return from a signal
 * handler. Nothing is written into code.
 */
#ifndef PROCESS_GADGETS_H
#define PROCESS_GADGETS_H

#include "arch/arch.h"
#include "base/array.h"
#include "process/identity.h"

struct memory;

struct gadgets {
	uint64_t at[ARCH_USEFULS]; /* addresses */
};

/*
 * Search code that is never unloaded: the vdso, the program, its loader, its C library. Reads
 * memory, and stops nothing. Status PROBES_REFUSED: there is none.
 */
int gadgets_find(struct gadgets *g, const struct identity *who, struct memory *m,
	const struct array *mappings, struct probes_error *e);

/* Is the code still there? A debugger may have put a breakpoint into it. */
bool gadgets_stand(const struct gadgets *g, struct memory *m);

#endif
