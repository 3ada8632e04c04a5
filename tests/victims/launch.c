/*
 * A program with a probe that runs a command, in its own process group and on its own terminal, and
 * ends with it: so that `-prog launch -- less FILE` shows what less draws.
 */
#include <stdio.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status = 0;
	pid_t pid;

	if (argc < 2)
		return 2;
	STAP_PROBE(launch, begins);
	pid = fork();
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) != pid)
		;
	STAP_PROBE1(launch, ends, status);
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
