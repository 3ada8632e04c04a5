/* What must hold whenever nothing is being done to the victim. Everything else is a fault. */
#ifndef STRESS_INSPECT_H
#define STRESS_INSPECT_H

#include "tool.h"
#include "truth.h"

/* What a killed tool left running ends by itself, and soon; the victim is the only child then. */
void inspect_helpers(const struct field *f);

/* One more child of ours that is meant to be there; 0: none. */
void inspect_tolerate(pid_t child);

/* No thread is stopped or traced. */
void inspect_threads(const struct field *f);

/* Its code is that of the files it was mapped from; `file`: of this one only, which must be mapped.
 */
void inspect_code(const struct field *f, const char *file);

/* It has no descriptor of an arena open. */
void inspect_descriptors(const struct field *f);

/* Each arena is its own, and not taken for one of the process from which it was forked. */
void inspect_arenas(const struct field *f);

/* Its counts, its bytes, its own figures; its handlers run where and only where they should. */
void inspect_victim(const struct truth *t, struct field *f);

/* No journal is left. */
void inspect_journals(const struct tool *t);

#endif
