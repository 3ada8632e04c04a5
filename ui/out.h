/* Untrusted text on its way to the output, at its full length. */
#ifndef UI_OUT_H
#define UI_OUT_H

#include <stdint.h>

#include "probes.h"
#include "ui/outbuf.h"

/*
 * A text made safe, "provider:name" of a probe; both in a buffer that lives
 * until the next call of the same function. Never NULL.
 */
const char *out_safe(const char *text);
const char *out_spelled(const struct probes_probe *probe);

/* Print a text made safe. */
void out_raw(struct outbuf *page, const char *raw);

/* How many columns a safe text takes on a terminal. */
size_t out_width(const char *safe);
/* Print a safe text, and blanks up to width columns. */
void out_padded(struct outbuf *page, const char *safe, size_t width);

/* Write a number before `end`, "-" for PROBES_NONE; returns where it begins. No NUL. */
char *out_digits(char *end, uint32_t number);

#endif
