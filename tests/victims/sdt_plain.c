/*
 * Probes of sys/sdt.h without semaphores: one to six sites a name, arguments of every width, sign
 * and place that the note's operand language knows, and one site in libbpf's shape, where a wide
 * nop follows the nop. There are no handlers: the program counts how often it passed each name.
 */
#include "countable.h"
#include "drive.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/sdt.h>

#define ONCE __attribute__((noinline, used))

enum { PLAIN, WIDTHS, PLACES, FLOATS, MANY, DOUBLE_UNDERSCORE, WIDE_NOP, NAMES };

static const char *const names[NAMES] = {
	"plain", "widths", "places", "floats", "many_sites", "query__start", "wide_nop"};
static atomic_ulong passes[NAMES];

/* Not static: named by a `sym(%rip)` operand. */
long sdt_global = 7;

struct place {
	int a;
	long b[4];
};

static void passed(int which, unsigned long sites)
{
	atomic_fetch_add(&passes[which], sites);
}

ONCE static void pass_plain(void)
{
	DTRACE_PROBE(victim, plain);
	COUNTABLE(1);
	passed(PLAIN, 1);
}

ONCE static void pass_widths(long n)
{
	int8_t i8 = (int8_t)n;
	uint8_t u8 = (uint8_t)n;
	int16_t i16 = (int16_t)n;
	uint16_t u16 = (uint16_t)n;
	int32_t i32 = (int32_t)n;
	uint32_t u32 = (uint32_t)n;
	int64_t i64 = n;
	uint64_t u64 = (uint64_t)n;

	DTRACE_PROBE8(victim, widths, i8, u8, i16, u16, i32, u32, i64, u64);
	COUNTABLE(2);
	passed(WIDTHS, 1);
}

ONCE static void pass_places(struct place *p, const char *text, long i)
{
	DTRACE_PROBE6(victim, places, p, p->a, p->b[i & 3], text, -5, sdt_global);
	COUNTABLE_STOPPED;
	passed(PLACES, 1);
}

ONCE static void pass_floats(double d, float f)
{
	DTRACE_PROBE2(victim, floats, d, f);
	COUNTABLE_STOPPED;
	passed(FLOATS, 1);
}

ONCE static void pass_many(long n)
{
	DTRACE_PROBE1(victim, many_sites, n);
	DTRACE_PROBE1(victim, many_sites, n + 1);
	DTRACE_PROBE2(victim, many_sites, n, 1);
	DTRACE_PROBE(victim, many_sites);
	/* Two sites at neighbouring addresses, as php's `exception` has them. */
	DTRACE_PROBE(victim, many_sites);
	DTRACE_PROBE(victim, many_sites);
	passed(MANY, 6);
}

ONCE static void pass_query(long n)
{
	DTRACE_PROBE1(victim, query__start, n);
	COUNTABLE(3);
	passed(DOUBLE_UNDERSCORE, 1);
}

/* 90 66 2e 0f 1f 84 00 00 00 00 00: the nop and a nop of ten bytes, and no base in the note. */
ONCE static void pass_wide_nop(long n)
{
	__asm__ volatile("1: nop\n"
			 ".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n"
			 ".pushsection .note.stapsdt, \"\", \"note\"\n"
			 ".balign 4\n"
			 ".4byte 3f - 2f, 5f - 4f, 3\n"
			 "2: .asciz \"stapsdt\"\n"
			 "3: .balign 4\n"
			 "4: .8byte 1b, _.stapsdt.base, 0\n"
			 ".asciz \"victim\"\n"
			 ".asciz \"wide_nop\"\n"
			 ".asciz \"-8@%%rdi\"\n"
			 "5: .balign 4\n"
			 ".popsection\n"
			 :
			 : "D"(n)
			 : "memory");
	passed(WIDE_NOP, 1);
}

static void sdt_round(long n)
{
	struct place place = {(int)n, {n, n + 1, n + 2, n + 3}};

	pass_plain();
	pass_widths(n);
	pass_places(&place, "text", n);
	pass_floats((double)n / 2, (float)n / 4);
	pass_many(n);
	pass_query(n);
	pass_wide_nop(n);
}

static void sdt_report(void)
{
	for (int i = 0; i < NAMES; i++)
		printf("%s passes=%lu\n", names[i], atomic_load(&passes[i]));
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {.round = sdt_round, .report = sdt_report};

	return drive(argc, argv, &ops);
}
