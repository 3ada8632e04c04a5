/*
 * The runner of all unit suites; one that fails makes it return 1. With arguments only the suites
 * so named are run. Environment of libcheck: CK_FORK=no for a debugger, CK_VERBOSITY=verbose.
 * Under sanitizers no test gets a process of its own: the search for leaks at the end of each would
 * take twenty times as long as the tests (CK_FORK=yes asks for it).
 */
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct unit_suite {
	const char *name;
	Suite *(*make)(void);
} unit_suites[] = {
#define SUITE_ENTRY(name) {#name, name##_suite},
	SUITES(SUITE_ENTRY)
#undef SUITE_ENTRY
};

/* They take half of the time, and the others run beside them. */
static const char *const unit_apart[] = {
	"inject", "inject_death", "move", "host_thread", "symbols", NULL};

static int unit_named(const char *name, const char *const *names)
{
	for (const char *const *at = names; *at; at++)
		if (!strcmp(*at, name))
			return 1;
	return 0;
}

/* Those with these names, or without them. Returns an exit status. */
static int unit_run(const char *const *names, int named)
{
	SRunner *runner = srunner_create(NULL);
	int failed, ran;

	for (size_t i = 0; i < sizeof unit_suites / sizeof *unit_suites; i++)
		if (unit_named(unit_suites[i].name, names) == named)
			srunner_add_suite(runner, unit_suites[i].make());
#ifdef __SANITIZE_ADDRESS__
	if (!getenv("CK_FORK"))
		srunner_set_fork_status(runner, CK_NOFORK);
#endif
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	ran = srunner_ntests_run(runner);
	srunner_free(runner);
	if (!ran)
		fprintf(stderr, "no such suite\n");
	return failed || !ran ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* One half in a process of its own: a test may look at all children that there are. */
static pid_t unit_half(int named, int output)
{
	pid_t pid = fork();

	if (pid < 0)
		perror("unit");
	if (pid)
		return pid;
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	exit(unit_run(unit_apart, named));
}

/* All of them, by two processes; what the second one says follows. */
static int unit_all(void)
{
	FILE *said = tmpfile();
	int apart = EXIT_FAILURE, others = EXIT_FAILURE, c;
	pid_t first, second;

	if (!said) {
		perror("unit");
		return EXIT_FAILURE;
	}
	first = unit_half(0, STDOUT_FILENO);
	second = unit_half(1, fileno(said));
	if (first > 0)
		waitpid(first, &others, 0);
	if (second > 0)
		waitpid(second, &apart, 0);
	rewind(said);
	while ((c = getc(said)) != EOF)
		putchar(c);
	fclose(said);
	return apart || others ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	return argc > 1 ? unit_run((const char *const *)argv + 1, 1) : unit_all();
}
