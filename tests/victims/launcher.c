/*
 * A launcher: it has no probes, and becomes another program by exec. Argument words:
 *
 *   again N FILE ARG...  execute itself N times, then FILE
 *   talk FILE ARG...     print "ready PID", then do what each line of standard input says:
 *                          exec     execute FILE
 *                          thread   the same in another thread, while further threads spin
 *                          fork     fork a child and clone one with another end signal; both report
 *                                   their tracer now, and once more after exec
 *                          signals  print how many SIGUSR1 and SIGCONT were handled
 *                          quit     exit with status 7
 *   reap US FILE ARG...  run FILE, kill it with SIGKILL after US microseconds, and print how the
 *                        processes that it leaves behind end
 *   idle FILE ARG...     write "idle" and wait for ever in epoll_wait, which a stop would interrupt
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t usr1, cont;

static void handled(int number)
{
	++*(number == SIGUSR1 ? &usr1 : &cont);
}

static void execute(char **argv)
{
	execvp(argv[0], argv);
	perror(argv[0]);
	exit(127);
}

static void again(char *self, char **argv)
{
	char number[16];
	int left = atoi(argv[0]);

	if (!left)
		execute(argv + 1);
	snprintf(number, sizeof number, "%d", left - 1);
	argv[0] = number;
	argv[-2] = self;
	execute(argv - 2);
}

static int tracer(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[200];
	int pid = -1;

	while (f && fgets(line, sizeof line, f))
		sscanf(line, "TracerPid: %d", &pid);
	if (f)
		fclose(f);
	return pid;
}

/* A child: it reports, waits until the parent's exec closes `until`, and reports again. */
static void child(const char *name, int until)
{
	char byte;

	printf("%s tracer=%d\n", name, tracer());
	while (read(until, &byte, 1) < 0)
		;
	printf("%s after exec: tracer=%d\n", name, tracer());
	exit(0);
}

static void fork_both(void)
{
	int until[2];

	if (pipe2(until, O_CLOEXEC) < 0)
		exit(1);
	for (int i = 0; i < 2; i++) {
		long pid = i ? syscall(SYS_clone, SIGUSR2, 0, 0, 0, 0) : fork();

		if (pid < 0)
			exit(1);
		if (pid == 0) {
			close(until[1]);
			child(i ? "cloned" : "forked", until[0]);
		}
	}
	close(until[0]);
}

static void *spin(void *data)
{
	for (;;)
		usleep(100);
	return data;
}

static void *execute_in_thread(void *argv)
{
	execute(argv);
	return NULL;
}

static void talk(char **argv)
{
	struct sigaction action = {.sa_handler = handled, .sa_flags = SA_RESTART};
	char line[100];
	pthread_t t;

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGCONT, &action, NULL);
	/* What a cloned child sends at its end; exec keeps this. */
	signal(SIGUSR2, SIG_IGN);
	printf("ready %d\n", getpid());
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line, "quit"))
			exit(7);
		else if (!strcmp(line, "exec"))
			execute(argv);
		else if (!strcmp(line, "signals"))
			printf("signals usr1=%d cont=%d\n", (int)usr1, (int)cont);
		else if (!strcmp(line, "fork"))
			fork_both();
		for (int i = 0; !strcmp(line, "thread") && i < 8; i++)
			if (pthread_create(&t, NULL, i < 7 ? spin : execute_in_thread, argv))
				exit(1);
	}
	exit(8);
}

static void reap(char **argv)
{
	pid_t pid;
	int status;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (pid == 0)
		execute(argv + 1);
	usleep((useconds_t)atoi(argv[0]));
	kill(pid, SIGKILL);
	while ((pid = wait(&status)) > 0 || errno == EINTR)
		printf("ended signal=%d status=%d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0,
			WIFEXITED(status) ? WEXITSTATUS(status) : 0);
	exit(0);
}

static void idle(void)
{
	struct epoll_event event;
	int fd = epoll_create1(0);

	printf("idle %d\n", getpid());
	printf("epoll_wait: %s\n", epoll_wait(fd, &event, 1, -1) < 0 ? strerror(errno) : "?");
	exit(9);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 3 && !strcmp(argv[1], "again"))
		again(argv[0], argv + 2);
	if (argc > 2 && !strcmp(argv[1], "talk"))
		talk(argv + 2);
	if (argc > 3 && !strcmp(argv[1], "reap"))
		reap(argv + 2);
	if (argc > 1 && !strcmp(argv[1], "idle"))
		idle();
	puts("usage: see launcher.c");
	return 2;
}
