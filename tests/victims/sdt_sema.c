/*
 * The first unit of the sdt_sema victims, see sdt_sema.h: it owns the shared semaphore, and has a
 * probe with two sites, one not guarded, that only it knows.
 */
#include "sdt_sema.h"

#include "countable.h"
#include "drive.h"

SEMAPHORE volatile unsigned short victim_shared_semaphore;
SEMAPHORE static volatile unsigned short victim_private_semaphore;
SEMAPHORE static volatile unsigned short victim_single_semaphore;

static struct guarded shared = {.name = "shared.1", .semaphore = &victim_shared_semaphore};
static struct guarded private = {.name = "private.1", .semaphore = &victim_private_semaphore};
static struct guarded single = {.name = "single", .semaphore = &victim_single_semaphore};

ONCE static void sema1_round(long n)
{
	if (guarded_pass(&shared))
		DTRACE_PROBE1(victim, shared, n);
	if (guarded_pass(&private))
		DTRACE_PROBE1(victim, private, n);
	COUNTABLE(1);
	DTRACE_PROBE2(victim, single, n, 1);
	COUNTABLE(2);
	if (guarded_pass(&single))
		DTRACE_PROBE2(victim, single, n, 2);
	COUNTABLE_STOPPED;
}

static void sema_round(long n)
{
	sema1_round(n);
	sema2_round(n);
}

static void sema_report(void)
{
	guarded_print(&shared);
	guarded_print(&private);
	guarded_print(&single);
	sema2_report();
}

int main(int argc, char **argv)
{
	static const struct drive_ops ops = {.round = sema_round, .report = sema_report};

	return drive(argc, argv, &ops);
}
