/* A library with a probe that is named like one of the program, but of another provider. */
#include <sys/sdt.h>

extern void namesake(long n);

void namesake(long n)
{
	DTRACE_PROBE1(namesake, first, n);
}
