#include "ui/json_value.h"

#include <inttypes.h>

#include "ui/outbuf.h"

json_t *json_value_text(const char *raw)
{
	json_t *string = raw ? json_string(raw) : json_null();

	return string ? string : json_string(outbuf_safe(raw));
}

json_t *json_value_address(uint64_t address)
{
	char hex[24];

	if (!address)
		return json_null();
	snprintf(hex, sizeof hex, "0x%" PRIx64, address);
	return json_string(hex);
}
