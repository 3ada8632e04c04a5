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
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VT_FILTER_SEQUENCE 128 /* longer control sequences are dropped */
#define VT_FILTER_NUMBER 9999  /* larger parameters become this */
#define VT_FILTER_PARAMETERS 16
#define VT_FILTER_MARKS 16 /* combining characters of one character */

enum vt_filter_state {
	VT_FILTER_TEXT,
	VT_FILTER_ESCAPE,        /* after ESC */
	VT_FILTER_SEQUENCE_OPEN, /* after ESC [ */
	VT_FILTER_STRING,        /* after ESC ] and the like, to its end */
	VT_FILTER_STRING_ESCAPE, /* after ESC in it */
};

struct vt_filter {
	enum vt_filter_state state;
	char sequence[VT_FILTER_SEQUENCE]; /* begins with ESC */
	size_t length;
	bool broken;      /* the sequence will be dropped */
	uint8_t bytes[4]; /* of a character that is not complete yet */
	size_t held;      /* of them */
	unsigned marks;   /* combining characters since the last character */
	bool repeats;     /* the last character is one that CSI b may repeat */
};

/* Room for what `length` bytes become. */
#define VT_FILTER_ROOM(length) (4 * (length) + VT_FILTER_SEQUENCE)

/* A zeroed vt_filter is ready. Writes to out; returns the bytes. */
size_t vt_filter_feed(struct vt_filter *s, const char *bytes, size_t length, char *out);

/* How many of these bytes need not be fed, because at least `lines` whole lines of text follow them
 * before anything but text does. *skipped: the lines among them. */
size_t vt_filter_skip(
	const struct vt_filter *s, const char *bytes, size_t length, size_t lines, size_t *skipped);
