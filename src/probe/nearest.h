/* The names most like one that does not exist, for the hint of an error. Pure. */
#ifndef PROBE_NEAREST_H
#define PROBE_NEAREST_H

#include "probe/catalog.h"

/* Write up to three spellings, "a, b, c", into out ("" where nothing is near). */
void nearest_names(const struct catalog *c, const char *text, char *out, size_t size);

#endif
