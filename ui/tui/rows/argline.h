/* The arguments of a probe in one line. Pure. */
#pragma once

#include <stddef.h>

/* "arg1 s64 @%rbx  arg2 u32 @-20(%rbp)" of a raw argument string; "" for none. Returns out. */
const char *argline_numbered(const char *raw, char *out, size_t size);

/* The same in a column: "s64 %rbx, u32 -20(%rbp)". */
const char *argline_short(const char *raw, char *out, size_t size);
