#include "ui/cli/signals.h"

#include <stddef.h>

sigset_t signals_ending(bool child)
{
	static const int enders[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction now;
	sigset_t set;

	sigemptyset(&set);
	if (child)
		sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof enders / sizeof *enders; i++)
		if (sigaction(enders[i], NULL, &now) < 0 || now.sa_handler != SIG_IGN)
			sigaddset(&set, enders[i]);
	return set;
}

void signals_prepare(bool child)
{
	/* Stopped, we would not undo in time. */
	static const int stoppers[] = {SIGTSTP, SIGTTIN, SIGTTOU};
	sigset_t set = signals_ending(child);

	for (size_t i = 0; !child && i < sizeof stoppers / sizeof *stoppers; i++)
		signal(stoppers[i], SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int signals_pending(void)
{
	sigset_t set = signals_ending(false), pending;

	sigpending(&pending);
	for (int sig = 1; sig < NSIG; sig++)
		if (sigismember(&set, sig) == 1 && sigismember(&pending, sig) == 1)
			return sig;
	return 0;
}
