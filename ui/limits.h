/* RLIMIT_NOFILE of this process: raised at the start, and the original value. */
#ifndef UI_LIMITS_H
#define UI_LIMITS_H

/* Raise the soft limit on descriptors to the hard one: a session of many processes needs more than
 * the 1,024 that most shells set. Call before anything is opened. */
void limits_raise(void);

/* The original soft limit, for programs that probes-tui starts; 0: not raised. */
unsigned long limits_given(void);

#endif
