/*
 * The parts of the list that can be chosen. Knows their names; what they hold
 * is the screen's matter.
 */
#include "ui/columns.h"

#include <string.h>

#define COLUMNS_ALL ((1u << COLUMN_COUNT) - 1)

static const char *const columns_names[COLUMN_COUNT] = {
	[COLUMN_SITES] = "sites",
	[COLUMN_REF] = "ref",
	[COLUMN_PROCESSES] = "proc",
	[COLUMN_WHO] = "who",
	[COLUMN_OBJECT] = "object",
	[COLUMN_ARGUMENTS] = "arguments",
	[COLUMN_DETAIL] = "detail",
};

const char *columns_name(enum column column)
{
	return columns_names[column];
}

/* The bits of one word; 0: no column's name. */
static unsigned columns_word(const char *word, size_t length)
{
	if (length == 3 && !strncmp(word, "all", 3))
		return COLUMNS_ALL;
	for (unsigned c = 0; c < COLUMN_COUNT; c++) {
		if (strlen(columns_names[c]) == length && !strncmp(columns_names[c], word, length))
			return 1u << c;
	}
	return 0;
}

int columns_parse(const char *text, unsigned *hidden)
{
	unsigned shown = 0;

	for (const char *word = text; strcmp(text, "none"); word++) {
		size_t length = strcspn(word, ",");
		unsigned bits = columns_word(word, length);

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
