/* The second unit of the counts victim, see counts.h: sys/sdt.h with a semaphore. */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#include "countable.h"
#include "counts.h"

__attribute__((section(".probes"), used)) volatile unsigned short counts_guarded_semaphore;

ONCE void pass_guarded(long n, struct counted *c)
{
	if (__builtin_expect(counts_guarded_semaphore, 0)) {
		DTRACE_PROBE1(counts, guarded, n);
		COUNTABLE(3);
		c->hits[GUARDED]++;
	}
	if (__builtin_expect(counts_guarded_semaphore, 0)) {
		DTRACE_PROBE2(counts, guarded, n, c->hits[GUARDED]);
		COUNTABLE(4);
		c->hits[GUARDED]++;
	}
}

unsigned guarded_semaphore(void)
{
	return counts_guarded_semaphore;
}
