/*
 * Runs a target without libFuzzer over known files: each as it is, cut at every place, and with
 * each of its bytes changed. So that every finding stays a test of `make check`, under any
 * compiler.
 *
 *   fuzz_TARGET FILE...
 */
#include "tests/fuzz/fuzz.h"

/* Longer ones are cut and changed at fewer places: this many in all. */
#define PLACES 1024

static unsigned long runs;

/* In memory of just that size, so that a sanitizer or valgrind sees a byte too far. */
static void run(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	FUZZ_CHECK(copy);
	memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	runs++;
}

static void run_near(uint8_t *bytes, size_t size)
{
	static const uint8_t changes[] = {0x01, 0x80, 0xff};
	size_t step = 1 + size / PLACES;

	for (size_t at = 0; at < size; at += step) {
		run(bytes, at);
		for (size_t i = 0; i < sizeof changes; i++) {
			bytes[at] ^= changes[i];
			run(bytes, size);
			bytes[at] ^= changes[i];
		}
	}
}

static void run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(1u << 20);
	size_t size;

	if (!file || !bytes) {
		perror(path);
		exit(2);
	}
	size = fread(bytes, 1, 1u << 20, file);
	fclose(file);
	run(bytes, size);
	run_near(bytes, size);
	free(bytes);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run_file(argv[i]);
	printf("%s: %d files, %lu runs\n", argv[0], argc - 1, runs);
	return argc > 1 ? 0 : 2;
}
