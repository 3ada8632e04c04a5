/* Runtimes and servers that have probes only if configured with them. Pure. */
#pragma once

/* How to build the object at this path so that it has probes; NULL: unknown. */
const char *runtime_remedy(const char *path);
