/* A bounded cursor: no read ever passes the end that it was given. */
#include "base/cursor.h"

#include <endian.h>
#include <string.h>

bool cursor_u64(struct cursor *c, uint64_t *value)
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

bool cursor_string(struct cursor *c, const char **text)
{
	const unsigned char *end = c->left ? memchr(c->at, '\0', c->left) : NULL;

	if (!end)
		return false;
	*text = (const char *)c->at;
	c->left -= (size_t)(end + 1 - c->at);
	c->at = end + 1;
	return true;
}
