/*
 * Hits that are begun and never finished. `left N`: a timer interrupts hits with texts, and its
 * handler leaves N of them by longjmp, inside the code that a tracer has put behind the site;
 * `killed N`: N forked children hit without end, each until it is killed; `said N ID`: N texts,
 * with this number.
 */
#include "countable.h"
#include "drive.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* The bounds of the program, by the linker. */
extern const char __executable_start[], _end[];

static sigjmp_buf back;
static volatile long wanted;
static atomic_long *begun; /* by a child; shared */

__attribute__((noinline, used, aligned(4096))) static void say(long id, const char *text)
{
	DTRACE_PROBE2(left, say, id, text);
	COUNTABLE(1);
}

static void tick(int number, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	const char *where = (const char *)at->uc_mcontext.gregs[REG_RIP];

	(void)number;
	(void)info;
	if (where >= __executable_start && where < _end)
		return;
	wanted--;
	siglongjmp(back, 1);
}

/*
 * Texts: until `count` were left, or that many. All from one place on the stack, where a hit proves
 * that those before are gone. Between two ticks nothing is called: what lies outside the program is
 * a hit.
 */
static void texts(long count, long id, int leaves)
{
	struct sigaction action = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO};
	struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
	wanted = count;
	if (leaves) {
		setitimer(ITIMER_REAL, &often, NULL);
		(void)sigsetjmp(back, 1);
		if (wanted > 0)
			sigprocmask(SIG_UNBLOCK, &one, NULL);
	}
	while (wanted > 0) {
		say(id, leaves ? "left" : "said");
		wanted -= !leaves;
	}
	sigprocmask(SIG_BLOCK, &one, NULL);
	setitimer(ITIMER_REAL, &never, NULL);
}

static void kill_children(long count)
{
	for (long i = 0; i < count; i++) {
		pid_t child;

		atomic_store(begun, 0);
		child = fork();
		if (child == 0)
			for (;;) {
				say(0, "killed");
				atomic_fetch_add(begun, 1);
			}
		while (atomic_load(begun) < 20)
			;
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	printf("done killed\n");
}

static void left_round(long n)
{
	say(n, "round");
}

static void left_report(void)
{
}

static int left_command(const char *line)
{
	long count, id = 0;
	char word[32];

	if (sscanf(line, "%31s %ld %ld", word, &count, &id) < 2)
		return 0;
	if (!strcmp(word, "left")) {
		texts(count, 0, 1);
		printf("done left\n");
	} else if (!strcmp(word, "killed")) {
		kill_children(count);
	} else if (!strcmp(word, "said")) {
		texts(count, id, 0);
		printf("done said\n");
	} else {
		return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {
		.round = left_round, .report = left_report, .command = left_command};

	begun = mmap(
		NULL, sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return begun == MAP_FAILED ? 1 : drive(argc, argv, &ops);
}
