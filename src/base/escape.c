/*
 * Decides which bytes may reach a terminal or a line of output: names, paths, arguments and program
 * output are hostile input.
 */
#include "base/escape.h"

#include "probes.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unictype.h>
#include <unistr.h>

/*
 * Characters that change how their neighbours are shown, or show nothing, or of which nobody knows
 * what a terminal shows: controls, formatting, surrogates, private use, what Unicode does not
 * assign, line and paragraph separators, and letters and marks that are invisible.
 */
static bool escape_unsafe(ucs4_t rune)
{
	return uc_is_general_category_withtable(
		       rune, UC_CATEGORY_MASK_C | UC_CATEGORY_MASK_Zl | UC_CATEGORY_MASK_Zp) ||
	       uc_is_property_default_ignorable_code_point(rune);
}

/* Write the escaped form of the first character into piece (12 bytes); returns bytes consumed. */
static size_t escape_one(const char *text, char *piece)
{
	ucs4_t rune = 0;
	int length = u8_strmbtouc(&rune, (const uint8_t *)text);

	if (length < 1 || (length == 1 && escape_unsafe(rune))) {
		snprintf(piece, 12, "\\x%02x", (unsigned char)*text);
		return 1;
	}
	if (rune == '\\') {
		strcpy(piece, "\\\\");
	} else if (escape_unsafe(rune)) {
		snprintf(piece, 12, "\\u{%04x}", (unsigned)rune);
	} else {
		memcpy(piece, text, (size_t)length);
		piece[length] = '\0';
	}
	return (size_t)length;
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
		int length;

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
			length = u8_uctomb((uint8_t *)out, value, 4);
			if (!digits || text[3 + digits] != '}' || !value || length < 0)
				return false;
			out += length;
			text += 4 + digits;
		} else {
			return false;
		}
	}
	*out = '\0';
	return true;
}
