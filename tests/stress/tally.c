/*
 * The victim of counting.sh: it knows how often each of its sites was passed, and computes
 * something behind each, with an instruction of its own. Its counts lie in memory that forked
 * children share. Threads live for a while, bear their successor and die. It obeys as storm.c does:
 *
 *   (start)   ready PID TABLE          the address of its struct storm_table
 *   pause     paused                   no thread is between two sites, none will be
 *   go        going
 *   report    place NAME pass=P ran=R hits=H ..., done
 *   fork N US forking                  N children, one each US microseconds, which wait
 *   calm      children PID ...         no more are born
 *   gather    gathered BAD             each makes some rounds and ends; so many ended badly
 *   load N    loaded ADDRESS           while it pauses: its library N (1, 2), or none (0)
 *   quit      exit status 0
 *
 */
#include "storm.h"
#include "storm_forks.h"

#include "tests/victims/ocaml_probe.h"

#include <sys/sdt.h>

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHILD_ROUNDS 50

/* The probes, and the instruction behind the site; ADDED: what it adds to n. */
/* clang-format off */
#define EACH(X) \
	X(lea, "leaq 7(%0), %0", 7) \
	X(inc, "incq %0", 1) \
	X(add8, "addq $5, %0", 5) \
	X(add32, "addq $0x12345, %0", 0x12345) \
	X(add_eax, ".byte 0x48, 0x83, 0xc0, 0x11", 0x11) \
	X(relative, "addq tally_seven(%%rip), %0", 7) \
	X(compare, "cmpq $0x11223344, tally_seven(%%rip)\n\tadcq $0, %0", 1) \
	X(carry, "adcq $0, %0", 1) \
	X(flags, "lahf\n\tadcq $0, %0", 1) \
	X(exchange, "xchgq %0, %%rdx\n\txchgq %0, %%rdx\n\tincq %0", 1) \
	X(vector, "movq %0, %%xmm0\n\tincq %0\n\tmovq %%xmm0, %%rdx\n\taddq $1, %%rdx\n\tmovq %%rdx, %0", 1) \
	X(skip, "jmp 1f\n\tud2\n1:\tincq %0", 1) \
	X(far_jump, ".byte 0xe9\n\t.long 1f - . - 4\n\tud2\n1:\tincq %0", 1) \
	X(branch, "jc 1f\n\tud2\n1:\tincq %0", 1) \
	X(call, "call tally_add_one", 1) \
	X(locked, "lock incq tally_scratch(%%rip)\n\tincq %0", 1) \
	X(string, "cld\n\tincq %0", 1) \
	X(wide, "movabsq $0x1122334455667788, %%rdx\n\tincq %0", 1)
/* clang-format on */

enum tally_index {
#define NUMBER(name, code, added) PLACE_##name,
	EACH(NUMBER) PLACE_twin,
	PLACE_near,
	PLACE_ocaml,
	PLACE_library_lea,
	PLACE_library_add,
	PLACE_library_wide,
	PLACE_COUNT
};

static struct storm_table *table;
static const char *const names[PLACE_COUNT] = {
#define NAME(name, code, added) #name,
	EACH(NAME) "twin", "near", "ocaml", "library_lea", "library_add", "library_wide"};

__attribute__((used)) long tally_seven = 7;
__attribute__((used)) unsigned long tally_scratch;
static _Thread_local unsigned ran;
static pthread_rwlock_t pausing; /* a round holds it for reading, a pause for writing */
static long threads = 4;
static int calm;

__asm__(".pushsection .text\n"
	".type tally_add_one, @function\n"
	"tally_add_one: incq %rax\n\tret\n"
	".size tally_add_one, . - tally_add_one\n"
	".popsection\n");

/* ---------------------------------------------------------------- probes */

static void came(enum tally_index i)
{
	atomic_fetch_add(&table->places[i].pass, 1);
}

/* n is in rax, the carry is set, and the red zone is not used (-mno-red-zone). */
#define HIT_OF(name, code, added)                                                   \
	OCAML_ONCE static void hit_##name(long n)                                   \
	{                                                                           \
		long is = n;                                                        \
                                                                                    \
		came(PLACE_##name);                                                 \
		__asm__ volatile("stc" : "+a"(is));                                 \
		DTRACE_PROBE1(tally, name, is);                                     \
		__asm__ volatile(code : "+a"(is)::"rdx", "xmm0", "cc", "memory");   \
		if (is != n + (added) && !(PLACE_##name == PLACE_flags && is != n)) \
			atomic_fetch_add(&table->corrupt, 1);                       \
	}
EACH(HIT_OF)

/* Two sites of one probe, side by side. */
OCAML_ONCE static void hit_twin(long n)
{
	atomic_fetch_add(&table->places[PLACE_twin].pass, 2);
	DTRACE_PROBE1(tally, twin, n);
	DTRACE_PROBE1(tally, twin, n);
	__asm__ volatile("" ::: "memory");
}

/* Two sites, three bytes apart, as in php. */
OCAML_ONCE static void hit_near(long n)
{
	unsigned is = (unsigned)n;

	atomic_fetch_add(&table->places[PLACE_near].pass, 2);
	DTRACE_PROBE1(tally, near, n);
	__asm__ volatile("incl %0" : "+a"(is)::"cc");
	DTRACE_PROBE1(tally, near, n);
	__asm__ volatile("incl %0" : "+a"(is)::"cc");
	if (is != (unsigned)n + 2)
		atomic_fetch_add(&table->corrupt, 1);
}

OCAML_PROBE_DEFINE(ocaml);
OCAML_HANDLER void handle_ocaml(long x, long y);
OCAML_HANDLER void handle_ocaml(long x, long y)
{
	(void)x;
	(void)y;
	atomic_fetch_add(&table->places[PLACE_ocaml].hits, 1);
	ran++;
}

OCAML_ONCE static void hit_ocaml(long n)
{
	came(PLACE_ocaml);
	ran = 0;
	OCAML_PROBE_HIT(ocaml, n, 1);
	atomic_fetch_add(&table->places[PLACE_ocaml].ran, ran);
	if (ran > 1)
		atomic_fetch_add(&table->twice, 1);
}

/* The library of now: what it adds in all tells which one runs. */
static struct {
	void *handle;
	long (*run)(long n);
	long number;
} library;

OCAML_ONCE static void hit_library(long n)
{
	if (!library.run)
		return;
	came(PLACE_library_lea);
	came(PLACE_library_add);
	came(PLACE_library_wide);
	if (library.run(n) != n + 3 * library.number + 0x12345)
		atomic_fetch_add(&table->corrupt, 1);
}

static void load(long number)
{
	char path[PATH_MAX + 32];
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);

	if (library.handle)
		dlclose(library.handle);
	library.handle = NULL;
	library.run = NULL;
	library.number = number;
	if (number && length > 0) {
		path[length] = '\0';
		sprintf(strrchr(path, '/'), "/libtally%ld.so", number);
		library.handle = dlopen(path, RTLD_NOW);
		library.run = library.handle
				      ? (long (*)(long))dlsym(library.handle, "tally_library")
				      : NULL;
	}
	printf("loaded %lx\n", (unsigned long)library.run);
}

static void one_round(long n)
{
#define HIT(name, code, added) hit_##name(n);
	EACH(HIT)
	hit_twin(n);
	hit_near(n);
	hit_ocaml(n);
	hit_library(n);
	atomic_fetch_add(&table->rounds, 1);
}

/* --------------------------------------------------------------- threads */

static void *live(void *unused)
{
	unsigned seed = (unsigned)(atomic_fetch_add(&table->born, 1) * 2654435761u);
	long rounds = 500 + rand_r(&seed) % 2000;
	pthread_attr_t attributes;
	pthread_t thread;

	for (long n = 1; n <= rounds || calm; n++) {
		pthread_rwlock_rdlock(&pausing);
		one_round(n);
		pthread_rwlock_unlock(&pausing);
		if (n % 64 == 0)
			sched_yield();
	}
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	while (pthread_create(&thread, &attributes, live, NULL))
		usleep(1000);
	pthread_attr_destroy(&attributes);
	return unused;
}

static int rounds_of_child(void)
{
	unsigned long corrupt = atomic_load(&table->corrupt);

	for (long n = 1; n <= CHILD_ROUNDS; n++)
		one_round(n);
	return atomic_load(&table->corrupt) != corrupt;
}

/* ---------------------------------------------------------------- driver */

static void report(void)
{
	for (size_t i = 0; i < PLACE_COUNT; i++)
		printf("place %s pass=%lu ran=%lu hits=%lu\n", table->places[i].name,
			atomic_load(&table->places[i].pass), atomic_load(&table->places[i].ran),
			atomic_load(&table->places[i].hits));
	printf("done\n");
}

static void obey(void)
{
	char line[64];

	while (fgets(line, sizeof line, stdin)) {
		if (!strcmp(line, "quit\n"))
			return;
		if (!strcmp(line, "pause\n")) {
			pthread_rwlock_wrlock(&pausing);
			printf("paused\n");
		} else if (!strcmp(line, "go\n")) {
			pthread_rwlock_unlock(&pausing);
			printf("going\n");
		} else if (!strncmp(line, "load ", 5)) {
			load(atol(line + 5));
		} else if (!forks_obey(line, rounds_of_child)) {
			report();
		}
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	pthread_rwlockattr_t attributes;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--calm"))
			calm = 1;
		else if (!strcmp(argv[i], "--threads") && argv[i + 1])
			threads = atol(argv[++i]);
		else
			return 2;
	}
	table = mmap(
		NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (table == MAP_FAILED)
		return 1;
	*table = (struct storm_table){.magic = STORM_MAGIC, .count = PLACE_COUNT};
	for (size_t i = 0; i < PLACE_COUNT; i++) {
		snprintf(table->places[i].name, sizeof table->places[i].name, "%s", names[i]);
		table->places[i].sdt = i != PLACE_ocaml;
	}
	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&pausing, &attributes);
	for (long i = 0; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, live, NULL) || pthread_detach(thread))
			return 1;
	}
	printf("ready %ld %lx\n", (long)getpid(), (unsigned long)table);
	fflush(stdout);
	obey();
	return 0;
}
