/*
 * A fuzz target is one function that takes any bytes. libFuzzer calls it (`make fuzz`), and so does
 * driver.c with known bytes (`make check`). It checks what the parser promises, and not only that
 * nothing crashes.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A promise; where it is broken the process ends, which counts as a finding. */
#define FUZZ_CHECK(promise)                                                                \
	do {                                                                               \
		if (!(promise)) {                                                          \
			fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, \
				#promise);                                                 \
			abort();                                                           \
		}                                                                          \
	} while (0)

/* The bytes as a text of their own, up to the first NUL of theirs. */
static inline char *fuzz_text(const uint8_t *bytes, size_t size)
{
	char *text = size ? strndup((const char *)bytes, size) : calloc(1, 1);

	FUZZ_CHECK(text);
	return text;
}

#endif
