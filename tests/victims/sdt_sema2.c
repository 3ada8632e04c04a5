/* The second unit of the sdt_sema victims, see sdt_sema.h: the other half of both names. */
#include "sdt_sema.h"

SEMAPHORE static volatile unsigned short victim_private_semaphore;

static struct guarded shared = {.name = "shared.2", .semaphore = &victim_shared_semaphore};
static struct guarded private = {.name = "private.2", .semaphore = &victim_private_semaphore};

ONCE void sema2_round(long n)
{
	if (guarded_pass(&shared))
		DTRACE_PROBE1(victim, shared, n);
	if (guarded_pass(&private))
		DTRACE_PROBE1(victim, private, n);
}

void sema2_report(void)
{
	guarded_print(&shared);
	guarded_print(&private);
}
