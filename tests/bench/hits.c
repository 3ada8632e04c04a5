/*
 * The program in which the cost of one hit is measured: loops that do nothing but pass one site.
 *
 *	hits
 *
 * Prints "ready". Then each line "LOOP THREADS" on stdin is answered by the ns of one pass: the
 * least of very many short rounds, since other programs take the processor meanwhile. In a round
 * all threads begin together, and its time is that of the last one. The end of stdin ends us.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PASSES 20000
#define ROUNDS_LEAST 20
#define ROUNDS_NS 250000000u

void loop_none(uint64_t passes, const char *text);
void loop_punned(uint64_t passes, const char *text);
void loop_evicted(uint64_t passes, const char *text);
void loop_ocaml(uint64_t passes, const char *text);
void loop_lock(uint64_t passes, const char *text);
void loop_start(uint64_t passes, const char *text);
void loop_two(uint64_t passes, const char *text);
void loop_text(uint64_t passes, const char *text);

/*
 * The bytes behind the nop of `punned` are a displacement of nearly -1 GiB, where nothing is
 * mapped. Those behind the nop of `evicted` are one into this program. The others' loops are alike
 * but for the site. A pass of `start` has a second site, `done`; `two` and `text` are for their
 * arguments.
 */
__asm__("	.macro site provider name semaphore arguments\n"
	"	.pushsection .note.stapsdt, \"\", \"note\"\n"
	"	.balign 4\n"
	"	.4byte 8, 5f - 4f, 3\n"
	"	.ascii \"stapsdt\\0\"\n"
	"4:	.8byte \\name\\()_site, _.stapsdt.base, \\semaphore\n"
	"	.asciz \"\\provider\"\n"
	"	.asciz \"\\name\"\n"
	"	.asciz \"\\arguments\"\n"
	"5:	.balign 4\n"
	"	.popsection\n"
	"	.endm\n"

	"	.macro loop name code\n"
	"	.balign 64\n"
	"	.globl loop_\\name\n"
	"	.type loop_\\name, @function\n"
	"loop_\\name:\n"
	"\\name\\()_site: \\code\n"
	"	dec %rdi\n"
	"	jne loop_\\name\n"
	"	ret\n"
	"	.size loop_\\name, . - loop_\\name\n"
	"	.endm\n"

	"	.section .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	"	.weak _.stapsdt.base\n"
	"	.hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"

	"	.data\n"
	"	.balign 64\n"
	"shared: .8byte 0\n"
	"	.balign 64\n"
	"ocaml_semaphore: .2byte 0\n"

	"	.text\n"
	"handler: ret\n"
	"	loop none \"\"\n"
	"	loop punned \"nop; lea 0xc0(%rax), %rax\"\n"
	"	loop evicted \"nop; mov $1, %eax\"\n"
	"	loop ocaml \".byte 0x90, 0x3d; .long handler - . - 4\"\n"
	"	loop lock \"lock incq shared(%rip)\"\n"
	"	loop start \"nop; lea 0xc0(%rax), %rax; done_site: nop; lea 0xc0(%rax), %rax\"\n"
	"	loop two \"nop; lea 0xc0(%rax), %rax\"\n"
	"	loop text \"nop; lea 0xc0(%rax), %rax\"\n"
	"	site bench punned 0 8@%rdi\n"
	"	site bench evicted 0 8@%rdi\n"
	"	site ocaml ocaml ocaml_semaphore 8@%rdi\n"
	"	site bench start 0 8@%rdi\n"
	"	site bench done 0 8@%rdi\n"
	"	site bench two 0 \"8@%rdi 8@%rsi\"\n"
	"	site bench text 0 \"8@%rdi 8@%rsi\"\n");

static const char text[] = "select name from t where id = 42"; /* 32 bytes */

static const struct loop {
	const char *name;
	void (*run)(uint64_t passes, const char *text);
} loops[] = {
	{"none", loop_none},
	{"punned", loop_punned},
	{"evicted", loop_evicted},
	{"ocaml", loop_ocaml},
	{"lock", loop_lock},
	{"start", loop_start},
	{"two", loop_two},
	{"text", loop_text},
};

static struct round {
	void (*run)(uint64_t passes, const char *text);
	uint64_t begin; /* set by the last one to come */
	atomic_int threads, come, left;
} now;

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *pass(void *data)
{
	struct round *r = data;

	if (atomic_fetch_add(&r->come, 1) + 1 == r->threads)
		r->begin = clock_ns();
	while (r->come < r->threads)
		;
	r->run(PASSES, text);
	atomic_fetch_sub(&r->left, 1);
	return NULL;
}

/* ns */
static uint64_t time_round(const struct loop *loop, int threads)
{
	pthread_t others[64];
	uint64_t end;

	now.run = loop->run;
	now.come = 0;
	now.threads = now.left = threads;
	for (int i = 1; i < threads; i++)
		if (pthread_create(&others[i], NULL, pass, &now))
			return UINT64_MAX;
	pass(&now);
	while (now.left)
		;
	end = clock_ns();
	for (int i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	return end - now.begin;
}

int main(void)
{
	char line[64], name[32];
	int threads;

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		uint64_t least = UINT64_MAX, begin = clock_ns();

		if (sscanf(line, "%31s %d", name, &threads) != 2 || threads < 1 || threads > 64)
			return 2;
		for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
			for (int n = 0; !strcmp(loops[i].name, name) &&
					(n < ROUNDS_LEAST || clock_ns() - begin < ROUNDS_NS);
				n++) {
				uint64_t took = time_round(&loops[i], threads);

				least = took < least ? took : least;
			}
		printf("%.4f\n", (double)least / PASSES);
		fflush(stdout);
	}
	return 0;
}
