/*
 * Sweeping on request: taking back what children by fork took along.
 */
#include "ui/tui/act_sweep.h"

#include "ui/tui/heirs.h"
#include "ui/tui/workers.h"

void act_sweep(struct app *a, enum request r)
{
	struct heirs_sum sum;
	char said[200] = "";

	(void)r;
	if (a->read_only) {
		app_complain(a, "read-only: nothing is switched");
		return;
	}
	workers_look(a);
	heirs_restore(a, "sweep", &sum);
	heirs_say(&sum, said, sizeof said);
	if (sum.failed)
		app_say_error(a, "not all children could be swept", &sum.e);
	else if (sum.processes)
		app_say(a, "%s", said);
	else
		app_say(a, "no child by fork holds anything of this session");
}
