/*
 * A program whose probes have arguments that are variables with names, and whose function `work` is
 * called by functions with names: `call A B C` lets alpha call it A times, beta B times, and gamma,
 * through a pointer, C times; `handle N` hits the other probes N times.
 */
/* clang copies an argument that may lie in memory there: no variable lies where the copy does. */
#ifdef __clang__
#define STAP_SDT_ARG_CONSTRAINT nr
#endif

#include "countable.h"
#include "counts.h"
#include "drive.h"

#include <stdio.h>
#include <string.h>
#include <sys/sdt.h>

#ifndef __OPTIMIZE__
#define KEPT static
#else
#define KEPT static inline __attribute__((always_inline))
#endif

struct request {
	int id;
};

static int counter;
static volatile long sum;

KEPT void inner(long amount, const char *label)
{
	DTRACE_PROBE2(named, inner, amount, label);
	COUNTABLE(1);
	sum += amount;
}

ONCE static void handle(int fd, const char *path, double ratio, struct request *r)
{
	static long total;
	long amount = sum + fd;

	counter++;
	total += fd;
	{
		/* It has the name of another argument. */
		int arg1 = fd * 2;

		DTRACE_PROBE5(named, handle, fd, path, ratio, arg1, r);
		COUNTABLE(2);
		sum += arg1 + r->id + (long)ratio;
	}
	DTRACE_PROBE3(named, globals, counter, total, 42);
	COUNTABLE(3);
	inner(amount, path);
	sum += amount + total;
}

/* Its frame is larger than the registers. */
ONCE static void work(long n)
{
	volatile char frame[200];

	memset((char *)frame, 0, sizeof frame);
	frame[n & 127] = (char)n;
	DTRACE_PROBE1(named, called, n);
	COUNTABLE(4);
	sum += frame[n & 63];
	/* A part of n, which is wider. */
	DTRACE_PROBE1(named, narrow, (int)n);
	COUNTABLE(5);
	sum += n;
}

/* None of them ends by the call: it would be a jump. */
ONCE static void alpha(long n)
{
	work(n);
	sum++;
}

ONCE static void beta(long n)
{
	work(n + 1);
	sum += 2;
}

static void (*volatile pointer)(long) = work;

ONCE static void gamma_(long n)
{
	pointer(n + 2);
	sum += 3;
}

static void named_round(long n)
{
	struct request r = {.id = (int)n};

	handle((int)n, "/index", (double)n / 2, &r);
}

static int named_command(const char *line)
{
	long a, b, c;

	if (sscanf(line, "call %ld %ld %ld", &a, &b, &c) == 3) {
		for (; a > 0; a--)
			alpha(a);
		for (; b > 0; b--)
			beta(b);
		for (; c > 0; c--)
			gamma_(c);
	} else if (sscanf(line, "handle %ld", &a) == 1) {
		for (long n = 1; n <= a; n++)
			named_round(n);
	} else {
		return 0;
	}
	printf("done %s\n", line);
	return 1;
}

static void named_report(void)
{
	printf("counter=%d\n", counter);
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {
		.round = named_round, .report = named_report, .command = named_command};

	return drive(argc, argv, &ops);
}
