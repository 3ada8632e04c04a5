/*
 * Buffered output: collected in memory, written to a stream in large pieces. Nobody else may
 * write to the stream before outbuf_flush. Write errors are the stream's (ferror).
 *
 * Also untrusted text on its way to the output: escaped, never truncated, since commands must
 * accept every name that a listing prints.
 */
#pragma once

#include <stdio.h>
#include <string.h>

#include "probes.h"

struct outbuf {
	FILE *out;
	size_t used;
	char bytes[1 << 15];
};

/*
 * From now on a write for a reader that has gone, or beyond a limit on the size of files, fails and
 * does not end us, who may have changes to undo. Programs that we start begin as if it had not been
 * called.
 */
void outbuf_outlive(void);

/*
 * The exit status where the reader of a pipe has gone (`| head`), as if SIGPIPE had ended the
 * program. 0: it is an error like others, since whoever called ignores that signal, or code (errno
 * of a failed write) is another one.
 */
int outbuf_hung_up(int code);

void outbuf_begin(struct outbuf *b, FILE *out);
void outbuf_flush(struct outbuf *b);

/* For outbuf_bytes: flush, then write bytes that did not fit. */
void outbuf_overflow(struct outbuf *b, const char *bytes, size_t length);

/* Inline, so that copying a literal has a constant length. */
static inline void outbuf_bytes(struct outbuf *b, const char *bytes, size_t length)
{
	if (length > sizeof b->bytes - b->used) {
		outbuf_overflow(b, bytes, length);
		return;
	}
	memcpy(b->bytes + b->used, bytes, length);
	b->used += length;
}

/* Print an escaped text. */
static inline void outbuf_text(struct outbuf *b, const char *text)
{
	outbuf_bytes(b, text, strlen(text));
}

/* Print blanks, at most sizeof b->bytes. */
void outbuf_blanks(struct outbuf *b, size_t count);

/* Print an escaped text, padded with blanks to this many columns. */
void outbuf_padded(struct outbuf *b, const char *safe, size_t width);

/* Escape and print a text. */
void outbuf_escaped(struct outbuf *b, const char *raw);

/* Escape a text and print it as a field of CSV, quoted where it must be (RFC 4180). */
void outbuf_csv(struct outbuf *b, const char *raw);

/* Print 0x and hexadecimal digits without leading zeros. */
void outbuf_address(struct outbuf *b, uint64_t address);
void outbuf_number(struct outbuf *b, uint32_t number);

/* Print two hexadecimal digits per byte. */
void outbuf_hex(struct outbuf *b, const uint8_t *bytes, size_t count);

/* Format a number, or "-" for PROBES_NONE, before `end`. Returns its start. No NUL. */
char *outbuf_digits(char *end, uint32_t number);

/*
 * Escape a text; the escaped "provider:name" of a probe. Each returns a static buffer of its own,
 * valid until its next call. Never NULL.
 */
const char *outbuf_safe(const char *raw);
const char *outbuf_probe(const struct probes_probe *probe);

/* The width of an escaped text in terminal columns. */
size_t outbuf_width(const char *safe);
