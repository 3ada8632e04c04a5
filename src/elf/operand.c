/* Decoding of argument strings; an item that cannot be decoded is kept as text. */
#include "elf/operand.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Read "N@" or "Nf@". Returns its length; 0: there is none, -1: it is malformed. */
static int operand_size(const char *item, size_t length, struct probes_argument *out)
{
	const char *at = memchr(item, '@', length);
	char *end;
	long size, width;

	if (!at)
		return 0;
	size = strtol(item, &end, 10);
	if (end == item || isspace((unsigned char)*item))
		return -1;
	if (*end == 'f') {
		out->is_float = true;
		end++;
	}
	if (end != at || size < -8 || size > 8)
		return -1;
	width = size < 0 ? -size : size;
	if (width == 0 || (width & (width - 1)))
		return -1;
	out->size = (int8_t)size;
	return (int)(at + 1 - item);
}

/* Is it a register, an immediate, or a memory operand? Shape only: names are not looked up. */
static bool operand_plausible(const char *op, size_t length)
{
	static const char allowed[] = "%$()+-,*_.@: ";
	int depth = 0;

	if (length == 0)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!isalnum((unsigned char)op[i]) && !memchr(allowed, op[i], sizeof allowed - 1))
			return false;
		depth += (op[i] == '(') - (op[i] == ')');
		if (depth < 0 || depth > 1)
			return false;
	}
	if (depth)
		return false;
	if (op[0] == '%')
		return length > 1 && isalpha((unsigned char)op[1]);
	if (op[0] == '$')
		return length > 1;
	return op[length - 1] == ')' || isalnum((unsigned char)op[length - 1]);
}

static void operand_keep(struct probes_argument *out, const char *text, size_t length)
{
	if (length >= sizeof out->place)
		length = sizeof out->place - 1;
	memcpy(out->place, text, length);
	out->place[length] = '\0';
}

bool operand_next(const char **text, struct probes_argument *out)
{
	const char *item = *text + strspn(*text, " ");
	size_t length = 0;
	int prefix, depth = 0;

	/* An item ends at a blank outside parentheses. */
	for (; item[length] && (item[length] != ' ' || depth > 0); length++)
		depth += (item[length] == '(') - (item[length] == ')');
	*out = (struct probes_argument){0};
	*text = item + length;
	if (!length)
		return false;
	prefix = operand_size(item, length, out);
	if (prefix >= 0 && operand_plausible(item + prefix, length - (size_t)prefix)) {
		out->parsed = true;
		operand_keep(out, item + prefix, length - (size_t)prefix);
	} else {
		*out = (struct probes_argument){0};
		operand_keep(out, item, length);
	}
	return true;
}

size_t probes_arguments(const char *text, struct probes_argument *out, size_t max)
{
	struct probes_argument one;
	size_t count = 0;

	while (operand_next(&text, &one)) {
		if (count < max)
			out[count] = one;
		count++;
	}
	return count;
}
