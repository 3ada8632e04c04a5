#include "ui/output/fields.h"

enum {
#define SCHEMA(NAME, ...) NAME = 1 << SCHEMA_##NAME,
#include "ui/output/fields.def"
};

enum {
	NAMED = LIST | PLAN | COUNT | EVENTS | HISTOGRAM,
	MEASURED = COUNT | LATENCY | EVENTS | HISTOGRAM | CALLERS | STACKS,
	ALL = LIST | PLAN | MEASURED,
};

const struct field_row fields[FIELDS_COUNT] = {
	{.schemas = ~0u},
#define FIELD(name, type, schemas, help) {#name, TYPE_##type, schemas, help},
#include "ui/output/fields.def"
};

#define F(name) FIELD_##name
const struct schema_row schemas[SCHEMAS_COUNT] = {
#define SCHEMA(NAME, name, spread, ...) {name, spread, {__VA_ARGS__}},
#include "ui/output/fields.def"
};
