/*
 * Output on its way to a stream: put together in memory, written in large pieces. What is on a page
 * is not in the stream before outbuf_flush: nobody else writes to it meanwhile. Errors are the
 * stream's (ferror).
 */
#ifndef UI_OUTBUF_H
#define UI_OUTBUF_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct outbuf {
	FILE *out;
	size_t used;
	char bytes[1 << 15];
};

void outbuf_begin(struct outbuf *page, FILE *out);
void outbuf_flush(struct outbuf *page);

/* Bytes for which there is no room: write out what there is. */
void outbuf_overflow(struct outbuf *page, const char *bytes, size_t length);

/* Here, so that the length of a literal is known where it is copied. */
static inline void outbuf_bytes(struct outbuf *page, const char *bytes, size_t length)
{
	if (length > sizeof page->bytes - page->used) {
		outbuf_overflow(page, bytes, length);
		return;
	}
	memcpy(page->bytes + page->used, bytes, length);
	page->used += length;
}

/* A text that is safe: ours, or made so. */
static inline void outbuf_text(struct outbuf *page, const char *text)
{
	outbuf_bytes(page, text, strlen(text));
}

/* At most a page of them. */
void outbuf_blanks(struct outbuf *page, size_t count);

/* 0x and as many digits as it has. */
void outbuf_address(struct outbuf *page, uint64_t address);
void outbuf_number(struct outbuf *page, uint32_t number);

/* Two digits a byte. */
void outbuf_hex(struct outbuf *page, const uint8_t *bytes, size_t count);

#endif
