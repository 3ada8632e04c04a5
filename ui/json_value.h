/* Values of the JSON that all commands print: see jansson(3). */
#ifndef UI_JSON_VALUE_H
#define UI_JSON_VALUE_H

#include <jansson.h>
#include <stdint.h>

/* A raw text; escaped where it is not valid UTF-8. NULL: null. */
json_t *json_value_text(const char *raw);

/* A string of hexadecimal digits. 0: null. */
json_t *json_value_address(uint64_t address);

#endif
