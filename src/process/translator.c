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

static bool translator_is(const struct translator *t, const struct mapping *m)
{
	const char *slash = strrchr(m->path, '/'), *name = slash ? slash + 1 : m->path;
	size_t length = strlen(name), end = strlen(t->end), directory = strlen(t->directory);

	return slash && !strncmp(name, t->file, strlen(t->file)) && length >= end &&
	       !strcmp(name + length - end, t->end) && (size_t)(slash - m->path) >= directory &&
	       !memcmp(slash - directory, t->directory, directory);
}

const struct translator *translator_find(const struct array *mappings)
{
	for (size_t i = 0; i < mappings->count; i++) {
		const struct mapping *m = ARRAY_AT(mappings, struct mapping, i);

		/* Whoever maps its file to read it, a debugger for one, is not translated. */
		for (size_t k = 0; m->executable && k < sizeof translators / sizeof *translators;
			k++)
			if (translator_is(&translators[k], m))
				return &translators[k];
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
