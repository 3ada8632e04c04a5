/*
 * Probes of sys/sdt.h with semaphores, in two units. `shared` has one semaphore for both units;
 * `private` has one of its own in each, as static probes of two objects linked into one do. Every
 * site is guarded by its semaphore, and the program counts when it saw it raised.
 */
#ifndef VICTIM_SDT_SEMA_H
#define VICTIM_SDT_SEMA_H

#define _SDT_HAS_SEMAPHORES 1
#include <stdatomic.h>
#include <stdio.h>
#include <sys/sdt.h>

#define ONCE __attribute__((noinline, used))
#define SEMAPHORE __attribute__((section(".probes"), used))

extern volatile unsigned short victim_shared_semaphore;

struct guarded {
	const char *name;
	volatile unsigned short *semaphore;
	atomic_ulong passes; /* came to the place */
	atomic_ulong taken;  /* and saw the semaphore raised */
};

static inline int guarded_pass(struct guarded *g)
{
	atomic_fetch_add(&g->passes, 1);
	if (!*g->semaphore)
		return 0;
	atomic_fetch_add(&g->taken, 1);
	return 1;
}

static inline void guarded_print(struct guarded *g)
{
	printf("%s passes=%lu guarded=%lu sema=%u\n", g->name, atomic_load(&g->passes),
		atomic_load(&g->taken), *g->semaphore);
}

/* The second unit. */
void sema2_round(long n);
void sema2_report(void);

#endif
