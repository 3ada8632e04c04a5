/*
 * Probes that share a site, as where a linker has folded equal functions: `first` and `second` with
 * the same argument, `third` with another one. A step
 * hits the site once.
 */
#include "countable.h"
#include "drive.h"

#include <stdio.h>
#include <sys/sdt.h>

#define ONCE __attribute__((noinline, used))

/* A note for the site at the label 1, as sys/sdt.h writes it. */
#define NOTE(name, arguments)                          \
	".pushsection .note.stapsdt, \"\", \"note\"\n" \
	".balign 4\n"                                  \
	".4byte 3f - 2f, 5f - 4f, 3\n"                 \
	"2: .asciz \"stapsdt\"\n"                      \
	"3: .balign 4\n"                               \
	"4: .8byte 1b, _.stapsdt.base, 0\n"            \
	".asciz \"twins\"\n"                           \
	".asciz \"" name "\"\n"                        \
	".asciz \"" arguments "\"\n"                   \
	"5: .balign 4\n"                               \
	".popsection\n"

static unsigned long hits;

ONCE static void hit(long a, long b)
{
	__asm__ volatile("1: nop\n" NOTE("first", "-8@%%rdi") NOTE("second", "-8@%%rdi")
				 NOTE("third", "-8@%%rsi")::"D"(a),
		"S"(b));
	COUNTABLE(1);
	hits++;
}

/* One of sys/sdt.h: it defines what the notes above refer to. */
ONCE static void once(void)
{
	DTRACE_PROBE(twins, once);
}

static void twins_round(long n)
{
	(void)n;
	hit(7, 9);
	if (!hits)
		once();
}

static void twins_report(void)
{
	printf("hits=%lu\n", hits);
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {.round = twins_round, .report = twins_report};

	return drive(argc, argv, &ops);
}
