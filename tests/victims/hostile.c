/*
 * A program whose forked child works against it, with other rights where it can give its own up:
 * the child has the memory of counters that tools have mapped in the program, and writes there.
 * `busy`: a thread passes the probes again and again. `code`: a child writes breakpoints over all
 * of that memory that it can make writable, but for its data. `noise SEED`: a child writes noise
 * into the data, until `end`, which also ends the thread.
 */
#include "countable.h"
#include "counts.h"
#include "drive.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAPPINGS = 16, PAGE = 4096, NOBODY = 65534 };

static struct mapping {
	uint64_t *start;
	size_t words;
	bool writable;
} mappings[MAPPINGS];
static size_t mapping_count;
static unsigned long hits;
volatile long hostile_global = 77; /* an operand in static memory */
static volatile long sum;
static pthread_t thread;
static atomic_bool busy;
static pid_t child;

ONCE static void start(long id, const char *text)
{
	DTRACE_PROBE2(hostile, start, id, text);
	COUNTABLE(1);
	sum += id;
}

ONCE static void end(long id)
{
	DTRACE_PROBE2(hostile, end, id, hostile_global);
	COUNTABLE(2);
	sum -= id;
}

static void hostile_round(long n)
{
	start(n, "a text");
	end(n);
	hits++;
}

static void *rounds(void *unused)
{
	const struct timespec nap = {.tv_nsec = 100000};

	for (long n = 1; busy; n++) {
		hostile_round(n);
		if (n % 100 == 0)
			nanosleep(&nap, NULL);
	}
	return unused;
}

static void look(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	char line[512], rights[8];

	mapping_count = 0;
	while (maps && fgets(line, sizeof line, maps) && mapping_count < MAPPINGS)
		if (strstr(line, "/memfd:probes-tui") &&
			sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3)
			mappings[mapping_count++] = (struct mapping){
				(uint64_t *)from, (to - from) / sizeof(uint64_t), rights[1] == 'w'};
	if (maps)
		fclose(maps);
}

/* ---- the child ---- */

/* As the kernel says that there is nothing behind the end of the file. */
static void nothing_there(int sig)
{
	(void)sig;
	_exit(0);
}

/* Where the file goes on behind the data, a mapping of that can grow. */
static void write_code(void)
{
	for (size_t i = 0; i < mapping_count; i++) {
		struct mapping *m = &mappings[i];
		size_t size = m->words * sizeof *m->start;
		char *more;

		if (!m->writable && mprotect(m->start, size, PROT_READ | PROT_WRITE) == 0)
			memset(m->start, 0xcc, size);
		if (!m->writable || fork())
			continue;
		more = mremap(m->start, size, size + 1024 * PAGE, MREMAP_MAYMOVE);
		if (more != MAP_FAILED)
			memset(more + size, 0xcc, 1024 * PAGE);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	_exit(0);
}

static uint64_t seed;

static uint64_t random_next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* Mostly where something is. */
static uint64_t *place(void)
{
	const struct mapping *m;
	uint64_t *at;

	do {
		m = &mappings[random_next() % mapping_count];
		at = m->start + random_next() % m->words;
	} while (!m->writable || (!*at && random_next() % 64));
	return at;
}

static void make_noise(void)
{
	for (;;) {
		volatile uint64_t *at = place();
		uint64_t value = random_next();

		switch (value % 7) {
		case 0:
			*at = value;
			break;
		case 1:
			*at = value >> 8 & 7;
			break;
		case 2:
			((volatile uint8_t *)at)[value >> 8 & 7] = value >> 16 & 7;
			break;
		case 3:
			*at = PAGE + (value >> 8) % PAGE; /* not mapped */
			break;
		case 4:
			*at = UINT64_MAX;
			break;
		case 5:
			*at = *place();
			break;
		default:
			((volatile uint8_t *)at)[value >> 8 & 7] = (uint8_t)(value >> 16);
		}
	}
}

static void become_hostile(void (*work)(void))
{
	child = fork();
	if (child)
		return;
	(void)!setgid(NOBODY); /* only root can */
	(void)!setuid(NOBODY);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGBUS, nothing_there);
	look();
	work();
}

/* ---- */

static int hostile_command(const char *line)
{
	if (!strcmp(line, "busy")) {
		busy = true;
		printf("done busy %d\n", pthread_create(&thread, NULL, rounds, NULL));
	} else if (!strcmp(line, "code")) {
		become_hostile(write_code);
		waitpid(child, NULL, 0);
		printf("done code\n");
	} else if (sscanf(line, "noise %lu", &seed) == 1 && seed) {
		look();
		if (mapping_count)
			become_hostile(make_noise);
		printf("done noise %d\n", mapping_count > 0);
	} else if (!strcmp(line, "end")) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		busy = false;
		pthread_join(thread, NULL);
		printf("done end\n");
	} else {
		return 0;
	}
	return 1;
}

static void hostile_report(void)
{
	printf("all hits=%lu\n", hits);
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {
		.round = hostile_round, .report = hostile_report, .command = hostile_command};

	return drive(argc, argv, &ops);
}
