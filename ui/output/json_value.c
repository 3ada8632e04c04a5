#include "ui/output/json_value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ui/output/outbuf.h"

json_t *json_value_text(const char *raw)
{
	json_t *string = raw ? json_string(raw) : json_null();

	return string ? string : json_string(outbuf_safe(raw));
}

bool json_value_unsigned(const json_t *json, uint64_t *out)
{
	const char *text = json_string_value(json);
	char *end;

	if (json_is_integer(json) && json_integer_value(json) >= 0) {
		*out = (uint64_t)json_integer_value(json);
		return true;
	}
	if (!text || !*text || text[strspn(text, "0123456789")])
		return false;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return !errno && !*end;
}

bool json_value_signed(const json_t *json, int64_t *out)
{
	const char *text = json_string_value(json);
	char *end;

	if (json_is_integer(json)) {
		*out = json_integer_value(json);
		return true;
	}
	if (!text || !*text || text[strspn(text, "-0123456789")])
		return false;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return !errno && !*end;
}

bool json_value_real(const json_t *json, double *out)
{
	const char *text = json_string_value(json);

	*out = json_number_value(json);
	if (text)
		*out = !strcmp(text, "inf") ? HUGE_VAL : !strcmp(text, "-inf") ? -HUGE_VAL : NAN;
	return json_is_number(json) || (text && strlen(text) < 5);
}
