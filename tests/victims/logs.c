/*
 * A program that logs what each of its hits was: thread, time before and after, arguments. `run T
 * N`: T threads, each with a name of its own, N rounds each; `hold T N`: the same, but the threads
 * live, so that their names can be read, until `go`; `children C N`: processes; `texts N`:
 * good and bad pointers, N times; `fenced`: a thread installs a seccomp filter that kills the
 * process for process_vm_readv(2), and runs on. `log FILE` writes a line for each hit: "TID NAME
 * BEFORE AFTER PROBE ARGUMENT ...", times in ns of CLOCK_REALTIME, a text in hexadecimal digits,
 * `-` where it cannot be read; `zero` forgets them.
 */
#include "countable.h"
#include "counts.h"
#include "drive.h"
#include "fence.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOGGED = 1 << 18, THREADS = 64, SHOWN = 200, PAGE = 4096, TEXTS = 10 };

static struct logged {
	int64_t before, after;
	long id;
	int tid, text;
	char name[16], probe;
} * logged;
static atomic_uint *logged_count; /* shared with children */
static const char *texts[TEXTS];
static size_t readable[TEXTS]; /* bytes, at most SHOWN; 0: none */
static _Thread_local char thread_name[16];
volatile int logs_global;
static volatile long sum;
static pthread_t running[THREADS];
static long running_count;
static bool holds;
static sem_t done;                                       /* threads whose rounds are over */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* which they pass to end */

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

ONCE static void few(long id)
{
	DTRACE_PROBE2(logs, few, id, (int)-id);
	COUNTABLE(1);
	sum += id;
}

ONCE static void many(long id, double real, float single)
{
	DTRACE_PROBE9(logs, many, id, (short)-id, (signed char)id, (unsigned char)id, real, single,
		42, (unsigned)id * 3u, logs_global);
	sum += id;
}

ONCE static void say(long id, const char *text)
{
	DTRACE_PROBE2(logs, say, id, text);
	COUNTABLE(2);
	sum += id;
}

static struct logged *begin(long id, char probe)
{
	struct logged *l = &logged[atomic_fetch_add(logged_count, 1) % LOGGED];

	l->id = id;
	l->probe = probe;
	l->tid = (int)syscall(SYS_gettid);
	memcpy(l->name, thread_name, sizeof l->name);
	l->before = now();
	return l;
}

static void logs_round(long n)
{
	struct logged *l = begin(n, 'f');

	few(n);
	l->after = now();
	l = begin(n, 'm');
	many(n, (double)n / 3, (float)n / 4);
	l->after = now();
}

static void *many_rounds(void *rounds)
{
	static atomic_int number;

	snprintf(thread_name, sizeof thread_name, "log-%d", atomic_fetch_add(&number, 1));
	prctl(PR_SET_NAME, thread_name);
	for (long n = 1; n <= *(long *)rounds; n++)
		logs_round(n);
	sem_post(&done);
	/* Its name may be read until then. */
	if (!holds)
		usleep(200000);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return NULL;
}

/* Let the threads end. */
static void go(void)
{
	if (holds)
		pthread_mutex_unlock(&gate);
	holds = false;
	while (running_count)
		pthread_join(running[--running_count], NULL);
}

static void threads(long count, long rounds, bool hold)
{
	go();
	if (hold)
		pthread_mutex_lock(&gate);
	holds = hold;
	while (running_count < count &&
		!pthread_create(&running[running_count], NULL, many_rounds, &rounds))
		running_count++;
	for (long i = 0; i < running_count; i++)
		while (sem_wait(&done) != 0)
			;
	if (!hold)
		go();
}

static void say_all(long rounds)
{
	for (long n = 0; n < rounds * TEXTS; n++) {
		struct logged *l = begin(n, 's');

		l->text = (int)(n % TEXTS);
		say(n, texts[l->text]);
		l->after = now();
	}
}

static void children(long count, long rounds)
{
	for (long i = 0; i < count; i++)
		if (fork() == 0) {
			/* The first ones come before a tracer has looked at the child. */
			for (long n = 0; n < rounds; n++) {
				say_all(1);
				usleep(20000);
			}
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
}

static int write_log(const char *path)
{
	unsigned count = *logged_count < LOGGED ? *logged_count : LOGGED;
	FILE *file = fopen(path, "we");

	for (unsigned i = 0; file && i < count; i++) {
		const struct logged *l = &logged[i];

		fprintf(file, "%d %s %ld %ld ", l->tid, *l->name ? l->name : "logs",
			(long)l->before, (long)l->after);
		if (l->probe == 'f')
			fprintf(file, "few %ld %d\n", l->id, (int)-l->id);
		if (l->probe == 'm')
			fprintf(file, "many %ld %d %d %u %.17g %.17g 42 %u %d\n", l->id,
				(short)-l->id, (signed char)l->id, (unsigned char)l->id,
				(double)l->id / 3, (double)((float)l->id / 4), (unsigned)l->id * 3u,
				logs_global);
		if (l->probe != 's')
			continue;
		fprintf(file, "say %ld ", l->id);
		for (size_t k = 0; k < readable[l->text] && texts[l->text][k]; k++)
			fprintf(file, "%02x", (unsigned char)texts[l->text][k]);
		fputs(!readable[l->text] ? "-\n" : *texts[l->text] ? "\n" : "00\n", file);
	}
	return file && fclose(file) == 0;
}

static int logs_command(const char *line)
{
	long count = 0, rounds = 0;
	char word[32];

	if (!strncmp(line, "log ", 4)) {
		printf("done %d\n", write_log(line + 4));
		return 1;
	}
	if (sscanf(line, "%31s %ld %ld", word, &count, &rounds) < 1 || count > LOGGED)
		return 0;
	if (!strcmp(word, "zero"))
		*logged_count = 0;
	else if ((!strcmp(word, "run") || !strcmp(word, "hold")) && count <= THREADS)
		threads(count, rounds, *word == 'h');
	else if (!strcmp(word, "go"))
		go();
	else if (!strcmp(word, "children") && count <= THREADS)
		children(count, rounds);
	else if (!strcmp(word, "texts"))
		say_all(count);
	else if (!strcmp(word, "fenced"))
		printf("fenced %d\n", fence());
	else
		return 0;
	printf("done %s\n", word);
	return 1;
}

static void logs_report(void)
{
	printf("logged=%u\n", *logged_count);
}

/* Two pages, of which the second one is not there. */
static void make_texts(char *pages)
{
	static char longer[300];
	static const char *const plain[] = {
		"select 1", "", "\"quoted\" \\ \n\t\033[31m", "\xff\xfe z"};

	munmap(pages + PAGE, PAGE);
	memset(longer, 'x', sizeof longer - 1);
	memset(pages, 'y', PAGE);
	pages[100] = '\0';
	for (int i = 0; i < 4; i++) {
		texts[i] = plain[i];
		readable[i] = SHOWN;
	}
	texts[4] = longer;
	readable[4] = SHOWN;
	texts[5] = pages + PAGE - 10; /* without end */
	readable[5] = 10;
	texts[6] = pages; /* ends in its page */
	readable[6] = SHOWN;
	texts[7] = NULL;
	texts[8] = (const char *)8;
	texts[9] = (const char *)(UINT64_C(0x8000) << 48);
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {
		.round = logs_round, .report = logs_report, .command = logs_command};
	char *pages = mmap(
		NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	logged = mmap(NULL, LOGGED * sizeof *logged + PAGE, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || logged == MAP_FAILED)
		return 1;
	logged_count = (atomic_uint *)(logged + LOGGED);
	logs_global = 7;
	sem_init(&done, 0, 0);
	make_texts(pages);
	return drive(argc, argv, &ops);
}
