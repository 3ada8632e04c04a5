/* Untrusted text on its way to a stream, at its full length. */
#ifndef UI_PUT_H
#define UI_PUT_H

#include <stdint.h>
#include <stdio.h>

#include "probes.h"

/*
 * A text made safe, "provider:name" of a probe; both in a buffer that lives
 * until the next call of the same function. Never NULL.
 */
const char *put_safe(const char *text);
const char *put_spelled(const struct probes_probe *probe);

/* How many columns a safe text takes on a terminal. */
size_t put_width(const char *safe);
/* Print a safe text, and blanks up to width columns. */
void put_padded(FILE *out, const char *safe, size_t width);

/* Write a number before `end`, "-" for PROBES_NONE; returns where it begins. No NUL. */
char *put_digits(char *end, uint32_t number);

/* Print a text of ours and an address: 0x and as many digits as it has; as fprintf, but quickly. */
void put_address(FILE *out, const char *before, uint64_t address);

#endif
