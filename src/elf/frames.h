/* Where a function keeps a frame pointer, by the unwind table of its file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * For each of these addresses, as the file names them: does rbp hold the address of the frame
 * there, so that what lies at a distance from rbp is on the stack? False where no table says so.
 */
void frames_find(int fd, const char *name, const uint64_t *addresses, size_t count, bool *framed);
