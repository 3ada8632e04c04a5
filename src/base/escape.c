/*
 * Decides which bytes may reach a terminal or a line of output: names, paths, arguments and program
 * output are hostile input.
 */
#include "base/escape.h"

#include "probes.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t escape_utf8(const char *text, unsigned *rune)
{
	static const unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *t = (const unsigned char *)text;
	size_t length = t[0] < 0x80 ? 1 : t[0] < 0xc0 ? 0 : t[0] < 0xe0 ? 2 : t[0] < 0xf0 ? 3 : 4;

	if (length == 0 || t[0] > 0xf4)
		return 0;
	*rune = length == 1 ? t[0] : t[0] & (0x7f >> length);
	for (size_t i = 1; i < length; i++) {
		if ((t[i] & 0xc0) != 0x80)
			return 0;
		*rune = *rune << 6 | (t[i] & 0x3f);
	}
	if (*rune < smallest[length] || *rune > 0x10ffff || (*rune >= 0xd800 && *rune <= 0xdfff))
		return 0;
	return length;
}

/*
 * Characters that change how their neighbours are shown, or show nothing:
 * C1 controls, soft hyphen, Arabic letter mark, zero-width and bidirectional
 * controls, line and paragraph separators, invisible operators, the byte order
 * mark, interlinear annotation, tags, private and non-characters.
 */
static bool escape_unsafe(unsigned rune)
{
	static const struct {
		unsigned first, last;
	} unsafe[] = {{0x00, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c},
		{0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f},
		{0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164}, {0xe000, 0xf8ff},
		{0xfdd0, 0xfdef}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0},
		{0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff}};

	for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
		if (rune >= unsafe[i].first && rune <= unsafe[i].last)
			return true;
	return false;
}

/* Write the escaped form of the first character into piece (12 bytes); returns bytes consumed. */
static size_t escape_one(const char *text, char *piece)
{
	unsigned rune = 0;
	size_t length = escape_utf8(text, &rune);

	if (length == 0 || (length == 1 && escape_unsafe(rune))) {
		snprintf(piece, 12, "\\x%02x", (unsigned char)*text);
		return 1;
	}
	if (rune == '\\') {
		strcpy(piece, "\\\\");
	} else if (escape_unsafe(rune)) {
		snprintf(piece, 12, "\\u{%04x}", rune);
	} else {
		memcpy(piece, text, length);
		piece[length] = '\0';
	}
	return length;
}

/* The length of the plain ASCII at the start; nearly all text is plain. */
static size_t escape_plain(const char *text)
{
	static const bool plain[256] = {
		[' ' ... '\\' - 1] = true,
		['\\' + 1 ... '~'] = true,
	};
	size_t length = 0;

	while (plain[(unsigned char)text[length]])
		length++;
	return length;
}

size_t probes_escape(const char *text, char *out, size_t size)
{
	size_t total = 0, used = 0, all = escape_plain(text);
	bool full = size == 0;
	char piece[12];

	if (!text[all] && all < size) {
		memcpy(out, text, all + 1);
		return all;
	}
	while (*text) {
		size_t length = escape_plain(text), room = full ? 0 : size - 1 - used;
		const char *from = text;
		bool plain = length > 0;

		if (plain) {
			text += length;
		} else {
			text += escape_one(text, piece);
			from = piece;
			length = strlen(piece);
		}
		total += length;
		/* Plain text may be cut, an escape not; after the first cut nothing is added. */
		if (length > room) {
			full = true;
			length = plain ? room : 0;
		}
		if (length)
			memcpy(out + used, from, length);
		used += length;
	}
	if (size)
		out[used] = '\0';
	return total;
}

/* Encode a rune in UTF-8. Returns the bytes written, at most 4. */
static size_t escape_encode(unsigned rune, char *out)
{
	if (rune < 0x80) {
		out[0] = (char)rune;
		return 1;
	}
	if (rune < 0x800) {
		out[0] = (char)(0xc0 | rune >> 6);
		out[1] = (char)(0x80 | (rune & 0x3f));
		return 2;
	}
	if (rune < 0x10000) {
		out[0] = (char)(0xe0 | rune >> 12);
		out[1] = (char)(0x80 | (rune >> 6 & 0x3f));
		out[2] = (char)(0x80 | (rune & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | rune >> 18);
	out[1] = (char)(0x80 | (rune >> 12 & 0x3f));
	out[2] = (char)(0x80 | (rune >> 6 & 0x3f));
	out[3] = (char)(0x80 | (rune & 0x3f));
	return 4;
}

/* Up to `most` hexadecimal digits at text; returns how many there are. */
static size_t escape_digits(const char *text, size_t most, unsigned *value)
{
	size_t n = 0;

	for (*value = 0; n < most && isxdigit((unsigned char)text[n]); n++) {
		unsigned char c = (unsigned char)text[n];

		*value = *value << 4 | (unsigned)(isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return n;
}

bool escape_decode(const char *text, char *out)
{
	while (*text) {
		unsigned value;
		size_t digits;

		if (*text != '\\') {
			*out++ = *text++;
		} else if (text[1] == '\\') {
			*out++ = '\\';
			text += 2;
		} else if (text[1] == 'x' && escape_digits(text + 2, 2, &value) == 2 && value) {
			*out++ = (char)value;
			text += 4;
		} else if (text[1] == 'u' && text[2] == '{') {
			digits = escape_digits(text + 3, 6, &value);
			if (!digits || text[3 + digits] != '}' || !value || value > 0x10ffff ||
				(value >= 0xd800 && value <= 0xdfff))
				return false;
			out += escape_encode(value, out);
			text += 4 + digits;
		} else {
			return false;
		}
	}
	*out = '\0';
	return true;
}
