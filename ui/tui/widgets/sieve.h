/*
 * What a program writes, made safe for an emulator: text of the characters that this terminal can
 * show, and well-formed control sequences of the kinds that full-screen programs use, with small
 * numbers. Titles, bells, clipboard and other strings are dropped. Pure.
 *
 * libvterm 0.1.4 by itself loops two billion times for CSI 2000000000 I, and for ever to
 * repeat a character of no width (CSI b), keeps any number of combining characters in memory, takes
 * U+0080 to U+009F for characters of width -1, and crashes on combining characters that it takes
 * for wide where the terminal is narrow.
 */
#ifndef UI_TUI_WIDGETS_SIEVE_H
#define UI_TUI_WIDGETS_SIEVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIEVE_SEQUENCE 128 /* longer control sequences are dropped */
#define SIEVE_NUMBER 9999  /* larger parameters become this */
#define SIEVE_PARAMETERS 16
#define SIEVE_MARKS 16 /* combining characters of one character */

enum sieve_state {
	SIEVE_TEXT,
	SIEVE_ESCAPE,        /* after ESC */
	SIEVE_SEQUENCE_OPEN, /* after ESC [ */
	SIEVE_STRING,        /* after ESC ] and the like, to its end */
	SIEVE_STRING_ESCAPE, /* after ESC in it */
};

struct sieve {
	enum sieve_state state;
	char sequence[SIEVE_SEQUENCE]; /* begins with ESC */
	size_t length;
	bool broken;      /* the sequence will be dropped */
	uint8_t bytes[4]; /* of a character that is not complete yet */
	size_t held;      /* of them */
	unsigned marks;   /* combining characters since the last character */
	bool repeats;     /* the last character is one that CSI b may repeat */
};

/* Room for what `length` bytes become. */
#define SIEVE_ROOM(length) (4 * (length) + SIEVE_SEQUENCE)

/* A zeroed sieve is ready. Writes to out; returns the bytes. */
size_t sieve_feed(struct sieve *s, const char *bytes, size_t length, char *out);

/* How many of these bytes need not be fed, because at least `lines` whole lines of text follow them
 * before anything but text does. *skipped: the lines among them. */
size_t sieve_skip(
	const struct sieve *s, const char *bytes, size_t length, size_t lines, size_t *skipped);

#endif
