/* What probes_escape (probes.h) wrote, decoded again. */
#pragma once

#include <stdbool.h>

/*
 * Decode what probes_escape wrote. `out` needs strlen(text) + 1 bytes. False if text holds an
 * escape that probes_escape never writes.
 */
bool escape_decode(const char *text, char *out);
