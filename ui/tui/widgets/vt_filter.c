/*
 * The states are those of ECMA-48 and of xterm's parser. What is not in the tables here does not
 * pass.
 */
#include "ui/tui/widgets/vt_filter.h"

#include "ui/tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>

static size_t vt_filter_character(struct vt_filter *s, uint32_t code, char *out)
{
	bool safe = text_code_safe(code);
	int columns;
	size_t n = 0;

	/* The marks of Japanese have forms that stand alone. These and the following ones libvterm
	 * 0.1.4 combines with the character before, and counts two columns for each: more than a
	 * narrow terminal has, and then it crashes. */
	code = code == 0x3099 || code == 0x309a ? code + 2 : code;
	columns = text_code_columns(code);
	s->repeats = false;
	if (code >= 0x302a && code <= 0x302f)
		return 0;
	if (columns == 0) {
		if (!safe || s->marks >= VT_FILTER_MARKS)
			return 0;
		s->marks++;
	} else {
		s->marks = 0;
	}
	if (text_is_utf8())
		return text_encode(safe ? code : TEXT_REPLACEMENT, out);
	while (columns-- > 0)
		out[n++] = text_ascii(code);
	return n;
}

/* The bytes of a character that does not go on. */
static size_t vt_filter_incomplete(struct vt_filter *s, char *out)
{
	s->held = 0;
	return vt_filter_character(s, TEXT_REPLACEMENT, out);
}

/* One byte of text, 0x20 and above. */
static size_t vt_filter_text(struct vt_filter *s, unsigned char c, char *out)
{
	ucs4_t code;
	size_t n = 0;
	int length;

	s->bytes[s->held++] = c;
	length = u8_mbtoucr(&code, s->bytes, s->held);
	if (length == -2)
		return 0;
	if (length < 0 && s->held > 1) {
		n = vt_filter_incomplete(s, out);
		return n + vt_filter_text(s, c, out + n);
	}
	s->held = 0;
	if (c >= 0x80)
		return vt_filter_character(s, length < 0 ? TEXT_REPLACEMENT : code, out);
	if (c == 0x7f)
		return 0;
	s->marks = 0;
	s->repeats = true;
	*out = (char)c;
	return 1;
}

static void vt_filter_collect(struct vt_filter *s, unsigned char c)
{
	if (s->length < sizeof s->sequence)
		s->sequence[s->length++] = (char)c;
	else
		s->broken = true;
}

/* Does an ESC sequence pass that ends in this byte? */
static bool vt_filter_escape_passes(const struct vt_filter *s)
{
	const char *body = s->sequence + 1;
	size_t n = s->length - 1;

	if (s->broken)
		return false;
	if (n == 1)
		return strchr("78DEHMNOZc=>no|}~", body[0]) != NULL;
	/* character sets; the screen full of E for adjustment */
	return n == 2 && ((strchr("()*+", body[0]) && strchr("0AB", body[1])) ||
				 (body[0] == '#' && body[1] == '8'));
}

/* The kinds of ESC [ that pass: what stands before and after the parameters, and the ends. */
static const struct {
	char leader, between;
	const char *ends;
} vt_filter_kinds[] = {
	{'\0', '\0', "@ABCDEFGHIJKLMPSTXZ`abcdefghjklmnrsu"},
	{'?', '\0', "JKhln"},
	{'>', '\0', "c"},
	{'\0', '!', "p"},
	{'\0', '"', "q"},
};

/* Copy the parameters of the collected ESC [ sequence; returns the bytes, or 0: malformed. */
static size_t vt_filter_parameters(const char *from, const char *end, char *out)
{
	size_t n = 0, parameters = 1;

	while (from < end) {
		char *after;
		unsigned long number = strtoul(from, &after, 10);

		if (*from < '0' || *from > '9') {
			parameters++;
			out[n++] = *from++;
			continue;
		}
		n += (size_t)sprintf(
			out + n, "%lu", number < VT_FILTER_NUMBER ? number : VT_FILTER_NUMBER);
		from = after;
	}
	return parameters <= VT_FILTER_PARAMETERS ? n : SIZE_MAX;
}

static size_t vt_filter_sequence(struct vt_filter *s, char *out)
{
	char text[VT_FILTER_SEQUENCE + 1], leader = '\0', between = '\0', end;
	size_t digits, n, size = s->length;
	const char *from = text + 2;

	if (s->broken)
		return 0;
	memcpy(text, s->sequence, size);
	end = text[--size];
	text[size] = '\0';
	if (*from >= '<' && *from <= '?')
		leader = *from++;
	digits = strspn(from, "0123456789;:");
	if (from[digits])
		between = from[digits];
	if ((between && from[digits + 1]) || (end == 'b' && !s->repeats))
		return 0;
	if (end == 'p') /* a reset forgets the last character */
		s->repeats = false;
	for (size_t i = 0; i < sizeof vt_filter_kinds / sizeof *vt_filter_kinds; i++) {
		if (vt_filter_kinds[i].leader != leader || vt_filter_kinds[i].between != between ||
			!strchr(vt_filter_kinds[i].ends, end))
			continue;
		memcpy(out, "\033[", 2);
		n = 2;
		if (leader)
			out[n++] = leader;
		digits = vt_filter_parameters(from, from + digits, out + n);
		if (digits == SIZE_MAX)
			return 0;
		n += digits;
		if (between)
			out[n++] = between;
		out[n++] = end;
		return n;
	}
	return 0;
}

static size_t vt_filter_escape(struct vt_filter *s, unsigned char c, char *out)
{
	vt_filter_collect(s, c);
	if (c < 0x30) /* intermediate: the sequence goes on */
		return 0;
	s->state = VT_FILTER_TEXT;
	if (s->length == 2 && c == '[')
		s->state = VT_FILTER_SEQUENCE_OPEN;
	else if (s->length == 2 && strchr("]PX^_k", c))
		s->state = VT_FILTER_STRING;
	else if (vt_filter_escape_passes(s)) {
		s->repeats &= c != 'c';
		/* ESC 8 may put libvterm's cursor outside of a screen that was larger; any ESC [
		 * sequence takes it back, such as this one for a cursor that does not blink. */
		if (c == '8' && s->length == 2)
			return (size_t)sprintf(out, "\0338\033[?12l");
		memcpy(out, s->sequence, s->length);
		return s->length;
	}
	return 0;
}

/* A control character: returns whether it is done with. */
static bool vt_filter_control(struct vt_filter *s, unsigned char c)
{
	if (s->state >= VT_FILTER_STRING) {
		if (c == 0x1b)
			s->state = VT_FILTER_STRING_ESCAPE;
		else if (c == 0x07 || c == 0x18 || c == 0x1a)
			s->state = VT_FILTER_TEXT;
		return true;
	}
	if (c == 0x18 || c == 0x1a)
		s->state = VT_FILTER_TEXT;
	if (c == 0x1b) {
		s->state = VT_FILTER_ESCAPE;
		s->sequence[0] = '\033';
		s->length = 1;
		s->broken = false;
	}
	/* Those that move the cursor or switch character sets pass. */
	return (c < '\b' || c > '\r') && c != 0x0e && c != 0x0f;
}

size_t vt_filter_feed(struct vt_filter *s, const char *bytes, size_t length, char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)bytes[i];

		/* the end of a string: ESC \; any other ESC begins a sequence */
		if (s->state == VT_FILTER_STRING_ESCAPE) {
			s->state = VT_FILTER_TEXT;
			if (c == '\\')
				continue;
			vt_filter_control(s, 0x1b);
		}
		if (c < 0x20) {
			if (s->held)
				n += vt_filter_incomplete(s, out + n);
			if (!vt_filter_control(s, c))
				out[n++] = (char)c;
			continue;
		}
		switch (s->state) {
		case VT_FILTER_TEXT:
			n += vt_filter_text(s, c, out + n);
			break;
		case VT_FILTER_ESCAPE:
			if (c < 0x7f)
				n += vt_filter_escape(s, c, out + n);
			else
				s->state = VT_FILTER_TEXT;
			break;
		case VT_FILTER_SEQUENCE_OPEN:
			vt_filter_collect(s, c);
			if (c < 0x40)
				break;
			s->state = VT_FILTER_TEXT;
			n += vt_filter_sequence(s, out + n);
			break;
		default: /* a string */
			break;
		}
	}
	return n;
}

size_t vt_filter_skip(
	const struct vt_filter *s, const char *bytes, size_t length, size_t lines, size_t *skipped)
{
	size_t text = 0, found = 0, skip;

	*skipped = 0;
	if (s->state != VT_FILTER_TEXT || s->held)
		return 0;
	while (text < length && ((unsigned char)bytes[text] >= 0x20 || bytes[text] == '\n' ||
					bytes[text] == '\r' || bytes[text] == '\t'))
		text++;
	for (skip = text; skip > 0; skip--)
		if (bytes[skip - 1] == '\n' && ++found > lines)
			break;
	for (size_t i = 0; i < skip; i++)
		*skipped += bytes[i] == '\n';
	return skip;
}
