/* Are enough file descriptors free, and should a session keep fewer? */
#pragma once

#include <stdbool.h>

/* Opening a session needs: pidfd, /proc/PID, mem, the thread's directory, an object, and files read
 * meanwhile. */
#define DESCRIPTORS_SPARE 8

/*
 * Are enough descriptors free for one call of the library, which closes them again, and for `more`?
 * 0, -EMFILE or -ENFILE. A call that checks first fails as a whole, instead of taking a file that
 * it could not open for a missing one.
 */
int descriptors_spare(int more);

/* Does the number of a new descriptor show that so much of the limit is in use that a session
 * should keep only those that cannot be reopened? */
bool descriptors_scarce(int fd);
