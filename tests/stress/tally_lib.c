/*
 * A library that tally.c loads and unloads. It is built twice, with another ADDED: both are alike
 * but for one byte of the instructions behind the sites, so each may be mapped where the other one
 * was.
 */
#include <sys/sdt.h>

long tally_library(long n);
__attribute__((visibility("default"), noinline)) long tally_library(long n)
{
	long is = n;

	DTRACE_PROBE1(tally, library_lea, is);
	__asm__ volatile("leaq %c1(%0), %0" : "+a"(is) : "i"(ADDED));
	DTRACE_PROBE1(tally, library_add, is);
	__asm__ volatile("addq $%c1, %0" : "+a"(is) : "i"(0x12345 + ADDED) : "cc");
	return is;
}
