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
	__asm__ volatile("addq $%c1, %0\n\tnopl 0x12345678(%%rax,%%rax)"
			 : "+a"(is)
			 : "i"(0x12345 + ADDED)
			 : "cc");
	DTRACE_PROBE1(tally, library_wide, is);
	__asm__ volatile("movabsq %1, %%rdx\n\tshrq $56, %%rdx\n\taddq %%rdx, %0"
			 : "+a"(is)
			 : "i"((long)ADDED << 56)
			 : "rdx", "cc");
	return is;
}

/* What library_wide would jump to, had only its nop been replaced: no room for a trampoline. */
__asm__(".pushsection .text.behind,\"ax\"\n\t.skip 65536\n\t.popsection");
