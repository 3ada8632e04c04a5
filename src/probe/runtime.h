/*
 * Runtimes and servers that carry probes only where they were built so: what to ask of whoever
 * builds them. Pure: from the name of a file to a text.
 */
#ifndef PROBE_RUNTIME_H
#define PROBE_RUNTIME_H

/* What would bring probes into the object at this path, or NULL: none that is known here. */
const char *runtime_remedy(const char *path);

#endif
