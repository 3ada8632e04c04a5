/*
 * Sweeping on request: taking back what children by fork took along.
 */
#include "ui/tui/actions/act.h"

#include "ui/tui/app/forked_children.h"
#include "ui/tui/app/workers.h"
#include "ui/tui/terminal/text.h"

#define ACT_SWEEP_LOOKS 5

static void act_sweep_say(struct app *a, const struct forked_children_sum *sum)
{
	size_t joined = forked_children_joined(a);
	char said[300] = "";

	forked_children_say(sum, said, sizeof said);
	if (!said[0] && !joined) {
		app_say(a, "no child by fork holds anything of this session");
		return;
	}
	if (!said[0])
		text_addf(said, sizeof said, "no child holds what it inherited. ");
	/* What was kept is in these, too: it has been said. */
	if (joined && !sum->kept)
		text_addf(said, sizeof said, "%zu in the list hold%s later changes", joined,
			joined == 1 ? "s" : "");
	if (sum->kept)
		app_complain(a, "%s", said);
	else
		app_say(a, "%s", said);
}

void act_sweep(struct app *a, enum request r)
{
	struct forked_children_sum sum = {0};
	size_t before, looks = 0;

	(void)r;
	if (a->read_only) {
		app_complain(a, "read-only: nothing is switched");
		return;
	}
	/* Repeat if any were found: these may have forked meanwhile. */
	do {
		before = sum.processes;
		workers_look(a);
		forked_children_restore(a, "sweep", &sum);
		forked_children_restore_joined(a, "sweep", &sum);
	} while (sum.processes > before && !sum.failed && ++looks < ACT_SWEEP_LOOKS);
	if (sum.processes)
		app_refresh(a, true);
	if (sum.failed)
		app_say_error(a, "not all children could be swept", &sum.e);
	else
		act_sweep_say(a, &sum);
}
