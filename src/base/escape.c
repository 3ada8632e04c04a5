/*
 * Names, paths, arguments and program output are hostile input: this is the
 * one place that decides which bytes may reach a terminal or a line of output.
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

/* Write what stands for the character at text into piece (12 bytes); returns bytes consumed. */
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

/* How many characters from here are plain ASCII, as nearly all are. */
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

/* Append a piece; once one did not fit nothing more is written. A plain run may be cut. */
static void escape_append(char *out, size_t size, size_t *used, bool *full, const char *piece,
	size_t length, bool plain)
{
	size_t room = *full ? 0 : size - 1 - *used;

	if (length > room) {
		*full = true;
		length = plain ? room : 0;
	}
	if (length)
		memcpy(out + *used, piece, length);
	*used += length;
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
		size_t length = escape_plain(text);
		const char *from = text;
		bool plain = length > 0;

		if (plain) {
			text += length;
		} else {
			text += escape_one(text, piece);
			from = piece;
			length = strlen(piece);
		}
		escape_append(out, size, &used, &full, from, length, plain);
		total += length;
	}
	if (size)
		out[used] = '\0';
	return total;
}

/* Encode a rune of an \u{...} escape. Returns the bytes written, at most 4. */
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

/* Decode the escape after a backslash; returns how many characters it took, 0 if it is none. */
static size_t escape_decode_one(const char *text, char **out)
{
	unsigned value;
	size_t digits;

	if (text[0] == '\\') {
		*(*out)++ = '\\';
		return 1;
	}
	if (text[0] == 'x' && escape_digits(text + 1, 2, &value) == 2 && value) {
		*(*out)++ = (char)value;
		return 3;
	}
	if (text[0] != 'u' || text[1] != '{')
		return 0;
	digits = escape_digits(text + 2, 6, &value);
	if (!digits || text[2 + digits] != '}' || !value || value > 0x10ffff ||
		(value >= 0xd800 && value <= 0xdfff))
		return 0;
	*out += escape_encode(value, *out);
	return 3 + digits;
}

bool escape_decode(const char *text, char *out)
{
	while (*text) {
		size_t taken;

		if (*text != '\\') {
			*out++ = *text++;
			continue;
		}
		taken = escape_decode_one(text + 1, &out);
		if (!taken)
			return false;
		text += 1 + taken;
	}
	*out = '\0';
	return true;
}
