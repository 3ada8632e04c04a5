/*
 * What a verb prints for programs, said once: values of declared fields, in objects and lists. Each
 * format of FORMATS_EMITTED is a file emit_NAME.c.
 */
#pragma once

#include <stdio.h>

#include "ui/options/options.h"
#include "ui/output/fields.h"

struct emit_value {
	enum field field;
	enum {
		EMIT_NULL,
		EMIT_U64,
		EMIT_I64,
		EMIT_REAL,
		EMIT_BOOL,
		EMIT_DIGITS,  /* a number as text, or "null" */
		EMIT_TEXT,    /* raw; of TYPE_TEXTS, parted by semicolons */
		EMIT_ADDRESS, /* 0: null */
		EMIT_BYTES,   /* in hexadecimal, at most 19; none: null */
	} kind;
	uint8_t count; /* of bytes */
	union {
		uint64_t u64;
		int64_t i64;
		double real; /* nan, inf: null */
		bool yes;
		const char *text; /* NULL: null */
		const uint8_t *bytes;
	};
};

#define NONE(f) ((struct emit_value){FIELD_##f, EMIT_NULL, .u64 = 0})
#define U64(f, n) ((struct emit_value){FIELD_##f, EMIT_U64, .u64 = (n)})
#define I64(f, n) ((struct emit_value){FIELD_##f, EMIT_I64, .i64 = (n)})
#define REAL(f, r) ((struct emit_value){FIELD_##f, EMIT_REAL, .real = (r)})
#define BOOL(f, b) ((struct emit_value){FIELD_##f, EMIT_BOOL, .yes = (b)})
#define DIGITS(f, t) ((struct emit_value){FIELD_##f, EMIT_DIGITS, .text = (t)})
#define TEXT(f, t) ((struct emit_value){FIELD_##f, EMIT_TEXT, .text = (t)})
#define ADDRESS(f, a) ((struct emit_value){FIELD_##f, EMIT_ADDRESS, .u64 = (a)})
#define BYTES(f, b, n) ((struct emit_value){FIELD_##f, EMIT_BYTES, (n), .bytes = (b)})
/* Null unless it is known. */
#define KNOWN(known, of, f, v) ((known) ? of(f, v) : NONE(f))

/* Where and how to print; to begin again, it is made anew. */
struct emit {
	FILE *file;
	const struct emit_ops *ops; /* NULL: no format for programs */
	enum schema schema;
	bool headed;            /* CSV: the names of the columns are there */
	unsigned depth;         /* of open objects and lists */
	unsigned lists, filled; /* bits by depth: it is a list; it has an element */
	struct emit_value cells[SCHEMA_COLUMNS];
};

/* A format. What it does not need is NULL. */
struct emit_ops {
	void (*open)(struct emit *e, enum field field, bool list);
	void (*close)(struct emit *e, bool list);
	void (*value)(struct emit *e, const struct emit_value *value);
	void (*row)(struct emit *e); /* a format of rows has it */
};

#define EMIT_DECLARE(NAME, name) extern const struct emit_ops emit_##name;
FORMATS_EMITTED(EMIT_DECLARE)
#undef EMIT_DECLARE

/* headed: these are further rows of a table that has begun. */
struct emit emit_begin(FILE *file, enum format format, enum schema schema, bool headed);

/* Values: what a schema has not is passed over. Texts must stay until emit_row. */
void emit_values(struct emit *e, const struct emit_value *values, size_t count);
#define EMIT_ARRAY(...)                           \
	(const struct emit_value[]){__VA_ARGS__}, \
		sizeof((const struct emit_value[]){__VA_ARGS__}) / sizeof(struct emit_value)
#define emit(e, ...) emit_values(e, EMIT_ARRAY(__VA_ARGS__))

/* An object that begins with these values, a list: the field none is an element, or the whole. */
void emit_open(
	struct emit *e, enum field field, bool list, const struct emit_value *values, size_t count);
#define emit_object(e, f, ...) emit_open(e, FIELD_##f, false, EMIT_ARRAY(__VA_ARGS__))
#define emit_list(e, f) emit_open(e, FIELD_##f, true, NULL, 0)
void emit_close(struct emit *e);
#define emit_element(e, ...) (emit_object(e, none, __VA_ARGS__), emit_close(e))
/* Close what is open. */
void emit_end(struct emit *e);

/* In a format of rows one ends: what came last for each column. */
void emit_row(struct emit *e);

#define EMIT_SIZE 40

/* For formats: a value as raw text. NULL: null. Returns out, or the value's own text. */
const char *emit_text(const struct emit_value *value, char out[EMIT_SIZE]);
