/* The choice of columns, as people write it. What columns show is ui/tui/rows/column.c's. */
#include "ui/columns.h"

#include <string.h>

#define COLUMNS_STRING(identifier, name, ...) #name,

const char *columns_name(enum column_id column)
{
	static const char *const names[] = {COLUMNS(COLUMNS_STRING) "detail"};

	return names[column];
}

int columns_parse(const char *text, unsigned *hidden)
{
	unsigned shown = 0;

	for (const char *word = text; strcmp(text, "none"); word++) {
		size_t length = strcspn(word, ",");
		unsigned bits = length == 3 && !strncmp(word, "all", 3) ? COLUMNS_ALL : 0;

		for (int c = COLUMN_FIRST_CHOSEN; c <= COLUMN_DETAIL; c++) {
			const char *name = columns_name((enum column_id)c);

			if (strlen(name) == length && !strncmp(name, word, length))
				bits = 1u << c;
		}
		if (!bits)
			return -1;
		shown |= bits;
		word += length;
		if (!*word)
			break;
	}
	*hidden = COLUMNS_ALL & ~shown;
	return 0;
}
