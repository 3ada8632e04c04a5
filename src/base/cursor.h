/*
 * Reads forward through untrusted bytes: no read passes their end. Inline, since a file of many
 * notes needs many small reads.
 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const unsigned char *at;
	size_t left;
};

/* A little-endian number; false, and nothing consumed, when too few bytes are left. */
static inline bool cursor_u64(struct cursor *c, uint64_t *value)
{
	uint64_t raw;

	if (c->left < sizeof raw)
		return false;
	memcpy(&raw, c->at, sizeof raw);
	*value = le64toh(raw);
	c->at += sizeof raw;
	c->left -= sizeof raw;
	return true;
}

/* A NUL-terminated string inside the bytes; false when its NUL is missing. */
static inline bool cursor_string(struct cursor *c, const char **text)
{
	const unsigned char *end = c->left ? memchr(c->at, '\0', c->left) : NULL;

	if (!end)
		return false;
	*text = (const char *)c->at;
	c->left -= (size_t)(end + 1 - c->at);
	c->at = end + 1;
	return true;
}
