/*
 * gendocs: prints what is made from the tables, for doc/make-docs.sh.
 *
 * Not installed. Must not know any option, verb or key by name.
 */
#include <errno.h>
#include <string.h>

#include "doc/gen.h"

static int manual(const char *path)
{
	FILE *template = fopen(path, "r");

	if (!template) {
		fprintf(stderr, "gendocs: %s: %s\n", path, strerror(errno));
		return 1;
	}
	gen_manual(template, stdout);
	fclose(template);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *what;
		void (*gen)(FILE *out);
	} parts[] = {{"keys", gen_keys}};

	if (argc == 3 && !strcmp(argv[1], "manual"))
		return manual(argv[2]) || fflush(stdout);
	for (size_t i = 0; argc == 2 && i < sizeof parts / sizeof *parts; i++)
		if (!strcmp(argv[1], parts[i].what)) {
			parts[i].gen(stdout);
			return fflush(stdout) ? 1 : 0;
		}
	fputs("usage: gendocs manual TEMPLATE | keys\n", stderr);
	return 2;
}
