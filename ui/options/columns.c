#include "ui/options/columns.h"

#include <string.h>

#define COLUMNS_STRING(identifier, name, ...) #name,

const char *columns_name(enum column_id column)
{
	static const char *const names[] = {COLUMNS(COLUMNS_STRING) "detail"};

	return names[column];
}

int columns_find(const char *name, size_t length)
{
	/* Scripts and config files keep working. */
	static const struct {
		const char *name;
		enum column_id column;
	} former[] = {
		{"name", COLUMN_PROBE},
		{"ref", COLUMN_SEMAPHORE},
		{"count", COLUMN_SEMAPHORE},
		{"who", COLUMN_HOLDER},
	};

	for (int c = 0; c <= COLUMN_DETAIL; c++) {
		const char *one = columns_name((enum column_id)c);

		if (strlen(one) == length && !memcmp(one, name, length))
			return c;
	}
	for (size_t i = 0; i < sizeof former / sizeof *former; i++)
		if (strlen(former[i].name) == length && !memcmp(former[i].name, name, length))
			return (int)former[i].column;
	return -1;
}

int columns_parse(const char *text, unsigned *hidden)
{
	unsigned shown = 0;

	for (const char *word = text; strcmp(text, "none"); word++) {
		size_t length = strcspn(word, ",");
		bool all = length == 3 && !memcmp(word, "all", length);
		int column = columns_find(word, length);

		if (!all && column < COLUMN_FIRST_CHOSEN)
			return -1;
		shown |= all ? COLUMNS_ALL : 1u << column;
		word += length;
		if (!*word)
			break;
	}
	*hidden = COLUMNS_ALL & ~shown;
	return 0;
}
