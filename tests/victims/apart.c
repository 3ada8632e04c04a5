/*
 * Threads and children that the C library did not make, or that confine themselves: what a tracer
 * may not assume of a thread. `shared T N`: T threads of clone(2) with the thread pointer of their
 * creator wait for `go`, then for N hits each; `processes T N`: processes in the same memory;
 * `strict T N`: such threads in seccomp's strict mode; `threads T N`: those of the C library, at
 * once; `vforked N`: a child of vfork; `without N [P]`: the thread pointer is 0, or P, meanwhile;
 * `raw N`: a child of clone(2) says its own pid, N times; `kept N`: a forked child says texts,
 * installs a filter that kills it for process_vm_readv(2), and 0.7 s later says another
 * one; `kept N 1`: at once; `confined N [1]`: a thread does; `brief N`: N forked children do, less
 * than 0.9 s old, or they end with 3; `staged`: a forked child says texts, numbered 1, installs
 * that filter at SIGUSR1, and then adds 1 to the number at each; `young`: a new thread installs it
 * before its first hit; `promise`: no_new_privs, from now on; `faults`: the process gets a
 * userfaultfd; `closed`: it closes that; `served`: the text is in a page whose faults it serves.
 * Answers say how many hits there were, and how a child ended; `report` says all hits and texts so
 * far, those of children as well.
 */
#include "countable.h"
#include "drive.h"
#include "fence.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 16, STACK = 1 << 16, PAGE = 4096, SAYS = 1000 };

static unsigned char stacks[THREADS][STACK] __attribute__((aligned(4096)));
static volatile int lives[THREADS];
static long wanted, started;
static volatile int go, strict;
static int gate[2]; /* where strict threads wait */
static int faults_fd = -1;
static char *served; /* a page */
static struct {
	atomic_ulong hits, says;
} * truth; /* shared with children */

/* Where in its page decides where its jump lands: not at the end of one. */
__attribute__((noinline, used, aligned(4096))) static void hit(long id)
{
	atomic_fetch_add(&truth->hits, 1);
	DTRACE_PROBE1(apart, hit, id);
	COUNTABLE(1);
}

__attribute__((noinline, used)) static void say(long id, const char *text)
{
	atomic_fetch_add(&truth->says, 1);
	DTRACE_PROBE2(apart, say, id, text);
	COUNTABLE(2);
}

static long call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

/* No thread-local variable, no function of the C library. */
static int hits(void *unused)
{
	static const struct timespec nap = {.tv_nsec = 1000000};
	static char byte;

	(void)unused;
	if (strict) {
		call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0);
		call(SYS_read, gate[0], (long)&byte, 1);
	} else {
		while (!go)
			call(SYS_nanosleep, (long)&nap, 0, 0);
	}
	for (long i = 0; i < wanted; i++) {
		hit(i);
		if (i % SAYS == SAYS - 1)
			say(i, "apart");
	}
	return 0;
}

static void clones(long count, int flags)
{
	go = 0;
	for (started = 0; started < count; started++) {
		long i = started;

		lives[i] = 1;
		if (clone(hits, stacks[i] + STACK, flags | CLONE_VM | CLONE_CHILD_CLEARTID, NULL,
			    NULL, NULL, &lives[i]) < 0)
			lives[i] = 0;
	}
}

static void let_go(void)
{
	go = 1;
	for (long i = 0; strict && i < started; i++)
		call(SYS_write, gate[1], (long)"", 1);
	for (long i = 0; i < started; i++)
		while (lives[i])
			usleep(1000);
	while (wait(NULL) > 0)
		;
	printf("hits=%ld\n", started * wanted);
}

static void without(long count, long pointer)
{
	unsigned long before = 0;

	wanted = count;
	go = 1;
	strict = 0;
	syscall(SYS_arch_prctl, ARCH_GET_FS, &before);
	/* errno, which syscall() sets on failure alone, is where the pointer leads. */
	syscall(SYS_arch_prctl, ARCH_SET_FS, pointer);
	hits(NULL);
	call(SYS_arch_prctl, ARCH_SET_FS, (long)before, 0);
	printf("hits=%ld\n", count);
}

/* Its creator waits meanwhile. */
static void vforked(long count)
{
	wanted = count;
	started = 1;
	go = 1;
	strict = 0;
	clone(hits, stacks[0] + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	let_go();
}

static void *thread(void *unused)
{
	hits(unused);
	return unused;
}

static void threads(long count)
{
	pthread_t all[THREADS];
	long born = 0;

	go = 1;
	strict = 0;
	while (born < count && !pthread_create(&all[born], NULL, thread, NULL))
		born++;
	for (long i = 0; i < born; i++)
		pthread_join(all[i], NULL);
	printf("hits=%ld\n", born * wanted);
}

static void put_end(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, __WALL);
	printf("child=%d %s %d\n", (int)pid, WIFSIGNALED(status) ? "signal" : "exit",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void raw(long count)
{
	char text[32] = "of the parent";
	pid_t pid;

	for (long i = 0; i < 3; i++) {
		say(0, text);
		usleep(50000);
	}
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0) {
		snprintf(text, sizeof text, "of %ld", syscall(SYS_getpid));
		for (long i = 0; i < count; i++) {
			say(i + 1, text);
			usleep(50000);
		}
		syscall(SYS_exit_group, 0);
	}
	put_end(pid);
}

/* At once only where it was never permitted to make the call: it has promised to confine itself. */
static int confine(long count, long promised)
{
	for (long i = 0; i < count; i++) {
		say(i + 1, "before");
		usleep(20000);
	}
	if (!fence())
		return 1;
	usleep(promised ? 0 : 700000);
	say(1000, "after");
	return 0;
}

static void kept(long count, long promised)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(confine(count, promised));
	put_end(pid);
}

/* Of a process, at most: since `birth`, the time before the fork. */
static long age_ms(const struct timespec *birth)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (now.tv_sec - birth->tv_sec) * 1000 + (now.tv_nsec - birth->tv_nsec) / 1000000;
}

/* Confined by then, it was never permitted to make the call, however slow the machine is. */
static int brief_child(const struct timespec *birth, long ms)
{
	while (age_ms(birth) < ms) {
		say(1, "brief");
		usleep(20000);
	}
	if (!fence())
		return 1;
	if (age_ms(birth) >= 900)
		return 3;
	say(1000, "after");
	return 0;
}

static void brief(long count)
{
	pid_t all[THREADS];

	for (long i = 0; i < count; i++) {
		struct timespec birth;

		clock_gettime(CLOCK_BOOTTIME, &birth);
		all[i] = fork();
		if (all[i] == 0)
			_exit(brief_child(&birth, 300 + 500 * i / count));
	}
	for (long i = 0; i < count; i++)
		put_end(all[i]);
}

static void staged(void)
{
	const struct timespec nap = {.tv_nsec = 20000000};
	pid_t pid, parent = getpid();
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	sigprocmask(SIG_BLOCK, &one, NULL);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (long id = 1; getppid() == parent;) {
			say(id, "staged");
			if (sigtimedwait(&one, NULL, &nap) < 0)
				continue;
			if (id++ == 1 && !fence())
				break;
			/* As long as it was permitted to make the call. */
			usleep(700000);
		}
		_exit(1);
	}
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	printf("child=%d\n", (int)pid);
}

static void *confined(void *argument)
{
	const long *how = argument;

	confine(how[0], how[1]);
	return argument;
}

static void *young(void *unused)
{
	if (fence())
		say(1, "young");
	return unused;
}

static void run_thread(void *(*run)(void *), void *argument)
{
	pthread_t one;

	if (!pthread_create(&one, NULL, run, argument))
		pthread_join(one, NULL);
}

static int faults(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register all = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = faults_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	served = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || served == MAP_FAILED)
		return 0;
	all.range.start = (unsigned long)served;
	all.range.len = PAGE;
	return ioctl(fd, UFFDIO_API, &api) == 0 && ioctl(fd, UFFDIO_REGISTER, &all) == 0;
}

static void apart_round(long n)
{
	hit(n);
	say(n, "round");
}

static void apart_report(void)
{
	printf("pid=%d hits=%lu says=%lu\n", (int)getpid(), atomic_load(&truth->hits),
		atomic_load(&truth->says));
}

static int apart_clones(const char *word, long count)
{
	const int thread_flags = CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;

	bool strictly = !strcmp(word, "strict"), processes = !strcmp(word, "processes");

	if (!strictly && !processes && strcmp(word, "shared") != 0)
		return 0;
	strict = strictly;
	clones(count, processes ? SIGCHLD : thread_flags);
	return 1;
}

static int apart_command(const char *line)
{
	long how[2] = {0, 0};
	char word[32];

	if (sscanf(line, "%31s %ld %ld", word, &how[0], &how[1]) < 1 || how[0] < 0)
		return 0;
	if (how[1])
		wanted = how[1];
	if (how[0] <= THREADS && apart_clones(word, how[0]))
		;
	else if (!strcmp(word, "go"))
		let_go();
	else if (!strcmp(word, "threads") && how[0] <= THREADS)
		threads(how[0]);
	else if (!strcmp(word, "vforked"))
		vforked(how[0]);
	else if (!strcmp(word, "without"))
		without(how[0], how[1]);
	else if (!strcmp(word, "raw"))
		raw(how[0]);
	else if (!strcmp(word, "kept"))
		kept(how[0], how[1]);
	else if (how[0] <= THREADS && !strcmp(word, "brief"))
		brief(how[0]);
	else if (!strcmp(word, "staged"))
		staged();
	else if (!strcmp(word, "confined"))
		run_thread(confined, how);
	else if (!strcmp(word, "young"))
		run_thread(young, NULL);
	else if (!strcmp(word, "promise"))
		printf("promise=%d\n", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	else if (!strcmp(word, "faults"))
		printf("faults=%d\n", faults());
	else if (!strcmp(word, "closed"))
		close(faults_fd);
	else if (!strcmp(word, "served"))
		say(7, served);
	else
		return 0;
	printf("done %s\n", word);
	return 1;
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {
		.round = apart_round, .report = apart_report, .command = apart_command};

	truth = mmap(
		NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (truth == MAP_FAILED || pipe2(gate, O_CLOEXEC) < 0)
		return 1;
	return drive(argc, argv, &ops);
}
