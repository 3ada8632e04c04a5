/* ptrace(2) on our own tool, with which it may itself trace others. */
#include "killer.h"

#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KILLER_PATIENCE_MS 60000

/* With the tracer, whatever it traces dies. */
#define KILLER_OPTIONS                                                                            \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
		PTRACE_O_EXITKILL)

/* Each mount of proc has inodes of its own (Linux 5.8): a lock on one is none on the other. */
static bool killer_own_proc(void)
{
	return unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("proc", "/proc", "proc", 0, NULL) == 0;
}

bool killer_own_proc_permitted(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(!killer_own_proc());
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void killer_bear(const struct killer_birth *birth)
{
	struct rlimit files = {birth->files, birth->files};

	if ((birth->own_proc && !killer_own_proc()) ||
		(birth->files && setrlimit(RLIMIT_NOFILE, &files) < 0))
		_exit(126);
}

static pid_t killer_fork(
	char *const argv[], const struct killer_birth *birth, const char *output, bool held)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
	pid_t pid = fork();
	int fd;

	if (pid != 0)
		return pid;
	fd = open(output, O_WRONLY | O_CREAT | O_APPEND, 0600);
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(fd, 1);
	dup2(fd, 2);
	close(fd);
	killer_bear(birth);
	/* As a shell's user has them: nohup ignores SIGHUP, which exec keeps. */
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		signal(signals[i], SIG_DFL);
	if (held)
		raise(SIGSTOP); /* until it is seized */
	execv(argv[0], argv);
	_exit(127);
}

/* ---------------------------------------------------------------- tracing */

struct killer_watch {
	const struct killer *k;
	struct killer_end end;
	pid_t tool;
	bool counting; /* it has taken hold of its target */
};

/* Until it has ended, or a moment is over: an exec under way shows no such end. */
static void killer_wait_for(pid_t victim)
{
	char path[64], state = 'R';

	snprintf(path, sizeof path, "/proc/%d/stat", victim);
	for (int i = 0; i < 20 && state != 'Z'; i++) {
		FILE *f = fopen(path, "re");

		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 'Z';
		if (f)
			fclose(f);
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
}

/* The thread that the tool is about to lay hands on, or any. */
static void killer_strike(const struct killer *k, const struct __ptrace_syscall_info *info)
{
	pid_t thread = info->entry.nr == SYS_ptrace ? (pid_t)info->entry.args[1] : 0;

	if (!thread || tgkill(k->victim, thread, k->signal) < 0)
		kill(k->victim, k->signal);
}

/* Thousands of them are made to look at all processes. */
static bool killer_reads_files(long call)
{
	return call == SYS_openat || call == SYS_read || call == SYS_close ||
	       call == SYS_newfstatat || call == SYS_fstat || call == SYS_getdents64;
}

/* A system call is about to begin. */
static void killer_call(struct killer_watch *w, pid_t task)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, task, sizeof info, &info) <= 0 ||
		info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	w->counting = w->counting || info.entry.nr == SYS_pidfd_open;
	if (!w->counting || w->end.killed)
		return;
	if (w->k->way == KILLER_HELPER && task == w->tool)
		return;
	if (w->k->way == KILLER_SIGNAL && killer_reads_files((long)info.entry.nr))
		return;
	++w->end.calls;
	if (w->k->way == KILLER_MEANWHILE)
		w->k->meanwhile((long)info.entry.nr);
	if (w->k->way == KILLER_MEANWHILE || w->end.calls != w->k->number)
		return;
	w->end.killed = true;
	w->end.call = (long)info.entry.nr;
	if (w->k->way == KILLER_VICTIM) {
		killer_strike(w->k, &info);
		killer_wait_for(w->k->victim);
		return;
	}
	if (w->k->way == KILLER_SIGNAL) {
		kill(w->tool, w->k->signal);
		if (task != w->tool)
			kill(task, w->k->signal);
		return;
	}
	kill(w->k->way == KILLER_HELPER ? task : w->tool, SIGKILL);
}

static void killer_event(struct killer_watch *w, pid_t task, int status)
{
	int signal = WSTOPSIG(status);

	if (signal == (SIGTRAP | 0x80)) {
		killer_call(w, task);
		signal = 0;
	} else if (status >> 16) {
		/* EVENT_STOP of its start or of a group-stop, or the news of a fork. */
		signal = 0;
	}
	ptrace(PTRACE_SYSCALL, task, NULL, (void *)(long)signal);
}

static void killer_trace(struct killer_watch *w)
{
	pid_t task;
	int status;

	while ((task = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (task <= 0)
			continue;
		if (WIFSTOPPED(status))
			killer_event(w, task, status);
		else if (task == w->tool)
			w->end.status = status;
	}
}

static void killer_watch(int pipe, char *const argv[], const struct killer_birth *birth,
	const struct killer *k, const char *output)
{
	struct killer_watch w = {.k = k};
	int status;

	w.tool = killer_fork(argv, birth, output, true);
	if (waitpid(w.tool, &status, WUNTRACED) != w.tool || !WIFSTOPPED(status) ||
		ptrace(PTRACE_SEIZE, w.tool, NULL, (void *)(long)KILLER_OPTIONS) < 0)
		_exit(1);
	kill(w.tool, SIGCONT);
	killer_trace(&w);
	_exit(write(pipe, &w.end, sizeof w.end) != sizeof w.end);
}

/* ----------------------------------------------------------------- the call */

pid_t killer_start(char *const argv[], const struct killer_birth *birth, const char *output)
{
	fflush(stdout);
	return killer_fork(argv, birth, output, false);
}

static struct killer_end killer_by_call(char *const argv[], const struct killer_birth *birth,
	const struct killer *k, const char *output)
{
	struct killer_end end;
	int fds[2], status;
	pid_t watcher;

	if (pipe2(fds, O_CLOEXEC) < 0)
		fault_fatal("no pipe");
	fflush(stdout);
	watcher = fork();
	if (watcher == 0)
		killer_watch(fds[1], argv, birth, k, output);
	close(fds[1]);
	if (poll(&(struct pollfd){.fd = fds[0], .events = POLLIN}, 1, KILLER_PATIENCE_MS) == 0) {
		kill(watcher, SIGKILL);
		fault_fatal("%s comes to no end", argv[0]);
	}
	if (read(fds[0], &end, sizeof end) != sizeof end)
		fault_fatal("cannot trace %s", argv[0]);
	close(fds[0]);
	waitpid(watcher, &status, 0);
	return end;
}

struct killer_end killer_run(char *const argv[], const struct killer_birth *birth,
	const struct killer *k, const char *output)
{
	struct killer_end end = {0};
	pid_t tool;

	if (k->way != KILLER_NEVER && k->way != KILLER_AFTER)
		return killer_by_call(argv, birth, k, output);
	tool = killer_start(argv, birth, output);
	if (k->way == KILLER_AFTER) {
		struct timespec t = {0, (long)k->number * 1000};

		nanosleep(&t, NULL);
		kill(tool, SIGKILL);
	}
	if (waitpid(tool, &end.status, 0) != tool)
		fault_fatal("cannot run %s", argv[0]);
	end.killed = WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL;
	return end;
}

const char *killer_call_name(long number)
{
	static const struct {
		long number;
		const char *name;
	} names[] = {
		{SYS_read, "read"},
		{SYS_write, "write"},
		{SYS_close, "close"},
		{SYS_mmap, "mmap"},
		{SYS_munmap, "munmap"},
		{SYS_pread64, "pread"},
		{SYS_pwrite64, "pwrite"},
		{SYS_openat, "openat"},
		{SYS_openat2, "openat2"},
		{SYS_newfstatat, "fstatat"},
		{SYS_readlink, "readlink"},
		{SYS_getdents64, "getdents"},
		{SYS_flock, "flock"},
		{SYS_process_vm_readv, "process_vm_readv"},
		{SYS_pidfd_open, "pidfd_open"},
		{SYS_poll, "poll"},
		{SYS_mkdir, "mkdir"},
		{SYS_unlink, "unlink"},
		{SYS_unlinkat, "unlinkat"},
		{SYS_ftruncate, "ftruncate"},
		{SYS_ptrace, "ptrace"},
		{SYS_wait4, "wait4"},
		{SYS_clone, "clone"},
		{SYS_setitimer, "setitimer"},
		{SYS_exit_group, "exit"},
	};
	static char other[32];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].number == number)
			return names[i].name;
	snprintf(other, sizeof other, "call %ld", number);
	return other;
}
