/* Events as text, the same in every face. Pure. */
#pragma once

#include "probes.h"

#define EVENT_TIME_BYTES 40
#define EVENT_LABEL_BYTES 280 /* a name of 63 bytes, each escaped */

#define EVENT_NUMBER_BYTES 40
#define EVENT_VALUE_BYTES (4 * PROBES_EVENT_TEXT + 64)

/* The local time: "14:02:07.123456", of a `date` "2026-11-22T14:02:07.123456". Returns out. */
const char *event_time(int64_t time_ns, bool date, char out[EVENT_TIME_BYTES]);

/*
 * A value, safe for a terminal: "12", "-3", "0x7f2c00001240", "2.5"; "?" where it could not be
 * read; a text in quotes, with "..." behind it where it goes on; "0x7f2c00001240(?)" where the text
 * could not be read. Returns out.
 */
const char *event_value(const struct probes_value *value, char out[EVENT_VALUE_BYTES]);

/* Is it what event_value marks with "?": a value, or the text that was asked for, is missing? */
bool event_unreadable(const struct probes_value *value);

/*
 * What an argument (from 1 on) of a site is called, safe for a terminal: its name by
 * probes_argument_name; "arg2" where that is unknown, or is the word for another argument. The
 * first call for a large object may take a second. Returns out.
 */
const char *event_argument_label(struct probes_session *session, size_t probe, size_t site,
	size_t argument, char out[EVENT_LABEL_BYTES]);

/* The same, of a name that is known, raw; NULL: it is not. Returns out. */
const char *event_label(const char *name, size_t argument, char out[EVENT_LABEL_BYTES]);

/* "arg1 is fd, arg3 is path", safe for a terminal; "" where no name is known. Returns out. */
const char *event_argument_names(
	struct probes_session *session, size_t probe, size_t site, char *out, size_t size);

/* A number as JSON has it; "null" where it could not be read, or JSON has none (nan, inf). Returns
 * out. */
const char *event_json(const struct probes_value *value, char out[EVENT_NUMBER_BYTES]);

/* "arg1,arg3" of bits (bit 0: arg1). Returns out. */
const char *event_arguments(unsigned arguments, char *out, size_t size);

#define EVENT_CALLER_BYTES 2200

/* "function+0x12", "libc.so.6+0x29d90" where no symbol is known, an address where no file is; ""
   where the address is 0. Safe for a terminal. Returns out. */
const char *event_caller_symbol(
	const struct probes_caller *caller, uint64_t address, char out[EVENT_CALLER_BYTES]);

/* "/usr/src/file.c:34", safe for a terminal; NULL: unknown. Returns out. */
const char *event_caller_line(const struct probes_caller *caller, char out[EVENT_CALLER_BYTES]);

/* The symbol, and " (file.c:34)" where the line is known; "?" for 0. Returns out. */
const char *event_caller(
	const struct probes_caller *caller, uint64_t address, char out[EVENT_CALLER_BYTES]);

/* A number that is not whole, with a point, whatever the locale's. Returns out. */
const char *event_real(double real, int digits, char *out, size_t size);
