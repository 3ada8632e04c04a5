/*
 * Probes of sys/sdt.h whose semaphores lie where nobody should write: `relro` names a table of
 * pointers that is read-only after relocation, as a wrong note may; that of `page` has a page to
 * itself, which is protected and shared on command; `open` has a usual one.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define _SDT_HAS_SEMAPHORES 1
#include "drive.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>

#define PAGE 4096
#define ONCE __attribute__((noinline, used))

static unsigned long calls;

ONCE static void count_one(void)
{
	calls += 1;
}

ONCE static void count_two(void)
{
	calls += 2;
}

/* What the program calls through: a count added to the first address is another address. */
__attribute__((used)) void (*const victim_relro_semaphore[])(void) = {count_one, count_two};
__attribute__((used, aligned(PAGE))) volatile unsigned short victim_page_semaphore[PAGE / 2] = {
	0, 7};
__attribute__((used, section(".probes"))) volatile unsigned short victim_open_semaphore;

ONCE static void sealed_round(long n)
{
	void (*const *volatile table)(void) = victim_relro_semaphore;

	DTRACE_PROBE1(victim, relro, n);
	DTRACE_PROBE1(victim, page, n);
	DTRACE_PROBE1(victim, open, n);
	table[0]();
	table[1]();
}

static void sealed_report(void)
{
	printf("relro calls=%lu\n", calls);
	printf("page sema=%u\n", victim_page_semaphore[0]);
	printf("open sema=%u\n", victim_open_semaphore);
}

/* The same bytes, shared with whomever it forks. */
static int share(void)
{
	unsigned short was[PAGE / 2];
	void *page = (void *)victim_page_semaphore;

	memcpy(was, page, PAGE);
	if (mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) != page)
		return -1;
	memcpy(page, was, PAGE);
	return 0;
}

static int sealed_command(const char *line)
{
	void *page = (void *)victim_page_semaphore;
	int failed;

	if (!strcmp(line, "protect"))
		failed = mprotect(page, PAGE, PROT_READ);
	else if (!strcmp(line, "unprotect"))
		failed = mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	else if (!strcmp(line, "share"))
		failed = share();
	else
		return 0;
	printf(failed ? "failed %s\n" : "done %s\n", line);
	return 1;
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {
		.round = sealed_round, .report = sealed_report, .command = sealed_command};

	return drive(argc, argv, &ops);
}
