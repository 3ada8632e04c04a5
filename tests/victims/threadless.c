/*
 * A program without a C library: its threads have no thread pointer. `run T N`: T threads of
 * clone(2), N hits each; the answer says how many hits there were.
 */
#include "countable.h"

#include <asm/unistd.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/sdt.h>

enum { THREADS = 16, STACK = 1 << 16 };

static unsigned char stacks[THREADS][STACK] __attribute__((aligned(4096)));
static volatile int lives[THREADS];
static long rounds;

static long call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

__attribute__((noinline, used)) static void hit(long id)
{
	DTRACE_PROBE1(bare, hit, id);
	COUNTABLE(1);
}

#ifndef WITHOUT_RESTORE
/*
 * What a program needs that handles signals; and, with `ret`, which compilers need not put behind
 * any other one, who wants to run a system call in it.
 */
__attribute__((naked, used)) static void restore(void)
{
	__asm__("mov $15, %rax\n syscall\n ret");
}
#endif

static void hits(void)
{
	for (long i = 0; i < rounds; i++)
		hit(i);
	call(__NR_exit, 0, 0, 0, 0);
}

static void put(const char *text, long number)
{
	char line[64];
	int size = 0, digits = 1;

	while (*text)
		line[size++] = *text++;
	for (long rest = number; rest > 9; rest /= 10)
		digits++;
	for (int i = digits; i-- > 0; number /= 10)
		line[size + i] = (char)('0' + number % 10);
	size += digits;
	line[size++] = '\n';
	call(__NR_write, 1, (long)line, size, 0);
}

static void run(long threads)
{
	const long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			   CLONE_CHILD_CLEARTID;

	for (long i = 0; i < threads; i++) {
		long result;
		register long r10 __asm__("r10") = (long)&lives[i];
		register long r8 __asm__("r8") = 0;
		register void (*r9)(void) __asm__("r9") = hits;

		lives[i] = 1;
		__asm__ volatile("syscall\n test %%rax, %%rax\n jnz 1f\n xor %%ebp, %%ebp\n"
				 "call *%%r9\n 1:"
				 : "=a"(result)
				 : "a"(__NR_clone), "D"(flags), "S"(stacks[i] + STACK), "d"(0),
				 "r"(r10), "r"(r8), "r"(r9)
				 : "rcx", "r11", "memory");
		(void)result;
	}
	for (long i = 0; i < threads; i++)
		while (lives[i])
			call(__NR_futex, (long)&lives[i], FUTEX_WAIT, 1, 0);
}

static long number(const char **at)
{
	long value = 0;

	while (**at == ' ')
		++*at;
	for (; **at >= '0' && **at <= '9'; ++*at)
		value = value * 10 + **at - '0';
	return value;
}

__attribute__((force_align_arg_pointer)) void _start(void)
{
	char line[128];
	long size;

	put("ready ", call(__NR_getpid, 0, 0, 0, 0));
	while ((size = call(__NR_read, 0, (long)line, sizeof line - 1, 0)) > 0) {
		const char *at = line + 3;
		long threads;

		line[size] = '\0';
		if (line[0] == 'q')
			break;
		threads = number(&at);
		rounds = number(&at);
		run(threads > THREADS ? THREADS : threads);
		put("hits=", threads * rounds);
		put("done ", threads);
	}
	call(__NR_exit_group, 0, 0, 0, 0);
}
