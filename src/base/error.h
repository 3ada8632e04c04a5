/* Fill struct probes_error where the facts are: what was wanted, why it failed, what to try. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "probes.h"

/*
 * Set what was wanted; the cause becomes strerror(-code) and the hint empty.
 * code is a negative errno. Returns code, so that `return error_set(...)` reads well.
 */
int error_set(struct probes_error *e, enum probes_status status, int code, const char *what, ...)
	__attribute__((format(printf, 4, 5)));

/* Replace the cause; returns e->code. */
int error_why(struct probes_error *e, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* Say what to try; returns e->code. */
int error_hint(struct probes_error *e, const char *hint, ...) __attribute__((format(printf, 2, 3)));

/* No memory for `what`; returns -ENOMEM. */
int error_memory(struct probes_error *e, const char *what);

#endif
