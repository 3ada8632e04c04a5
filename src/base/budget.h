/*
 * How much memory all open sessions of this program may take for what files say: a process may map
 * as many files as it likes, each full of notes, and there may be a thousand such processes. Safe
 * in several threads; one budget is used by one of them at a time.
 *
 * In bytes, counted where they are taken: what is refused is left out, and said. The figures:
 * a single file of 500,000 notes (170 MiB) can still be listed; ten thousand notes are a few
 * megabytes; and all together stay below what a small virtual machine has.
 */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#define BUDGET_ALL ((size_t)256 << 20)     /* of all sessions */
#define BUDGET_SESSION ((size_t)192 << 20) /* of one */
/* Of the whole the last part is for the first bytes of each: whoever fills the rest does not keep
 * ordinary processes (libjvm.so: 531 notes) from being seen. */
#define BUDGET_RESERVE ((size_t)32 << 20)
#define BUDGET_SMALL ((size_t)512 << 10)

/* One session's part. All zero: nothing taken yet. */
struct budget {
	size_t taken;  /* of the whole */
	size_t credit; /* of that, not used yet */
};

/*
 * Take so many bytes; false: nothing was taken, there is no room for them. budget_take_some is for
 * what there is most of: the last sixteenth of each bound is kept from it, so that what is
 * said about the rest has room.
 */
bool budget_take(struct budget *b, size_t bytes);
bool budget_take_some(struct budget *b, size_t bytes);

/* Give back what is taken and not used; likewise all of it. */
void budget_trim(struct budget *b);
void budget_done(struct budget *b);

#endif
