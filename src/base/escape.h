/* Escaping of untrusted text, and decoding. Escaping is probes_escape in probes.h. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Decode one UTF-8 character of a NUL-terminated text. Returns its length in
 * bytes and sets *rune, or returns 0 where the bytes are not valid UTF-8
 * (overlong, surrogate, beyond U+10FFFF, cut short).
 */
size_t escape_utf8(const char *text, unsigned *rune);

/*
 * Decode what probes_escape wrote. `out` needs strlen(text) + 1 bytes. False if text holds an
 * escape that probes_escape never writes.
 */
bool escape_decode(const char *text, char *out);

#endif
