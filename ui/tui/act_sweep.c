/*
 * Sweeping on request: taking back what children by fork took along.
 */
#include "ui/tui/act_sweep.h"

#include "ui/tui/heirs.h"
#include "ui/tui/workers.h"

#define ACT_SWEEP_LOOKS 5

void act_sweep(struct app *a, enum request r)
{
	struct heirs_sum sum = {0};
	size_t before, looks = 0;
	char said[200] = "";

	(void)r;
	if (a->read_only) {
		app_complain(a, "read-only: nothing is switched");
		return;
	}
	/* Repeat if any were found: these may have forked meanwhile. */
	do {
		before = sum.processes;
		workers_look(a);
		heirs_restore(a, "sweep", &sum);
	} while (sum.processes > before && !sum.failed && ++looks < ACT_SWEEP_LOOKS);
	heirs_say(&sum, said, sizeof said);
	if (sum.failed)
		app_say_error(a, "not all children could be swept", &sum.e);
	else if (sum.processes)
		app_say(a, "%s", said);
	else
		app_say(a, "no child by fork holds anything of this session");
}
