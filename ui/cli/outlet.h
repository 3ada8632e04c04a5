/*
 * The output and the messages of a call that has changes to undo: no reader that does not read
 * keeps it from that. Until the call ends, what is written waits for its reader; from then on it is
 * kept, until the changes are undone; then it is passed on.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

/*
 * What to print to instead of this file, if its reader may keep us waiting; else the file. From now
 * on messages go the same way. At most once in a program, and again for the file it returned.
 */
FILE *outlet_begin(FILE *file);

/* Nothing waits for a reader from this time on (now_ms), nor once a signal has come. */
void outlet_until(int64_t end);

/* The call is over, and still has changes to undo. */
void outlet_keep(void);

/*
 * They are undone: pass on what is kept, however long the reader takes. After *sig, and after a
 * signal that comes meanwhile (then *sig is set), only a reader that goes on reading is waited for;
 * what it does not take is dropped, which is said.
 */
void outlet_end(int *sig);

/* The descriptor behind the file, and the errno of what could not be written there, or 0. */
int outlet_descriptor(FILE *file);
int outlet_error(FILE *file);
