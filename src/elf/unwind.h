/*
 * The callers of a function, the outermost one last, from its registers and a copy of its stack: by
 * the unwind tables of the objects, through libdwfl; by frame pointers where there is no table.
 * Knows no process. An object is opened when code of it is met.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind;

struct unwind_stack {
	const uint64_t *general; /* 16 registers, by the machine's numbers */
	uint64_t code;           /* the address that is executed */
	uint64_t start;          /* the stack pointer, */
	const uint8_t *bytes;    /* and what is there */
	size_t size;
	const char *why_short; /* why the stack may go on where the copy ends (a static text) */
};

/* Opens an object: returns a descriptor, which it gives away, or -1. */
typedef int unwind_open_fn(void *data, void *object);

/* Nothing is mapped yet. NULL: no memory. */
struct unwind *unwind_new(unwind_open_fn *open, void *data);
void unwind_free(struct unwind *u);

/*
 * Code is mapped there: of an object, from the first page of its first segment on; or of none
 * (NULL), such as that of a just-in-time compiler. After the last one, unwind_map_end.
 */
void unwind_map(struct unwind *u, void *object, uint64_t start, uint64_t end);
void unwind_map_end(struct unwind *u);

/*
 * Write the return addresses, at most `most`, and return their number. *why: why callers may be
 * missing (a static text); NULL: the last one is in the first function of the thread.
 */
size_t unwind_callers(struct unwind *u, const struct unwind_stack *stack, uint64_t *callers,
	size_t most, const char **why);

/*
 * By the unwind table of a file: for each of these addresses, as the file names them, does rbp hold
 * the address of the frame there, so that what lies at a distance from rbp is on the stack? False
 * where no table says so.
 */
void unwind_framed(int fd, const char *name, const uint64_t *addresses, size_t count, bool *framed);
