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

static const struct unit_suite {
	const char *name;
	Suite *(*make)(void);
} unit_suites[] = {
#define SUITE_ENTRY(name) {#name, name##_suite},
	SUITES(SUITE_ENTRY)
#undef SUITE_ENTRY
};

static int unit_wanted(const char *name, char **names)
{
	for (char **at = names; *at; at++)
		if (!strcmp(*at, name))
			return 1;
	return !*names;
}

int main(int argc, char **argv)
{
	SRunner *runner = srunner_create(NULL);
	int failed, ran;

	(void)argc;
	for (size_t i = 0; i < sizeof unit_suites / sizeof *unit_suites; i++)
		if (unit_wanted(unit_suites[i].name, argv + 1))
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
