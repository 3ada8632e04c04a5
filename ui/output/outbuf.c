#include "ui/output/outbuf.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <uniwidth.h>

#include "ui/words/probe_name.h"

static const char outbuf_hexdigits[] = "0123456789abcdef";

static void outbuf_signal(int signal)
{
}

void outbuf_outlive(void)
{
	static const int signals[] = {SIGPIPE, SIGXFSZ};
	/* A handler ends with execve(2); to ignore a signal does not. */
	const struct sigaction handler = {.sa_handler = outbuf_signal, .sa_flags = SA_RESTART};
	struct sigaction before;

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(signals[i], &handler, NULL);
}

int outbuf_hung_up(int code)
{
	struct sigaction now;

	return code == EPIPE && sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler != SIG_IGN
		       ? 128 + SIGPIPE
		       : 0;
}

void outbuf_begin(struct outbuf *b, FILE *out)
{
	b->out = out;
	b->used = 0;
}

void outbuf_flush(struct outbuf *b)
{
	fwrite(b->bytes, 1, b->used, b->out);
	b->used = 0;
}

void outbuf_overflow(struct outbuf *b, const char *bytes, size_t length)
{
	outbuf_flush(b);
	fwrite(bytes, 1, length, b->out);
}

void outbuf_blanks(struct outbuf *b, size_t count)
{
	if (count > sizeof b->bytes - b->used)
		outbuf_flush(b);
	if (count > sizeof b->bytes)
		count = sizeof b->bytes;
	memset(b->bytes + b->used, ' ', count);
	b->used += count;
}

void outbuf_padded(struct outbuf *b, const char *safe, size_t width)
{
	size_t used = outbuf_width(safe);

	outbuf_text(b, safe);
	if (used < width)
		outbuf_blanks(b, width - used);
}

void outbuf_escaped(struct outbuf *b, const char *raw)
{
	size_t room = sizeof b->bytes - b->used;
	size_t length = probes_escape(raw, b->bytes + b->used, room); /* usually fits */

	if (length < room)
		b->used += length;
	else
		outbuf_text(b, outbuf_safe(raw));
}

void outbuf_csv(struct outbuf *b, const char *raw)
{
	const char *text = outbuf_safe(raw);

	if (!text[strcspn(text, ",\" ")]) {
		outbuf_text(b, text);
		return;
	}
	outbuf_text(b, "\"");
	for (; *text; text++) {
		if (*text == '"')
			outbuf_text(b, "\"");
		outbuf_bytes(b, text, 1);
	}
	outbuf_text(b, "\"");
}

void outbuf_address(struct outbuf *b, uint64_t address)
{
	char text[18] = "0x";
	unsigned count = (67 - (unsigned)__builtin_clzll(address | 1)) / 4;

	for (unsigned i = count; i--; address >>= 4)
		text[2 + i] = outbuf_hexdigits[address & 15];
	outbuf_bytes(b, text, 2 + count);
}

void outbuf_number(struct outbuf *b, uint32_t number)
{
	char digits[10], *at = digits + sizeof digits;

	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	outbuf_bytes(b, at, (size_t)(digits + sizeof digits - at));
}

void outbuf_hex(struct outbuf *b, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		outbuf_bytes(b, &outbuf_hexdigits[bytes[i] >> 4], 1);
		outbuf_bytes(b, &outbuf_hexdigits[bytes[i] & 15], 1);
	}
}

char *outbuf_digits(char *end, uint32_t number)
{
	if (number == PROBES_NONE) {
		*--end = '-';
		return end;
	}
	do
		*--end = (char)('0' + number % 10);
	while (number /= 10);
	return end;
}

struct outbuf_scratch {
	char *text;
	size_t size;
};

/* A text escaped; raw NULL: the name of a probe. */
static const char *outbuf_scratch(
	struct outbuf_scratch *s, const char *raw, const struct probes_probe *probe)
{
	size_t length = s->size ? 0 : 255;
	char *text;

	do {
		text = length < s->size ? s->text : realloc(s->text, length + 1);
		if (!text)
			return "(no memory)";
		s->size = length < s->size ? s->size : length + 1;
		s->text = text;
		length = raw ? probes_escape(raw, text, s->size)
			     : probe_name_full(probe, text, s->size);
	} while (length >= s->size);
	return text;
}

const char *outbuf_safe(const char *raw)
{
	static struct outbuf_scratch s;

	return outbuf_scratch(&s, raw, NULL);
}

const char *outbuf_probe(const struct probes_probe *probe)
{
	static struct outbuf_scratch s;

	return outbuf_scratch(&s, NULL, probe);
}

size_t outbuf_width(const char *safe)
{
	size_t width = 0;

	/* Nearly all texts are ASCII: one column per byte. */
	while (safe[width] >= 0x20 && safe[width] < 0x7f)
		width++;
	return width + (size_t)u8_strwidth((const uint8_t *)safe + width, "UTF-8");
}
