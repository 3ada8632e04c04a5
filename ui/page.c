/*
 * A page is written out where the next piece does not fit. Owns how numbers look; of what is
 * printed it knows nothing.
 */
#include "ui/page.h"

static const char page_digits[] = "0123456789abcdef";

void page_begin(struct page *page, FILE *out)
{
	page->out = out;
	page->used = 0;
}

void page_flush(struct page *page)
{
	fwrite(page->bytes, 1, page->used, page->out);
	page->used = 0;
}

void page_overflow(struct page *page, const char *bytes, size_t length)
{
	page_flush(page);
	fwrite(bytes, 1, length, page->out);
}

void page_blanks(struct page *page, size_t count)
{
	if (count > sizeof page->bytes - page->used)
		page_flush(page);
	if (count > sizeof page->bytes)
		count = sizeof page->bytes;
	memset(page->bytes + page->used, ' ', count);
	page->used += count;
}

void page_address(struct page *page, uint64_t address)
{
	char text[18] = "0x";
	unsigned count = (67 - (unsigned)__builtin_clzll(address | 1)) / 4;

	for (unsigned i = count; i--; address >>= 4)
		text[2 + i] = page_digits[address & 15];
	page_bytes(page, text, 2 + count);
}

void page_number(struct page *page, uint32_t number)
{
	char digits[10], *at = digits + sizeof digits;

	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	page_bytes(page, at, (size_t)(digits + sizeof digits - at));
}

void page_hex(struct page *page, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		page_bytes(page, &page_digits[bytes[i] >> 4], 1);
		page_bytes(page, &page_digits[bytes[i] & 15], 1);
	}
}
