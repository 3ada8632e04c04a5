/* Demangling; an odd symbol is shown as it is. */
#include "elf/demangle.h"

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the trailing _123 begins; the end where there is none. */
static size_t demangle_stamp(const char *symbol)
{
	size_t end = strlen(symbol), at = end;

	while (at > 0 && isdigit((unsigned char)symbol[at - 1]))
		at--;
	return at < end && at > 0 && symbol[at - 1] == '_' ? at - 1 : end;
}

static int demangle_hex(const char *text)
{
	char digits[3] = {text[0], text[0] ? text[1] : '\0', '\0'};

	return isxdigit((unsigned char)digits[0]) && isxdigit((unsigned char)digits[1])
		       ? (int)strtol(digits, NULL, 16)
		       : -1;
}

int demangle_ocaml(const char *symbol, char *out, size_t size)
{
	size_t end = demangle_stamp(symbol), used = 0;

	if (strncmp(symbol, "caml", 4) || !isupper((unsigned char)symbol[4]) || size == 0)
		return -1;
	for (size_t at = 4; at < end && used + 1 < size;) {
		int code = symbol[at] == '$' ? demangle_hex(symbol + at + 1) : -1;

		if (code >= 0x20 && at + 3 <= end) {
			out[used++] = (char)code;
			at += 3;
		} else if (symbol[at] == '_' && symbol[at + 1] == '_' && at + 2 < end) {
			out[used++] = '.';
			at += 2;
		} else if (symbol[at] == '$') {
			out[used++] = '.';
			at++;
		} else {
			out[used++] = symbol[at++];
		}
	}
	out[used] = '\0';
	return 0;
}

void demangle_symbol(const char *symbol, char *out, size_t size)
{
	char *plain = NULL;

	if (demangle_ocaml(symbol, out, size) == 0)
		return;
#ifdef HAVE_LIBIBERTY
	if (symbol[0] == '_' && symbol[1] == 'Z')
		plain = cplus_demangle(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
#endif
	snprintf(out, size, "%s", plain ? plain : symbol);
	free(plain);
}
