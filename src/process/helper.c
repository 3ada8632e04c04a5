/* One child, one answer in shared memory; see helper.h. */
#include "process/helper.h"

#include "base/error.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HELPER_SECOND 1000000000u

struct helper_answer {
	bool finished;
	int result;
	struct probes_error error;
};

static void helper_work(pid_t parent, int (*work)(void *, struct probes_error *), void *data,
	struct helper_answer *answer)
{
	sigset_t all;

	/* It must not go on writing while the next run repairs what we left. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGCHLD, SIG_DFL);
	answer->result = work(data, &answer->error);
	answer->finished = true;
	/* Whoever is still held is let go by the kernel now. */
	_exit(0);
}

static int helper_wait(
	pid_t target, pid_t helper, const struct helper_answer *answer, struct probes_error *e)
{
	int status;

	while (waitpid(helper, &status, 0) < 0 && errno == EINTR)
		;
	if (!answer->finished) {
		error_set(e, PROBES_FAILED, -ECHILD, "lost hold of process %d", target);
		return error_why(e, "the helper that held it was killed");
	}
	if (answer->result < 0)
		*e = answer->error;
	return answer->result;
}

int helper_run(pid_t target, int (*work)(void *data, struct probes_error *e), void *data,
	struct probes_error *e)
{
	struct helper_answer *answer = mmap(
		NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid(), helper;
	int r;

	if (answer == MAP_FAILED)
		return error_memory(e, "a helper process");
	helper = fork();
	if (helper == 0)
		helper_work(parent, work, data, answer);
	if (helper < 0)
		r = error_fork(e, -errno, "cannot take hold of process %d", target);
	else
		r = helper_wait(target, helper, answer, e);
	munmap(answer, sizeof *answer);
	return r;
}

void helper_limit(uint64_t when)
{
	static timer_t timer;
	static bool set;
	struct sigevent kill = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	struct itimerspec at = {
		.it_value = {(time_t)(when / HELPER_SECOND), (long)(when % HELPER_SECOND)}};

	if (set)
		timer_delete(timer);
	set = when && timer_create(CLOCK_MONOTONIC, &kill, &timer) == 0 &&
	      timer_settime(timer, TIMER_ABSTIME, &at, NULL) == 0;
}
