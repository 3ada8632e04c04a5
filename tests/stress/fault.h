/*
 * Where a campaign says what went wrong. Faults are counted, never thrown: one round may have
 * several, and all are worth reading.
 */
#ifndef STRESS_FAULT_H
#define STRESS_FAULT_H

extern unsigned long fault_count;

/* What is being done, for the faults to come: printed with the first of them. Cut where too long.
 */
void fault_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fault_doing(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One more fault, on standard output. */
void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The test itself cannot go on: exit status 99. */
void fault_fatal(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
