/* Values of the JSON that all commands print, and that recordings hold: see jansson(3). */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A raw text; escaped where it is not valid UTF-8. NULL: null. */
json_t *json_value_text(const char *raw);

/* The value of a number, or of a string of its digits; false: it is none. NULL is none. */
bool json_value_unsigned(const json_t *json, uint64_t *out);
bool json_value_signed(const json_t *json, int64_t *out);
/* Likewise; "inf", "-inf" and "nan", too. */
bool json_value_real(const json_t *json, double *out);
