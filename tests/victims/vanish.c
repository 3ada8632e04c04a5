/*
 * A program that loses the page of code that has its probe, and keeps the rest: `unmap` takes the
 * page away, `cover` maps other memory over it, `settle` moves its bytes to anonymous memory at the
 * same place, as programs do that want huge pages for their text.
 */
#include "countable.h"
#include "drive.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>

#define PAGE 4096

__attribute__((noinline, used, aligned(PAGE), section(".page"))) static void lose(long n)
{
	DTRACE_PROBE1(vanish, lose, n);
	COUNTABLE(1);
}

/* What follows lies in another page. */
__attribute__((noinline, used, aligned(PAGE), section(".page"))) static void keep(void)
{
	__asm__ volatile("");
}

static int vanished;

static void vanish_round(long n)
{
	if (!vanished)
		lose(n);
	keep();
}

static void vanish_report(void)
{
}

static void *vanish_memory(void *at, int flags)
{
	return mmap(at, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

static int vanish_command(const char *line)
{
	void *page = (void *)lose;
	char *copy;

	if (!strcmp(line, "settle")) {
		copy = vanish_memory(NULL, 0);
		memcpy(copy, page, PAGE);
		mremap(copy, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page);
	} else if (!strcmp(line, "unmap")) {
		vanished = 1;
		munmap(page, PAGE);
	} else if (!strcmp(line, "cover")) {
		vanished = 1;
		memset(vanish_memory(page, MAP_FIXED), 0xc3, PAGE);
	} else {
		return 0;
	}
	printf("done %s\n", line);
	return 1;
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {
		.round = vanish_round, .report = vanish_report, .command = vanish_command};

	return drive(argc, argv, &ops);
}
