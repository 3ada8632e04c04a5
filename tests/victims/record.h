/*
 * What a victim's handlers saw. One record for each probe, counted with atomics, since any thread
 * may hit it; and the self-check of the start/end pair and of the registers. The contract of the
 * pair: a start that was recorded must be followed by its end in the same thread before the
 * activity is over; an end without a start is allowed (the pair was switched on in between).
 */
#ifndef VICTIM_RECORD_H
#define VICTIM_RECORD_H

#include <stdatomic.h>
#include <stddef.h>

struct record {
	const char *name;
	atomic_ulong hits;
	atomic_long sum; /* of both arguments of every hit */
};

/* Inline, so that a library has its own and needs none of the program's symbols. */
static inline void record_hit(struct record *r, long x, long y)
{
	atomic_fetch_add(&r->hits, 1);
	atomic_fetch_add(&r->sum, x + y);
}

/* One line for each: `PREFIXname hits=K sum=S`. */
void record_print(const char *prefix, struct record *const *records, size_t count);

/* Called by the handlers of the pair. */
void record_start(void);
void record_end(void);

/* Called by the code between the sites: the activity of this thread is over. */
void record_activity_over(void);

/* Called with what register_check returned. */
void record_corrupt(int bad);

/* `events: start end ...` since the last call; more than fit are given as `(+N more)`. */
void record_print_events(void);

/* `check starts=S ends=E lost_ends=L corrupt=C`. */
void record_print_check(void);

#endif
