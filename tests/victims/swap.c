/*
 * A program that calls its probe through a library, and puts another library in its place: `use a`
 * loads libswap_a.so instead of what was loaded, `use b` libswap_b.so; `through N` hits the probe N
 * times, with 1 (a) or 2 (b).
 */
#include "countable.h"
#include "drive.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/sdt.h>

static volatile long sum;
static void *library;
static void (*through)(void (*call)(long), long n);
static long which;

__attribute__((noinline)) static void leaf(long n)
{
	DTRACE_PROBE1(swap, leaf, n);
	COUNTABLE(1);
	sum += n;
}

static int swap_use(char name)
{
	char file[4096], symbol[] = "through_x";
	Dl_info own;

	if (library)
		dlclose(library);
	if (!dladdr(&which, &own) || !strrchr(own.dli_fname, '/'))
		return 0;
	snprintf(file, sizeof file, "%.*s/libswap_%c.so",
		(int)(strrchr(own.dli_fname, '/') - own.dli_fname), own.dli_fname, name);
	symbol[8] = name;
	library = dlopen(file, RTLD_NOW);
	*(void **)&through = library ? dlsym(library, symbol) : NULL;
	which = name == 'a' ? 1 : 2;
	return through != NULL;
}

static int swap_command(const char *line)
{
	char name;
	long n;

	if (sscanf(line, "use %c", &name) == 1) {
		if (!swap_use(name))
			return 0;
	} else if (sscanf(line, "through %ld", &n) == 1 && through) {
		for (; n > 0; n--)
			through(leaf, which);
	} else {
		return 0;
	}
	printf("done %s\n", line);
	return 1;
}

static void swap_round(long n)
{
	leaf(n);
}

static void swap_report(void)
{
	printf("leaf=%ld\n", sum);
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {
		.round = swap_round, .report = swap_report, .command = swap_command};

	return drive(argc, argv, &ops);
}
