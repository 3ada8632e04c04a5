/*
 * The fields that verbs print for programs, and which verb has which: declared once, in fields.def.
 * The manual's section Fields is made from them.
 */
#pragma once

#include <stdbool.h>

enum field {
	FIELD_none,
#define FIELD(name, ...) FIELD_##name,
#include "ui/output/fields.def"
	FIELDS_COUNT
};

extern const struct field_row {
	const char *name;
	enum { TYPE_TEXT, TYPE_NUMBER, TYPE_TRUTH, TYPE_TEXTS, TYPE_OBJECT, TYPE_OBJECTS } type;
	unsigned schemas; /* bits */
	const char *help;
} fields[FIELDS_COUNT];

enum schema {
#define SCHEMA(NAME, ...) SCHEMA_##NAME,
#include "ui/output/fields.def"
	SCHEMAS_COUNT
};

#define SCHEMA_COLUMNS 28

extern const struct schema_row {
	const char *name;
	bool spread;                        /* JSON in several lines, for people, too */
	enum field columns[SCHEMA_COLUMNS]; /* of CSV; FIELD_none: the end */
} schemas[SCHEMAS_COUNT];
