/* Untrusted text on its way to the output, at its full length. */
#ifndef UI_PUT_H
#define UI_PUT_H

#include <stdint.h>

#include "probes.h"
#include "ui/page.h"

/*
 * A text made safe, "provider:name" of a probe; both in a buffer that lives
 * until the next call of the same function. Never NULL.
 */
const char *put_safe(const char *text);
const char *put_spelled(const struct probes_probe *probe);

/* Print a text made safe. */
void put_raw(struct page *page, const char *raw);

/* How many columns a safe text takes on a terminal. */
size_t put_width(const char *safe);
/* Print a safe text, and blanks up to width columns. */
void put_padded(struct page *page, const char *safe, size_t width);

/* Write a number before `end`, "-" for PROBES_NONE; returns where it begins. No NUL. */
char *put_digits(char *end, uint32_t number);

#endif
