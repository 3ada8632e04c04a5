/* The numbers of a command line, read from text. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A process id that ends at *end, or 0: digits only, no sign, no blank, no overflow. */
pid_t values_pid(const char *text, const char **end);

/* A whole number from least to most; digits only. */
bool values_number(const char *text, unsigned least, unsigned most, unsigned *value);

/* "arg3": an argument from 1 to most. */
bool values_argument(const char *text, unsigned most, unsigned *argument);

/* "arg1,arg3": arguments of events, as bits (bit 0: arg1). */
bool values_arguments(const char *text, unsigned *arguments);

/* A number from 0 to 10000 with at most three decimals. */
bool values_percent(const char *text, double *percent);

/*
 * A span of time in milliseconds: a number with at most three decimals, then ms, s, m, h or, for
 * seconds, nothing: "30", "1.5h", "250ms". At most 1000 hours; what is below a millisecond is cut
 * off.
 */
bool values_span(const char *text, uint64_t *ms);
