/*
 * The frame of a program with very many probes: their sites, and the one handler that counts, come
 * from the assembly that many.sh writes.
 */
#include "drive.h"

#include <stdio.h>

extern void many_round(void) __attribute__((visibility("hidden")));
extern volatile unsigned long many_hits __attribute__((visibility("hidden")));

static void round_all(long n)
{
	(void)n;
	many_round();
}

static void report(void)
{
	printf("all hits=%lu\n", many_hits);
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {.round = round_all, .report = report};

	return drive(argc, argv, &ops);
}
