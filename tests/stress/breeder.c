/*
 * A victim that bears children, each of which lives on and proves by itself what it was born with:
 * how often handlers ran in one pass of all its sites, what its counts are, which of its sites are
 * on. Says where these lie, for those who read memory themselves.
 *
 *   ready PID
 *   places
 *     count ADDRESS and site ADDRESS of each OCaml probe,
 *     then shared ADDRESS of the count of three probes of sys/sdt.h, then done
 *   fork [N]
 *     a child in which every count is N (0) higher: born PID
 *   hide
 *     a child that other processes of its user may not read: born PID
 *   grand
 *     a child of a child that ends at once; outlives the breeder by a minute: born PID
 *   breed US
 *     from now on one child every US microseconds: done
 *   cease
 *     no more children: done N
 *   check
 *     every child passes all its sites: child PID hits=H counts=C on=S, or child PID died, then
 * done N end all children end: child PID died for each that had ended before, then done quit
 *
 * At most BREEDER_MOST children live; the oldest make room.
 */
#include "tests/victims/ocaml_probe.h"

#define _SDT_HAS_SEMAPHORES 1
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BREEDER_MOST 192

static atomic_ulong hits;

OCAML_HANDLER void breeder_handler(long x, long y)
{
	(void)x;
	(void)y;
	atomic_fetch_add(&hits, 1);
}

#define BREEDER_EIGHT(X, a) X(a##0) X(a##1) X(a##2) X(a##3) X(a##4) X(a##5) X(a##6) X(a##7)
#define BREEDER_NAMES(X) BREEDER_EIGHT(X, a) BREEDER_EIGHT(X, b) BREEDER_EIGHT(X, c)

#define BREEDER_DEFINE(name)                                                    \
	OCAML_PROBE_DEFINE(name);                                               \
	OCAML_HANDLER void handle_##name(long x, long y)                        \
	{                                                                       \
		breeder_handler(x, y);                                          \
	}                                                                       \
	OCAML_ONCE static void hit_##name(long n)                               \
	{                                                                       \
		OCAML_PROBE_HIT(name, n, 1);                                    \
	}                                                                       \
	extern uint16_t count_##name[2] __asm__("caml_probes_semaphore_" #name) \
		__attribute__((visibility("hidden")));                          \
	extern unsigned char wrapper_##name[] __asm__("ocaml_wrapper_" #name)   \
		__attribute__((visibility("hidden")));

BREEDER_NAMES(BREEDER_DEFINE)

static struct {
	const char *name;
	void (*hit)(long n);
	unsigned char *wrapper;
	uint16_t *count;
	unsigned char *site;
} probes[] = {
#define BREEDER_ROW(name) {#name, hit_##name, wrapper_##name, &count_##name[1], NULL},
	BREEDER_NAMES(BREEDER_ROW)};
#define BREEDER_PROBES (sizeof probes / sizeof *probes)

/* Three names share one count: switching all on takes it there in three steps. */
volatile unsigned short breeder_s0_semaphore __attribute__((section(".probes"), used));
extern volatile unsigned short breeder_s1_semaphore __attribute__((alias("breeder_s0_semaphore")));
extern volatile unsigned short breeder_s2_semaphore __attribute__((alias("breeder_s0_semaphore")));

OCAML_ONCE static void hit_shared(void)
{
	DTRACE_PROBE(breeder, s0);
	DTRACE_PROBE(breeder, s1);
	DTRACE_PROBE(breeder, s2);
}

/* nop, then cmp or call with the distance to the wrapper. */
static unsigned char *site_in(unsigned char *code, const unsigned char *wrapper)
{
	for (unsigned char *at = code; at < code + 256; at++) {
		int32_t distance;

		memcpy(&distance, at + 2, sizeof distance);
		if (at[0] == 0x90 && (at[1] == 0x3d || at[1] == 0xe8) &&
			at + 6 + distance == wrapper)
			return at;
	}
	abort();
}

/* ---------------------------------------------------------------- the children */

enum word { WORD_FREE, WORD_LIVES, WORD_CHECK, WORD_CHECKED, WORD_END };

struct child {
	atomic_int word;
	pid_t pid;
	unsigned long hits, counts, on;
};

static struct child *children; /* shared by all */
static atomic_ulong born;

static void futex_wait(atomic_int *word, int value)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, &(struct timespec){1, 0}, NULL, 0);
}

static void say(struct child *c, int word)
{
	atomic_store(&c->word, word);
	syscall(SYS_futex, &c->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/*
 * Until the child answers `word` with `answer`. The word is said once: said again, it could land on
 * the answer. False where the child has died, whose place is free then.
 */
static bool asked(struct child *c, int word, int answer)
{
	say(c, word);
	while (atomic_load(&c->word) != answer) {
		if (kill(c->pid, 0) && errno == ESRCH && atomic_load(&c->word) != answer) {
			printf("child %d died\n", c->pid);
			atomic_store(&c->word, WORD_FREE);
			return false;
		}
		usleep(100);
	}
	return true;
}

static void pass(struct child *c)
{
	unsigned long before = atomic_load(&hits);

	hit_shared();
	c->counts = breeder_s0_semaphore;
	c->on = 0;
	for (size_t i = 0; i < BREEDER_PROBES; i++) {
		probes[i].hit(1);
		c->counts += *(volatile uint16_t *)probes[i].count;
		c->on += *(volatile unsigned char *)(probes[i].site + 1) != 0x3d;
	}
	c->hits = atomic_load(&hits) - before;
}

static void live(struct child *c, pid_t breeder, unsigned higher, bool grand, bool hidden)
{
	int after = 0;

	if (hidden)
		prctl(PR_SET_DUMPABLE, 0);
	for (size_t i = 0; i < BREEDER_PROBES; i++)
		*probes[i].count = (uint16_t)(*probes[i].count + higher);
	/* From here on the breeder may say a word, which we must not overwrite. */
	*(volatile pid_t *)&c->pid = getpid();
	/* One turn is a second at most. */
	while (kill(breeder, 0) == 0 || (grand && after++ < 60)) {
		int word = atomic_load(&c->word);

		if (word == WORD_CHECK) {
			pass(c);
			say(c, WORD_CHECKED);
		} else if (word == WORD_END) {
			break;
		} else {
			futex_wait(&c->word, word);
		}
	}
	say(c, WORD_FREE);
	_exit(0);
}

static struct child *room(void)
{
	struct child *c = &children[atomic_fetch_add(&born, 1) % BREEDER_MOST];

	if (atomic_load(&c->word) != WORD_FREE)
		asked(c, WORD_END, WORD_FREE);
	c->pid = 0;
	atomic_store(&c->word, WORD_LIVES);
	return c;
}

static pid_t bear(unsigned higher, bool grand, bool hidden)
{
	pid_t breeder = getpid(), pid;
	struct child *c = room();

	pid = fork();
	if (pid == 0 && grand && fork() != 0)
		_exit(0);
	if (pid == 0)
		live(c, breeder, higher, grand, hidden);
	while (pid > 0 && !*(volatile pid_t *)&c->pid)
		usleep(50);
	if (pid < 0)
		say(c, WORD_FREE);
	return pid < 0 ? 0 : c->pid;
}

static size_t check(void)
{
	size_t living = 0;

	for (size_t i = 0; i < BREEDER_MOST; i++) {
		struct child *c = &children[i];

		if (atomic_load(&c->word) == WORD_FREE)
			continue;
		if (!asked(c, WORD_CHECK, WORD_CHECKED))
			continue;
		living++;
		printf("child %d hits=%lu counts=%lu on=%lu\n", c->pid, c->hits, c->counts, c->on);
	}
	return living;
}

static void end(void)
{
	for (size_t i = 0; i < BREEDER_MOST; i++)
		if (atomic_load(&children[i].word) != WORD_FREE)
			asked(&children[i], WORD_END, WORD_FREE);
}

/* ----------------------------------------------------------------- the breeding */

static atomic_long pace; /* us; 0: none */
static atomic_int breeding;

static void *breed(void *arg)
{
	for (unsigned n = 0;; n++) {
		long us = atomic_load(&pace);

		atomic_store(&breeding, us != 0);
		if (us)
			bear(0, n % 8 == 7, false);
		usleep(us ? (useconds_t)us : 1000);
	}
	return arg;
}

static void cease(void)
{
	atomic_store(&pace, 0);
	while (atomic_load(&breeding))
		usleep(1000);
}

static void places(void)
{
	for (size_t i = 0; i < BREEDER_PROBES; i++)
		printf("count %lx site %lx\n", (unsigned long)probes[i].count,
			(unsigned long)probes[i].site);
	printf("shared %lx\n", (unsigned long)&breeder_s0_semaphore);
	printf("done places\n");
}

static void answer(const char *line)
{
	if (!strcmp(line, "places")) {
		places();
	} else if (!strncmp(line, "fork", 4)) {
		printf("born %d\n", bear((unsigned)atoi(line + 4), false, false));
	} else if (!strcmp(line, "grand")) {
		printf("born %d\n", bear(0, true, false));
	} else if (!strcmp(line, "hide")) {
		printf("born %d\n", bear(0, false, true));
	} else if (!strncmp(line, "breed ", 6)) {
		atomic_store(&pace, atol(line + 6));
		printf("done breed\n");
	} else if (!strcmp(line, "cease")) {
		cease();
		printf("done %lu\n", atomic_load(&born));
	} else if (!strcmp(line, "check")) {
		printf("done %zu\n", check());
	} else if (!strcmp(line, "end")) {
		end();
		printf("done end\n");
	} else {
		printf("unknown %s\n", line);
	}
}

int main(void)
{
	static char out[1 << 16], line[256];
	pthread_t thread;

	signal(SIGCHLD, SIG_IGN);
	setvbuf(stdout, out, _IOFBF, sizeof out);
	children = mmap(NULL, BREEDER_MOST * sizeof *children, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (children == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < BREEDER_PROBES; i++)
		probes[i].site = site_in((unsigned char *)probes[i].hit, probes[i].wrapper);
	if (pthread_create(&thread, NULL, breed, NULL))
		return 1;
	printf("ready %d\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof line, stdin) && strncmp(line, "quit", 4)) {
		line[strcspn(line, "\n")] = '\0';
		answer(line);
		fflush(stdout);
	}
	cease();
	end();
	return 0;
}
