/* The arguments of a probe in one line. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* "arg1 s64 @%rbx  arg2 u32 @-20(%rbp)" of a raw argument string, or in a column, which does not
 * number them, "s64 %rbx, u32 -20(%rbp)"; "" for none. Returns out. */
const char *argline(const char *raw, bool numbered, char *out, size_t size);
