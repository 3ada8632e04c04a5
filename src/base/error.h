/* Fill struct probes_error where the facts are known: what failed, why, and what to try. */
#pragma once

#include "probes.h"

/*
 * Is this negative errno a shortage in this program (descriptors, memory)? It says nothing about
 * the process or the file that was requested.
 */
bool error_is_shortage(int code);

/*
 * Set what failed; the cause becomes strerror(-code), and the hint empty. `code` is a negative
 * errno. Returns it, so that a caller can write `return error_set(...)`. A shortage always gets
 * PROBES_FAILED, and the error names the limit and how to raise it: the requested status, error_why
 * and error_hint are ignored then.
 */
int error_set(struct probes_error *e, enum probes_status status, int code, const char *what, ...)
	__attribute__((format(printf, 4, 5)));

/* Replace the cause. Returns e->code. */
int error_why(struct probes_error *e, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* Set what to try. Returns e->code. */
int error_hint(struct probes_error *e, const char *hint, ...) __attribute__((format(printf, 2, 3)));

/*
 * Append to the hint what remains, and how to undo it; to the hint of a shortage as well, since it
 * holds whatever the cause. Returns e->code.
 */
int error_remains(struct probes_error *e, const char *hint, ...)
	__attribute__((format(printf, 2, 3)));

/* There is no memory for `what`. Returns -ENOMEM. */
int error_memory(struct probes_error *e, const char *what);

/* fork failed with this code; EAGAIN means a limit on processes. Returns code. */
int error_fork(struct probes_error *e, int code, const char *what, ...)
	__attribute__((format(printf, 3, 4)));

/* The cause of a shortage and what to try, as in an error; *hint may be "". */
void error_explain_shortage(int code, char *why, size_t why_size, char *hint, size_t hint_size);
