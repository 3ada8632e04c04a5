/* How many file descriptors we may still open, and when to hold fewer. */
#ifndef PROCESS_DESCRIPTORS_H
#define PROCESS_DESCRIPTORS_H

#include <stdbool.h>

/*
 * Are enough descriptors free for what one call opens and closes again, and `more`? 0, or -EMFILE,
 * -ENFILE. A call that asks first is refused as a whole, instead of taking a file that it could not
 * open for one that is not there.
 */
int descriptors_spare(int more);

/* Is so much of the limit in use, as the number of a new descriptor shows, that we hold only what
 * cannot be opened again? */
bool descriptors_scarce(int fd);

#endif
