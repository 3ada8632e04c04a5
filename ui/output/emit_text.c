/* A value as text, for the formats: see emit.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ui/figures/event.h"
#include "ui/output/emit.h"

const char *emit_text(const struct emit_value *value, char out[EMIT_SIZE])
{
	switch (value->kind) {
	case EMIT_U64:
		snprintf(out, EMIT_SIZE, "%" PRIu64, value->u64);
		return out;
	case EMIT_I64:
		snprintf(out, EMIT_SIZE, "%" PRId64, value->i64);
		return out;
	case EMIT_REAL:
		return isfinite(value->real) ? event_real(value->real, 12, out, EMIT_SIZE) : NULL;
	case EMIT_BOOL:
		return value->yes ? "true" : "false";
	case EMIT_ADDRESS:
		snprintf(out, EMIT_SIZE, "0x%" PRIx64, value->u64);
		return value->u64 ? out : NULL;
	case EMIT_BYTES:
		for (size_t i = 0; i < value->count && 2 * i + 3 <= EMIT_SIZE; i++)
			snprintf(out + 2 * i, 3, "%02x", value->bytes[i]);
		return value->count ? out : NULL;
	case EMIT_DIGITS:
		return strcmp(value->text, "null") ? value->text : NULL;
	default:
		return value->kind == EMIT_NULL ? NULL : value->text;
	}
}
