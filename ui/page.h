/*
 * Output on its way to a stream: put together in memory, written in large pieces. What is on a page
 * is not in the stream before page_flush: nobody else writes to it meanwhile. Errors are the
 * stream's (ferror).
 */
#ifndef UI_PAGE_H
#define UI_PAGE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct page {
	FILE *out;
	size_t used;
	char bytes[1 << 15];
};

void page_begin(struct page *page, FILE *out);
void page_flush(struct page *page);

/* Bytes for which there is no room: write out what there is. */
void page_overflow(struct page *page, const char *bytes, size_t length);

/* Here, so that the length of a literal is known where it is copied. */
static inline void page_bytes(struct page *page, const char *bytes, size_t length)
{
	if (length > sizeof page->bytes - page->used) {
		page_overflow(page, bytes, length);
		return;
	}
	memcpy(page->bytes + page->used, bytes, length);
	page->used += length;
}

/* A text that is safe: ours, or made so. */
static inline void page_text(struct page *page, const char *text)
{
	page_bytes(page, text, strlen(text));
}

/* At most a page of them. */
void page_blanks(struct page *page, size_t count);

/* 0x and as many digits as it has. */
void page_address(struct page *page, uint64_t address);
void page_number(struct page *page, uint32_t number);

/* Two digits a byte. */
void page_hex(struct page *page, const uint8_t *bytes, size_t count);

#endif
