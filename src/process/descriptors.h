/* How many file descriptors we may still open, and when to hold fewer. */
#ifndef PROCESS_DESCRIPTORS_H
#define PROCESS_DESCRIPTORS_H

#include <stdbool.h>

/*
 * Are enough descriptors free for what one call opens and closes again, and for `more`? 0, -EMFILE
 * or -ENFILE. A call that checks first fails as a whole, instead of mistaking a file that it could
 * not open for a missing one.
 */
int descriptors_spare(int more);

/* Is so much of the limit in use, by the number of a new descriptor, that a session should keep
 * only descriptors that cannot be reopened? */
bool descriptors_scarce(int fd);

#endif
