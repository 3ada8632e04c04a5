/* Fill struct probes_error where the facts are: what was wanted, why it failed, what to try. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "probes.h"

/*
 * Is this negative errno a shortage of our own (descriptors, memory)? It says nothing about the
 * process or the file that was asked for.
 */
bool error_is_shortage(int code);

/*
 * Set what was wanted; the cause becomes strerror(-code) and the hint empty.
 * code is a negative errno. Returns code, so that `return error_set(...)` reads well.
 * A shortage of our own always gets PROBES_FAILED, and the error names the limit and how to raise
 * it: the requested status, error_why and error_hint are ignored then.
 */
int error_set(struct probes_error *e, enum probes_status status, int code, const char *what, ...)
	__attribute__((format(printf, 4, 5)));

/* Replace the cause; returns e->code. */
int error_why(struct probes_error *e, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* Say what to try; returns e->code. */
int error_hint(struct probes_error *e, const char *hint, ...) __attribute__((format(printf, 2, 3)));

/* No memory for `what`; returns -ENOMEM. */
int error_memory(struct probes_error *e, const char *what);

/* fork failed with this code: EAGAIN from fork means a limit on processes. Returns code. */
int error_fork(struct probes_error *e, int code, const char *what, ...)
	__attribute__((format(printf, 3, 4)));

/* The cause of a shortage and what to try, worded as in an error; *hint may be "". */
void error_explain_shortage(int code, char *why, size_t why_size, char *hint, size_t hint_size);

#endif
