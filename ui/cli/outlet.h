/*
 * The output and the messages of a call. The reason why a write failed is not lost, as it is with a
 * FILE; and no reader that does not read keeps a call that has changes to undo from that, nor from
 * looking after its target: from outlet_keep on, what is written is kept, until there is room.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * What to print to instead of this file; the file, if there is no memory. Closing it closes the
 * descriptor of the file. From now on messages go the same way. At most once in a program, and
 * again for the file it returned.
 */
FILE *outlet_begin(FILE *file);

/* Nothing waits for a reader from this time on (now_ms), nor once a signal has come. */
void outlet_until(int64_t end);

/* From now on nothing waits: there are changes to undo, and a target to look after. */
void outlet_keep(void);

/* Pass on what is kept, as far as there is room. Does this file still wait for its reader? */
bool outlet_waits(FILE *file);

/*
 * They are undone: pass on what is kept, however long the reader takes. After *sig, and after a
 * signal that comes meanwhile (then *sig is set), only a reader that goes on reading is waited for;
 * what it does not take is dropped, which is said.
 */
void outlet_end(int *sig);

/* The descriptor behind the file. */
int outlet_descriptor(FILE *file);

/* Write what is buffered. Returns 0, or the errno of the first write that failed, also before. */
int outlet_written(FILE *file);
