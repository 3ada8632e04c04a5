/*
 * What may stand behind a site of sys/sdt.h, so that one knows how it can be counted wherever the
 * kernel has put the program. The bytes behind a site decide where its jump would land, and
 *whatever else is mapped there is in the way: behind any other instruction it is a matter of luck.
 *Both are `test $X, %eax`, five bytes long, and change nothing but flags.
 *
 *   COUNTABLE(n)	without a stop: as a displacement, its first four bytes lead 1.8 GiB below a
 *			position-independent program, or above any heap of one at a low address;
 *			64 KiB further for each n, since sites with one n may be in each other's way
 *   COUNTABLE_STOPPED	only with one: they lead into the program's own code
 */
#ifndef VICTIM_COUNTABLE_H
#define VICTIM_COUNTABLE_H

#ifdef __PIE__
#define COUNTABLE(n) __asm__ volatile(".byte 0xa9, 0x11, " #n ", 0x8d, 0x44" ::: "cc")
#else
#define COUNTABLE(n) __asm__ volatile(".byte 0xa9, 0x11, " #n ", 0x73, 0x44" ::: "cc")
#endif
#define COUNTABLE_STOPPED __asm__ volatile(".byte 0xa9, 0, 0, 0, 0" ::: "cc")

#endif
