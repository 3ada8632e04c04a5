/*
 * RLIMIT_NOFILE.
 *
 * Owns the original limit, which programs that probes-tui starts get: select(2) breaks on
 * descriptors beyond 1023, and its users rely on the soft limit (systemd, "File Descriptor
 * Limits").
 */
#include "ui/limits.h"

#include <sys/resource.h>

static unsigned long given;

void limits_raise(void)
{
	struct rlimit limit;
	rlim_t before;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
		return;
	before = limit.rlim_cur;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
		given = (unsigned long)before;
}

unsigned long limits_given(void)
{
	return given;
}
