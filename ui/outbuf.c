/*
 * A page is written out where the next piece does not fit. Owns how numbers look; of what is
 * printed it knows nothing.
 */
#include "ui/outbuf.h"

static const char outbuf_digits[] = "0123456789abcdef";

void outbuf_begin(struct outbuf *page, FILE *out)
{
	page->out = out;
	page->used = 0;
}

void outbuf_flush(struct outbuf *page)
{
	fwrite(page->bytes, 1, page->used, page->out);
	page->used = 0;
}

void outbuf_overflow(struct outbuf *page, const char *bytes, size_t length)
{
	outbuf_flush(page);
	fwrite(bytes, 1, length, page->out);
}

void outbuf_blanks(struct outbuf *page, size_t count)
{
	if (count > sizeof page->bytes - page->used)
		outbuf_flush(page);
	if (count > sizeof page->bytes)
		count = sizeof page->bytes;
	memset(page->bytes + page->used, ' ', count);
	page->used += count;
}

void outbuf_address(struct outbuf *page, uint64_t address)
{
	char text[18] = "0x";
	unsigned count = (67 - (unsigned)__builtin_clzll(address | 1)) / 4;

	for (unsigned i = count; i--; address >>= 4)
		text[2 + i] = outbuf_digits[address & 15];
	outbuf_bytes(page, text, 2 + count);
}

void outbuf_number(struct outbuf *page, uint32_t number)
{
	char digits[10], *at = digits + sizeof digits;

	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	outbuf_bytes(page, at, (size_t)(digits + sizeof digits - at));
}

void outbuf_hex(struct outbuf *page, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		outbuf_bytes(page, &outbuf_digits[bytes[i] >> 4], 1);
		outbuf_bytes(page, &outbuf_digits[bytes[i] & 15], 1);
	}
}
