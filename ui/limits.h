/* How many files this process may have open: as many as it is allowed, and what it was given. */
#ifndef UI_LIMITS_H
#define UI_LIMITS_H

/* Raise the soft limit on descriptors to the hard one: a session of many processes needs more than
 * the 1,024 that most shells give. Before anything is opened. */
void limits_raise(void);

/* The soft limit that we were given, for programs that we start; 0: not raised. */
unsigned long limits_given(void);

#endif
