/*
 * A program without probes that loads a library with probes, as java does: late LIBRARY. Prints
 * "loaded PID", and ends with its standard input.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	if (!dlopen(argv[1], RTLD_LAZY)) {
		puts(dlerror());
		return 1;
	}
	printf("loaded %d\n", getpid());
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
