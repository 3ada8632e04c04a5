/* One thread forks. The children wait at a pipe whose other end only the victim holds: they end
 * with it, whatever becomes of it. */
#include "storm_forks.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct {
	pthread_t thread;
	int held[2];
	long wanted, pace_us, count;
	pid_t pids[FORKS_MOST];
	atomic_int stop;
	int (*finally)(void);
} forks;

static void forks_live(void)
{
	char byte;
	ssize_t n;

	close(forks.held[1]);
	do
		n = read(forks.held[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	_exit(forks.finally());
}

static void *forks_run(void *unused)
{
	struct timespec pace = {0, forks.pace_us * 1000};

	while (forks.count < forks.wanted && !atomic_load(&forks.stop)) {
		pid_t pid = fork();

		if (pid == 0)
			forks_live();
		if (pid > 0)
			forks.pids[forks.count++] = pid;
		nanosleep(&pace, NULL);
	}
	return unused;
}

static void forks_begin(void)
{
	forks.count = 0;
	atomic_store(&forks.stop, 0);
	if (forks.wanted > FORKS_MOST)
		forks.wanted = FORKS_MOST;
	if (pipe(forks.held) < 0 || pthread_create(&forks.thread, NULL, forks_run, NULL))
		_exit(125);
	printf("forking\n");
}

static void forks_calm(void)
{
	atomic_store(&forks.stop, 1);
	pthread_join(forks.thread, NULL);
	printf("children");
	for (long i = 0; i < forks.count; i++)
		printf(" %d", forks.pids[i]);
	printf("\n");
}

static void forks_gather(void)
{
	int bad = 0, status;

	close(forks.held[1]);
	close(forks.held[0]);
	for (long i = 0; i < forks.count; i++)
		if (waitpid(forks.pids[i], &status, 0) != forks.pids[i] || status)
			bad++;
	printf("gathered %d\n", bad);
}

int forks_obey(const char *line, int (*finally)(void))
{
	forks.finally = finally;
	if (sscanf(line, "fork %ld %ld", &forks.wanted, &forks.pace_us) == 2)
		forks_begin();
	else if (!strcmp(line, "calm\n"))
		forks_calm();
	else if (!strcmp(line, "gather\n"))
		forks_gather();
	else
		return 0;
	return 1;
}
