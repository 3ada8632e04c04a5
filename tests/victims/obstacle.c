/*
 * Where counting must refuse. Linked to a low, fixed address, so that the bytes behind a site
 *decide alone which jump is possible. Commands put it into a state that stands in the way:
 *
 *	seccomp		a filter that kills it for memfd_create
 *	epoll		waits in epoll_wait, with a limit, for the next line
 *	loop		the same, and waits again when it is interrupted
 *	coroutine	waits for the next line on a stack of its own making
 *	beside		the same, on a stack with a guard, in one mapping with the thread pointer
 *	relative	a process by clone(CLONE_VM), which is none of its threads
 *	traced		a process that traces its last thread
 *	memory N	RLIMIT_AS: what it has, and N MiB
 *	lock N		RLIMIT_MEMLOCK: N MiB; all that it maps from now on is locked
 *	pin N		the same limit, and one locked page
 *	map N		N MiB, for itself
 *	files		RLIMIT_NOFILE: what it has
 *	mappings N	so many more mappings
 *	share		its code is mapped shared
 *	replace		a thread puts another file in the place of each memfd named probes-tui
 *	decoy		a memfd named probes-tui, full of noise
 *	own		a memfd named probes-tui that stays open, and one that is sealed
 *	scribble	noise in what is mapped of such memfds
 *	unmap		unmaps them, but for the data
 *	forget		unmaps them all
 *	recover		each pass loads from forbidden memory; its handler of SIGSEGV goes on
 *			behind that instruction, which it knows by its address
 */
#include "drive.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define ONCE __attribute__((noinline, used))
#define PAGE 4096ul

/* A note for the site at the label 1, as sys/sdt.h writes it. */
#define NOTE(name)                                     \
	".pushsection .note.stapsdt, \"\", \"note\"\n" \
	".balign 4\n"                                  \
	".4byte 3f - 2f, 5f - 4f, 3\n"                 \
	"2: .asciz \"stapsdt\"\n"                      \
	"3: .balign 4\n"                               \
	"4: .8byte 1b, _.stapsdt.base, 0\n"            \
	".asciz \"obstacle\"\n"                        \
	".asciz \"" name "\"\n"                        \
	".asciz \"\"\n"                                \
	"5: .balign 4\n"                               \
	".popsection\n"

static atomic_ulong passes;

/* mov eax: its bytes as a displacement lead 0x732211b8 ahead, behind any heap. */
ONCE static void pass_punned(void)
{
	__asm__ volatile("1: nop\n.byte 0xb8, 0x11, 0x22, 0x73, 0x44\n" NOTE("punned")::: "eax");
}

/* The same, but below 0. */
ONCE static void pass_evicted(void)
{
	__asm__ volatile("1: nop\n.byte 0xb8, 0x11, 0x22, 0xf3, 0x44\n" NOTE("evicted")::: "eax");
}

/* xor eax, eax; and the next site. */
ONCE static void pass_near(void)
{
	__asm__ volatile("1: nop\n.byte 0x31, 0xc0\n" NOTE(
		"near") "1: nop\n.byte 0xb8, 0x11, 0x22, 0xf3, 0x44\n" NOTE("near")::
				 : "eax");
}

/* mov 0xf322(%rax), %eax: as a displacement, below 0. */
extern const char load_at[], load_end[];

ONCE static void pass_load(const char *from)
{
	__asm__ volatile("1: nop\n.globl load_at, load_end\n"
			 "load_at: .byte 0x8b, 0x80, 0x22, 0xf3, 0, 0\nload_end:\n" NOTE("load")
			 : "+a"(from)::"memory");
}

static const char loaded[PAGE];
static const char *load_from = loaded;
static atomic_ulong caught;

static void on_fault(int number, siginfo_t *info, void *data)
{
	greg_t *registers = ((ucontext_t *)data)->uc_mcontext.gregs;

	(void)info;
	if (registers[REG_RIP] != (greg_t)load_at) {
		signal(number, SIG_DFL);
		return;
	}
	registers[REG_RIP] = (greg_t)load_end;
	atomic_fetch_add(&caught, 1);
}

static int recover(void)
{
	const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	load_from = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return load_from == MAP_FAILED ? -1 : sigaction(SIGSEGV, &action, NULL);
}

static void pass(long n)
{
	DTRACE_PROBE1(obstacle, any, n);
	pass_punned();
	pass_evicted();
	pass_near();
	pass_load(load_from - 0xf322);
	atomic_fetch_add(&passes, 1);
}

static void report(void)
{
	printf("all passes=%lu caught=%lu\n", atomic_load(&passes), atomic_load(&caught));
}

/* ---- what stands in the way ---- */

static int filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
		       ? -1
		       : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int wait_in_epoll(bool again)
{
	struct epoll_event event = {.events = EPOLLIN};
	int fd = epoll_create1(0), r;

	r = epoll_ctl(fd, EPOLL_CTL_ADD, 0, &event);
	printf("done epoll\n");
	fflush(stdout);
	do
		r = r < 0 && !again ? r : epoll_wait(fd, &event, 1, 3600 * 1000);
	while (again && r < 0 && errno == EINTR);
	close(fd);
	printf("waited %d\n", r);
	return r;
}

static ucontext_t home, away;

static void coroutine(void)
{
	struct pollfd in = {0, POLLIN, 0};

	printf("done coroutine\n");
	fflush(stdout);
	poll(&in, 1, -1);
	printf("waited\n");
}

static int wait_on_stack(char *stack, size_t size)
{
	getcontext(&away);
	away.uc_stack.ss_sp = stack;
	away.uc_stack.ss_size = size;
	away.uc_link = &home;
	makecontext(&away, coroutine, 0);
	return swapcontext(&home, &away);
}

static int wait_on_other_stack(void)
{
	static char stack[64 * 1024];

	return wait_on_stack(stack, sizeof stack);
}

static int relative(void *unused)
{
	(void)unused;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
	return 0;
}

static int make_relative(void)
{
	char *stack =
		mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child = clone(relative, stack + 64 * PAGE, CLONE_VM | SIGCHLD, NULL);

	printf("relative pid=%ld\n", (long)child);
	return child < 0 ? -1 : 0;
}

/* Its child traces, and so the kernel must be told (Yama). */
static int make_tracer(void)
{
	char byte = 0;
	pid_t last = 0, child;
	int ready[2];

	for (int tid = getpid(); tid < getpid() + 300; tid++)
		if (!syscall(SYS_tgkill, getpid(), tid, 0))
			last = tid;
	if (pipe(ready) < 0)
		return -1;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == 1 || ptrace(PTRACE_SEIZE, last, NULL, NULL) < 0)
			sched_yield();
		byte = 1;
		(void)!write(ready[1], &byte, 1);
		for (;;)
			pause();
	}
	prctl(PR_SET_PTRACER, child);
	printf("tracer pid=%ld\n", (long)child);
	return read(ready[0], &byte, 1) == 1 ? 0 : -1;
}

/* Call with each of its mappings. */
/* Calls for each mapping there is when it begins, as its line in maps: of any length, like its
 * path. */
static void each_mapping(void (*call)(unsigned long start, unsigned long end, const char *line))
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char *text = NULL, *rest;
	size_t size = 0;

	if (!maps || getdelim(&text, &size, '\0', maps) < 0)
		abort();
	fclose(maps);
	rest = text;
	for (char *line; (line = strsep(&rest, "\n")) && *line;) {
		char *end;
		unsigned long start = strtoul(line, &end, 16);

		call(start, strtoul(end + 1, NULL, 16), line);
	}
	free(text);
}

static unsigned long beside_thread;

static void find_thread(unsigned long start, unsigned long end, const char *line)
{
	unsigned long thread = (unsigned long)__builtin_thread_pointer();

	(void)line;
	if (thread >= start && thread < end)
		beside_thread = start;
}

static int wait_beside_thread(void)
{
	const size_t size = 64 * 1024;
	char *stack;

	each_mapping(find_thread);
	stack = mmap((void *)(beside_thread - size - PAGE), size + PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (stack == MAP_FAILED || mprotect(stack, PAGE, PROT_NONE) < 0)
		return -1;
	return wait_on_stack(stack + PAGE, size);
}

static unsigned long mapped;

static void add_mapping(unsigned long start, unsigned long end, const char *line)
{
	(void)line;
	mapped += end - start;
}

static int limit_memory(long mib)
{
	struct rlimit limit;

	each_mapping(add_mapping);
	limit.rlim_cur = limit.rlim_max = mapped + ((unsigned long)mib << 20);
	return setrlimit(RLIMIT_AS, &limit);
}

static int map_memory(long mib)
{
	return mmap(NULL, (size_t)mib << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			       MAP_FAILED
		       ? -1
		       : 0;
}

/* The limit does not apply to who has CAP_IPC_LOCK. */
static int limit_locked(long mib, int all)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0};
	struct rlimit limit = {(rlim_t)mib << 20, (rlim_t)mib << 20};

	if (setrlimit(RLIMIT_MEMLOCK, &limit) < 0 || syscall(SYS_capset, &header, none) < 0 ||
		(all && mlockall(MCL_FUTURE) < 0))
		return -1;
	return mlock(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), PAGE);
}

static int limit_files(void)
{
	struct rlimit limit;
	int next = dup(0);

	close(next);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)next;
	return setrlimit(RLIMIT_NOFILE, &limit);
}

/* Neighbours differ, so that none are merged. */
static int make_mappings(long count)
{
	char *all = mmap(NULL, (size_t)count * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (long i = 0; all != MAP_FAILED && i < count; i += 2)
		if (mprotect(all + i * (long)PAGE, PAGE, PROT_NONE) < 0)
			return -1;
	return all == MAP_FAILED ? -1 : 0;
}

static void share_mapping(unsigned long start, unsigned long end, const char *line)
{
	unsigned long offset;
	char protection[8];
	int fd;

	if (sscanf(line, "%*x-%*x %7s %lx", protection, &offset) != 2 ||
		!strstr(line, "/obstacle") || strcmp(protection, "r-xp"))
		return;
	fd = open("/proc/self/exe", O_RDONLY);
	mmap((void *)start, end - start, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd,
		(off_t)offset);
	close(fd);
}

static void *replace(void *ready)
{
	int other = open("/dev/zero", O_RDWR);

	atomic_store((atomic_int *)ready, 1);
	for (;;)
		for (int fd = 3; fd < 16; fd++) {
			char path[32], name[64] = "";

			snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
			if (readlink(path, name, sizeof name - 1) > 0 &&
				!strncmp(name, "/memfd:probes-tui", 17))
				dup2(other, fd);
		}
	return NULL;
}

static int start_replacing(void)
{
	static atomic_int ready;
	pthread_t thread;

	if (pthread_create(&thread, NULL, replace, &ready))
		return -1;
	while (!atomic_load(&ready))
		sched_yield();
	return 0;
}

static void fill(unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(random() >> 8);
}

static int make_decoy(void)
{
	for (int i = 0; i < 64; i++) {
		int fd = memfd_create("probes-tui", MFD_CLOEXEC);
		unsigned char *all;

		if (fd < 0 || ftruncate(fd, 4 * PAGE) < 0)
			return -1;
		all = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
		fill(all, 4 * PAGE);
		if (i % 2)
			memcpy(all, "PTUIWIN1", 8);
		if (i % 4 == 3)
			/* Sizes of every kind. */
			for (int k = 1; k < 5; k++)
				((unsigned long *)all)[k] = 1ul << random() % 64;
	}
	return 0;
}

static int make_own(void)
{
	for (int i = 0; i < 2; i++) {
		int fd = memfd_create("probes-tui", MFD_CLOEXEC | MFD_ALLOW_SEALING);

		if (fd < 0 || write(fd, "mine", 4) != 4)
			return -1;
		if (i && fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_WRITE) < 0)
			return -1;
	}
	return 0;
}

static void scribble(unsigned long start, unsigned long end, const char *line)
{
	if (strstr(line, "/memfd:probes-tui") && strstr(line, " rw-s "))
		fill((unsigned char *)start, end - start);
}

static void unmap(unsigned long start, unsigned long end, const char *line)
{
	if (strstr(line, "/memfd:probes-tui") && !strstr(line, " rw-s "))
		munmap((void *)start, end - start);
}

static void forget(unsigned long start, unsigned long end, const char *line)
{
	if (strstr(line, "/memfd:probes-tui"))
		munmap((void *)start, end - start);
}

static int obey(const char *line)
{
	int r;

	if (!strcmp(line, "seccomp"))
		r = filter();
	else if (!strcmp(line, "epoll"))
		return wait_in_epoll(false), 1;
	else if (!strcmp(line, "loop"))
		return wait_in_epoll(true), 1;
	else if (!strcmp(line, "coroutine"))
		return wait_on_other_stack(), 1;
	else if (!strcmp(line, "beside"))
		return wait_beside_thread(), 1;
	else if (!strcmp(line, "relative"))
		r = make_relative();
	else if (!strcmp(line, "traced"))
		r = make_tracer();
	else if (!strncmp(line, "memory ", 7))
		r = limit_memory(strtol(line + 7, NULL, 10));
	else if (!strncmp(line, "lock ", 5))
		r = limit_locked(strtol(line + 5, NULL, 10), 1);
	else if (!strncmp(line, "pin ", 4))
		r = limit_locked(strtol(line + 4, NULL, 10), 0);
	else if (!strncmp(line, "map ", 4))
		r = map_memory(strtol(line + 4, NULL, 10));
	else if (!strcmp(line, "files"))
		r = limit_files();
	else if (!strncmp(line, "mappings ", 9))
		r = make_mappings(strtol(line + 9, NULL, 10));
	else if (!strcmp(line, "share"))
		r = (each_mapping(share_mapping), 0);
	else if (!strcmp(line, "replace"))
		r = start_replacing();
	else if (!strcmp(line, "decoy"))
		r = make_decoy();
	else if (!strcmp(line, "own"))
		r = make_own();
	else if (!strcmp(line, "scribble"))
		r = (each_mapping(scribble), 0);
	else if (!strcmp(line, "unmap"))
		r = (each_mapping(unmap), 0);
	else if (!strcmp(line, "forget"))
		r = (each_mapping(forget), 0);
	else if (!strcmp(line, "recover"))
		r = recover();
	else
		return 0;
	printf(r < 0 ? "failed\n" : "done\n");
	return 1;
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {.round = pass, .report = report, .command = obey};

	return drive(argc, argv, &ops);
}
