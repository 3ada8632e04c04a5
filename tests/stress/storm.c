/*
 * The victim of the campaign: threads that live for a while, bear their successor and die, all
 * hitting OCaml sites and guarded sites of sys/sdt.h; it counts what handlers and sites saw,
 * checks its registers, its signals and its own code. Lines on stdin, lines on stdout:
 *
 *   (start)   ready PID TABLE          the address of its struct storm_table
 *   pause     paused                   no thread is between two sites, none will be
 *   go        going
 *   report    place NAME pass=P ran=R hits=H ..., code ADDRESS WAS IS ..., done
 *   fork N US forking                  N children, one each US microseconds, which live on
 *   calm      children PID ...         no more are born
 *   gather    gathered BAD             each makes a round and ends; so many ended badly
 *   quit      exit status 0
 *
 * Options: --threads N (64), --leader-dies: the first thread ends, and the rest goes on without it;
 * --short-lives: a thread makes one round, bears its successor and dies;
 * --vfork: one thread waits for a child by vfork that does not end before us, and cannot be
 * stopped. STORM_EXEC has it begin anew, in the same process.
 */
#include "storm.h"
#include "storm_forks.h"

#include "tests/victims/ocaml_probe.h"
#include "tests/victims/registers.h"

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* 28 probes of one site; `many` has four, and there are the pair, `registers` and those of sdt. */
/* clang-format off */
#define EACH(X) \
	X(a0) X(a1) X(a2) X(a3) X(a4) X(a5) X(a6) \
	X(b0) X(b1) X(b2) X(b3) X(b4) X(b5) X(b6) \
	X(c0) X(c1) X(c2) X(c3) X(c4) X(c5) X(c6) \
	X(d0) X(d1) X(d2) X(d3) X(d4) X(d5) X(d6) \
	X(many) X(work_start) X(work_end)
/* clang-format on */

enum storm_index {
#define NUMBER(name) PLACE_##name,
	EACH(NUMBER) PLACE_registers,
	PLACE_wire,
	PLACE_gate,
	PLACE_COUNT
};

static struct storm_table table = {
	.magic = STORM_MAGIC,
	.count = PLACE_COUNT,
	.places =
		{
#define NAME(probe) [PLACE_##probe] = {.name = #probe},
			EACH(NAME)[PLACE_registers] = {.name = "registers"},
			[PLACE_wire] = {.name = "wire", .sdt = 1},
			[PLACE_gate] = {.name = "gate", .sdt = 1},
		},
};

/* Times that a handler ran in this thread since its site was passed last. */
static _Thread_local unsigned ran;
static _Thread_local int activity;

static pthread_rwlock_t pausing; /* a round holds it for reading, a pause for writing */
static long threads = 64;
static int short_lives;

/* ---------------------------------------------------------------- probes */

static void came(enum storm_index i)
{
	atomic_fetch_add(&table.places[i].pass, 1);
	ran = 0;
}

static void went(enum storm_index i)
{
	atomic_fetch_add(&table.places[i].ran, ran);
	if (ran > 1)
		atomic_fetch_add(&table.twice, 1);
}

static void handled(enum storm_index i)
{
	atomic_fetch_add(&table.places[i].hits, 1);
	ran++;
	if (i == PLACE_work_start)
		activity = 1;
	if (i == PLACE_work_end)
		activity = 0;
}

#define PROBE(name)                                       \
	OCAML_PROBE_DEFINE(name);                         \
	OCAML_HANDLER void handle_##name(long x, long y); \
	OCAML_HANDLER void handle_##name(long x, long y)  \
	{                                                 \
		(void)x;                                  \
		(void)y;                                  \
		handled(PLACE_##name);                    \
	}                                                 \
	OCAML_ONCE static void hit_##name(long n)         \
	{                                                 \
		came(PLACE_##name);                       \
		OCAML_PROBE_HIT(name, n, 1);              \
		went(PLACE_##name);                       \
	}
EACH(PROBE)

/* Three more sites of one name. */
OCAML_ONCE static void hit_many_more(long n)
{
	came(PLACE_many);
	OCAML_PROBE_HIT(many, n, 2);
	went(PLACE_many);
	came(PLACE_many);
	OCAML_PROBE_HIT(many, n, 3);
	went(PLACE_many);
	came(PLACE_many);
	OCAML_PROBE_HIT(many, n, 4);
	went(PLACE_many);
}

#define SEMAPHORE(name) \
	volatile unsigned short storm_##name##_semaphore __attribute__((section(".probes"), used))
SEMAPHORE(wire);
SEMAPHORE(gate);

#define GUARDED(probe, number)                                                 \
	do {                                                                   \
		atomic_fetch_add(&table.places[PLACE_##probe].pass, 1);        \
		if (storm_##probe##_semaphore > 0) {                           \
			atomic_fetch_add(&table.places[PLACE_##probe].ran, 1); \
			DTRACE_PROBE2(storm, probe, n, number);                \
		}                                                              \
	} while (0)

__attribute__((noinline, used)) static void hit_guarded(long n)
{
	GUARDED(wire, 1);
	GUARDED(wire, 2);
	GUARDED(gate, 1);
}

static void hit_registers(void)
{
	atomic_fetch_add(&table.places[PLACE_registers].pass, 1);
	if (register_check())
		atomic_fetch_add(&table.corrupt, 1);
}

static void one_round(long n)
{
#define HIT(name)                            \
	if (PLACE_##name < PLACE_work_start) \
		hit_##name(n);
	EACH(HIT)
	hit_many_more(n);
	activity = 0;
	hit_work_start(n);
	hit_work_end(n);
	if (activity)
		atomic_fetch_add(&table.lost, 1);
	hit_registers();
	hit_guarded(n);
	atomic_fetch_add(&table.rounds, 1);
}

/* --------------------------------------------------------------- threads */

static void nap(long us)
{
	struct timespec t = {us / 1000000, us % 1000000 * 1000};

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

static void bear(void *(*start)(void *), void *argument);

/* A life: some rounds, a successor, the end. One of eight never rests. */
static void *live(void *argument)
{
	unsigned long number = atomic_fetch_add(&table.born, 1);
	unsigned seed = (unsigned)(number * 2654435761u);
	long rounds = 20 + rand_r(&seed) % 180, pace = rand_r(&seed) % 8;

	if (short_lives) {
		rounds = 1;
		pace = 0;
	}
	for (long n = 1; n <= rounds; n++) {
		pthread_rwlock_rdlock(&pausing);
		one_round(n);
		pthread_rwlock_unlock(&pausing);
		if (pace)
			nap(200 * pace);
		else
			sched_yield();
	}
	bear(live, argument);
	return NULL;
}

static void bear(void *(*start)(void *), void *argument)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	while (pthread_create(&thread, &attributes, start, argument))
		nap(1000);
	pthread_attr_destroy(&attributes);
}

/* --------------------------------------------------------------- signals */

static char **begun_with;

static void signalled(int signal)
{
	if (signal == STORM_EXEC) {
		execv("/proc/self/exe", begun_with);
		_exit(126);
	}
	if (signal == STORM_SIGNAL)
		atomic_fetch_add(&table.signals, 1);
	else if (signal == SIGCONT)
		atomic_fetch_add(&table.continued, 1);
	else
		atomic_fetch_add(&table.stray, 1);
}

static void take_signals(void)
{
	struct sigaction action = {.sa_handler = signalled, .sa_flags = SA_RESTART};
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL); /* after STORM_EXEC they are blocked */
	sigfillset(&action.sa_mask);
	/* Those of a crash keep their meaning; SIGTRAP would be one of ours. */
	for (int s = 1; s <= SIGRTMAX; s++)
		if (s != SIGSEGV && s != SIGBUS && s != SIGILL && s != SIGFPE && s != SIGABRT &&
			s != SIGCHLD && (s < 32 || s >= SIGRTMIN))
			sigaction(s, &action, NULL);
}

static void *wait_for_child(void *unused)
{
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return unused;
}

/* -------------------------------------------------------------- own code */

static struct {
	const unsigned char *start;
	unsigned char *copy;
	size_t size;
} code;

static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		code.start = (const unsigned char *)info->dlpi_addr + p->p_vaddr;
		code.size = p->p_memsz;
	}
	return 1; /* the program itself comes first */
}

static void keep_code(void)
{
	dl_iterate_phdr(find_code, NULL);
	code.copy = malloc(code.size);
	if (!code.copy)
		exit(1);
	memcpy(code.copy, code.start, code.size);
}

static void print_code(void)
{
	for (size_t i = 0; i < code.size; i++)
		if (code.start[i] != code.copy[i])
			printf("code %lx %02x %02x\n", (unsigned long)(code.start + i),
				code.copy[i], code.start[i]);
}

/* ---------------------------------------------------------------- driver */

static void report(void)
{
	for (size_t i = 0; i < PLACE_COUNT; i++)
		printf("place %s pass=%lu ran=%lu hits=%lu\n", table.places[i].name,
			atomic_load(&table.places[i].pass), atomic_load(&table.places[i].ran),
			atomic_load(&table.places[i].hits));
	print_code();
	printf("done\n");
}

/* Its handler is another file's, and knows no table. */
static void take_over_registers(void)
{
	struct storm_place *p = &table.places[PLACE_registers];

	atomic_store(&p->hits, atomic_load(&registers_record.hits));
	atomic_store(&p->ran, atomic_load(&registers_record.hits));
}

/* A child's only thread: what it inherited must still work. */
static int round_of_child(void)
{
	unsigned long twice = atomic_load(&table.twice), corrupt = atomic_load(&table.corrupt);

	one_round(1);
	return atomic_load(&table.twice) != twice || atomic_load(&table.corrupt) != corrupt;
}

static void *obey(void *unused)
{
	char line[64];

	(void)unused;
	while (fgets(line, sizeof line, stdin)) {
		if (!strcmp(line, "quit\n"))
			exit(0);
		if (!strcmp(line, "pause\n")) {
			pthread_rwlock_wrlock(&pausing);
			take_over_registers();
			printf("paused\n");
		} else if (!strcmp(line, "go\n")) {
			pthread_rwlock_unlock(&pausing);
			printf("going\n");
		} else if (!forks_obey(line, round_of_child)) {
			report();
		}
		fflush(stdout);
	}
	exit(0);
}

int main(int argc, char **argv)
{
	pthread_rwlockattr_t attributes;
	int leader_dies = 0, forks = 0;

	begun_with = argv;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--leader-dies"))
			leader_dies = 1;
		else if (!strcmp(argv[i], "--short-lives"))
			short_lives = 1;
		else if (!strcmp(argv[i], "--vfork"))
			forks = 1;
		else if (!strcmp(argv[i], "--threads") && argv[i + 1])
			threads = atol(argv[++i]);
		else
			return 2;
	}
	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&pausing, &attributes);
	take_signals();
	keep_code();
	for (long i = 0; i < threads; i++)
		bear(live, NULL);
	if (forks)
		bear(wait_for_child, NULL);
	printf("ready %ld %lx\n", (long)getpid(), (unsigned long)&table);
	fflush(stdout);
	if (!leader_dies)
		obey(NULL);
	bear(obey, NULL);
	pthread_exit(NULL);
}
