/*
 * Limits the memory that all open sessions of this program take for data read from files: a process
 * may map as many files as it likes, each full of notes, and there may be a thousand such
 * processes. Thread-safe, but each budget is used by one thread at a time.
 *
 * In bytes, counted at each allocation; a caller that is refused leaves the data out and reports
 * it. The figures: one file of 500,000 notes (170 MiB) can still be listed, ten thousand notes need
 * a few megabytes, and the total stays below the memory of a small virtual machine.
 */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#define BUDGET_ALL ((size_t)256 << 20)     /* of all sessions */
#define BUDGET_SESSION ((size_t)192 << 20) /* of one */
/* This part of the total is reserved for the first bytes of each session, so that a process that
 * fills the rest does not hide ordinary ones (libjvm.so: 531 notes). */
#define BUDGET_RESERVE ((size_t)32 << 20)
#define BUDGET_SMALL ((size_t)512 << 10)

/* One session's part. All zero: nothing taken yet. */
struct budget {
	size_t taken;  /* from the total */
	size_t credit; /* of `taken`, not used yet */
};

/*
 * Take so many bytes; false: no room, nothing was taken. budget_take_some is for the bulk of the
 * data (notes): it leaves the last sixteenth of each limit free, so that objects and the reports
 * about left out notes still have room.
 */
bool budget_take(struct budget *b, size_t bytes);
bool budget_take_some(struct budget *b, size_t bytes);

/* Give back the unused part (budget_trim), or everything (budget_done). */
void budget_trim(struct budget *b);
void budget_done(struct budget *b);

#endif
