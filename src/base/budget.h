/*
 * Limits the memory that all open sessions of this program use for data read from files: a process
 * may map any number of files, each full of notes, and there may be a thousand such processes.
 * Thread-safe, but each budget is used by one thread at a time.
 *
 * In bytes, counted at each allocation; a caller that is refused skips the data and reports that.
 * The limits: one file of 500,000 notes (170 MiB) can still be listed, ten thousand notes need a
 * few megabytes, and the total stays below the memory of a small virtual machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define BUDGET_ALL ((size_t)256 << 20)     /* all sessions */
#define BUDGET_SESSION ((size_t)192 << 20) /* one session */
/* This part of the total is reserved for the first bytes of each session, so that a process that
 * fills the rest does not hide ordinary ones (libjvm.so: 531 notes). */
#define BUDGET_RESERVE ((size_t)32 << 20)
#define BUDGET_SMALL ((size_t)512 << 10)

/* The share of one session. All zero: nothing taken yet. */
struct budget {
	size_t taken;  /* from the total */
	size_t credit; /* part of `taken` that is not used yet */
};

/*
 * Take this many bytes; false: over the limit, nothing was taken. budget_take_some is for the bulk
 * of the data (notes): it leaves the last sixteenth of each limit free for objects and for reports
 * about skipped notes.
 */
bool budget_take(struct budget *b, size_t bytes);
bool budget_take_some(struct budget *b, size_t bytes);

/* Give back the unused part (budget_trim), or everything (budget_done). */
void budget_trim(struct budget *b);
void budget_done(struct budget *b);
