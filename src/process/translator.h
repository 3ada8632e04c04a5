/*
 * Programs that run a translation of another program's code (valgrind), or record what it does
 * (rr). A byte that is changed in the code is then executed late, in part, or never.
 */
#pragma once

#include "base/array.h"

struct probes_error;

struct translator {
	const char *name;
	const char *file;      /* of what it maps executable: how the base name begins ... */
	const char *end;       /* ... and ends */
	const char *directory; /* how the rest of the path ends */
	bool records;          /* it executes the code as it is, and records the process */
};

/*
 * What translates the process with these mappings (struct mapping); NULL: nothing that is known.
 * Judged by the files that it maps executable, because the executable of the process may be the
 * program (Pin, DynamoRIO) or the translator (valgrind, qemu-user). Pure.
 */
const struct translator *translator_find(const struct array *mappings);

/* One sentence: what becomes of a changed byte. Returns out. */
const char *translator_why(const struct translator *t, char *out, size_t size);

/* Fill the error of a change that is refused; returns its code. */
int translator_refuse(const struct translator *t, int pid, struct probes_error *e);
