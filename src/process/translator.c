#include "process/translator.h"

#include "base/error.h"
#include "process/maps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * qemu-system-x86_64 is none: the probes in it are its own. A static program under valgrind maps
 * no vgpreload, only the tool: memcheck-amd64-linux and its like.
 */
static const struct translator translators[] = {
	{"valgrind", "vgpreload_", ".so", "", false},
	{"valgrind", "", "-amd64-linux", "/valgrind", false},
	{"DynamoRIO", "libdynamorio.so", "", "", false},
	{"Pin", "pinbin", "", "", false},
	{"QEMU", "qemu-x86_64", "", "", false},
	{"box64", "box64", "", "", false},
	{"FEX", "FEXInterpreter", "", "", false},
	{"FEX", "FEXLoader", "", "", false},
	{"Rosetta", "rosetta", "", "", false},
	{"rr", "librrpreload.so", "", "", true},
	{"rr", "librrpage.so", "", "", true},
};

const struct translator *translator_find(const struct array *mappings)
{
	ARRAY_EACH(const struct mapping, m, mappings) {
		const char *slash = strrchr(m->path, '/');
		size_t length = slash ? strlen(slash + 1) : 0;

		/* Whoever maps its file to read it, a debugger for one, is not translated. */
		if (!slash || !m->executable)
			continue;
		for (size_t k = 0; k < sizeof translators / sizeof *translators; k++) {
			const struct translator *t = &translators[k];
			size_t end = strlen(t->end), directory = strlen(t->directory);

			if (!strncmp(slash + 1, t->file, strlen(t->file)) && length >= end &&
				!strcmp(slash + 1 + length - end, t->end) &&
				(size_t)(slash - m->path) >= directory &&
				!memcmp(slash - directory, t->directory, directory))
				return t;
		}
	}
	return NULL;
}

const char *translator_why(const struct translator *t, char *out, size_t size)
{
	snprintf(out, size,
		t->records ? "%s records it: a change from outside would not be recorded, so its "
			     "replay would fail"
			   : "%s runs a translation of its code: a changed byte may crash it, or "
			     "have no effect",
		t->name);
	return out;
}

int translator_refuse(const struct translator *t, int pid, struct probes_error *e)
{
	char why[160];

	error_set(
		e, PROBES_REFUSED, -EOPNOTSUPP, "cannot switch or count probes of process %d", pid);
	error_why(e, "%s", translator_why(t, why, sizeof why));
	return error_hint(e, "run the program without %s", t->name);
}
