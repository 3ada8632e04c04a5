/* Decoding of argument strings; an item that cannot be decoded is kept as text. */
#include "elf/operand.h"

#include <ctype.h>
#include <errno.h>
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

/* A general register, of any width, with or without %. False: it is none. */
static bool operand_register(const char *name, size_t length, uint8_t *number)
{
	static const char *const names[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
	char text[8], *end;
	unsigned long n;

	if (length < 3 || length >= sizeof text || name[0] != '%')
		return false;
	memcpy(text, name + 1, length - 1);
	text[length - 1] = '\0';
	if (text[0] == 'r' && isdigit((unsigned char)text[1])) {
		n = strtoul(text + 1, &end, 10);
		*number = (uint8_t)n;
		return n >= 8 && n < 16 && (!*end || (strchr("dwb", *end) && !end[1]));
	}
	for (uint8_t i = 0; i < 8; i++) {
		*number = i;
		if (!strcmp(text + (*text == 'r' || *text == 'e'), names[i]))
			return true;
		/* %al, %spl: the lowest byte. */
		if (i < 4 ? text[0] == names[i][0] && text[1] == 'l' && !text[2]
			  : !strncmp(text, names[i], 2) && text[2] == 'l' && !text[3])
			return true;
	}
	return false;
}

/* A name, and a number before or behind it: "name", "64+name", "name+64". False: neither. */
static bool operand_symbol(const char *text, size_t length, struct operand_place *out)
{
	const char *end = text + length;
	char *behind;

	errno = 0;
	if (isdigit((unsigned char)*text) || *text == '-') {
		out->value = strtoll(text, &behind, 0);
		if (*behind != '+')
			return false;
		text = behind + 1;
	}
	out->symbol = text;
	while (text < end && (isalnum((unsigned char)*text) || *text == '_' || *text == '.'))
		text++;
	out->symbol_length = (size_t)(text - out->symbol);
	if (text < end && !out->value && (*text == '+' || *text == '-')) {
		out->value = strtoll(text, &behind, 0);
		text = behind;
	}
	return text == end && out->symbol_length && !errno &&
	       !isdigit((unsigned char)*out->symbol) && out->value == (int32_t)out->value;
}

/* What stands in the parentheses of memory: a base, an index, a scale; the first may be missing. */
static bool operand_registers(const char *text, size_t length, struct operand_place *out)
{
	const char *parts[3] = {text, NULL, NULL};
	size_t lengths[3] = {0}, count = 1;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == ',' && count < 3)
			parts[count++] = text + i + 1;
		else if (text[i] != ' ' || lengths[count - 1])
			lengths[count - 1]++;
		else
			parts[count - 1]++;
	}
	out->number = out->index = OPERAND_NONE;
	out->scale = 1;
	if (lengths[0] && !operand_register(parts[0], lengths[0], &out->number))
		return false;
	if (count > 1 && (!operand_register(parts[1], lengths[1], &out->index) || out->index == 4))
		return false;
	if (count > 2) {
		out->scale = (uint8_t)(*parts[2] - '0');
		if (lengths[2] != 1 || !strchr("1248", *parts[2]))
			return false;
	}
	out->stack = count == 1 && (out->number == 4 || out->number == 5);
	return count > 1 || lengths[0];
}

bool operand_place(const char *place, struct operand_place *out)
{
	const char *open = strchr(place, '(');
	size_t length = strlen(place);
	const char *number = place + (*place == '$');
	char *end;

	*out = (struct operand_place){.what = OPERAND_REGISTER, .index = OPERAND_NONE};
	if (!strncmp(place, "%xmm", 4) && isdigit((unsigned char)place[4])) {
		unsigned long n = strtoul(place + 4, &end, 10);

		out->what = OPERAND_VECTOR;
		out->number = (uint8_t)n;
		return !*end && n < 16;
	}
	if (*place == '%')
		return operand_register(place, length, &out->number);
	out->what = OPERAND_MEMORY;
	if (open && !strcmp(open, "(%rip)")) {
		out->number = OPERAND_NONE;
		return operand_symbol(place, (size_t)(open - place), out);
	}
	errno = 0;
	out->value = open == place ? 0 : strtoll(number, &end, 0);
	if (open == place)
		end = (char *)open;
	if (errno || (end == number && end != open))
		return false;
	if (*place == '$') {
		out->what = OPERAND_CONSTANT;
		return !*end;
	}
	if (end != open || !open || place[length - 1] != ')' || out->value != (int32_t)out->value)
		return false;
	return operand_registers(open + 1, (size_t)(place + length - 1 - (open + 1)), out);
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
