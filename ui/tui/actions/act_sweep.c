/* Sweep: undo in forked children what they inherited of this session's changes. */
#include "ui/tui/actions/act.h"

#include "ui/tui/app/new_children.h"
#include "ui/tui/terminal/text.h"

#define ACT_SWEEP_LOOKS 5

struct act_sweep {
	struct app *app;
	struct new_children_sum sum;
};

static void act_sweep_undone(void *data, struct probes_undone *u)
{
	struct act_sweep *w = data;

	new_children_undone(w->app, u, "sweep", &w->sum);
}

void act_sweep(struct app *a, enum request r)
{
	struct act_sweep w = {.app = a};
	size_t before, looks = 0, joined;
	char said[300] = "";

	if (a->read_only) {
		app_complain(a, "read-only: nothing is switched");
		return;
	}
	/* Repeat if any were found: these may have forked meanwhile. */
	do {
		before = w.sum.processes;
		w.sum.kept = 0;
		new_children_look(a);
		probes_group_restore_inherited(a->group, act_sweep_undone, &w);
	} while (w.sum.processes > before && !w.sum.failed && ++looks < ACT_SWEEP_LOOKS);
	if (w.sum.processes)
		app_refresh(a, true);
	if (w.sum.failed) {
		app_say_error(a, "not all children could be swept", &w.sum.e);
		return;
	}
	joined = new_children_inheritors(a, 0);
	new_children_say(&w.sum, said, sizeof said);
	if (!said[0] && !joined)
		text_addf(said, sizeof said, "no forked child holds changes of this session");
	else if (!said[0])
		text_addf(said, sizeof said, "no child holds what it inherited. ");
	/* new_children_say has reported a probe that was kept in a process of the list */
	if (joined && !w.sum.kept)
		text_addf(said, sizeof said, "%zu in the list hold%s later changes", joined,
			joined == 1 ? "s" : "");
	if (w.sum.kept)
		app_complain(a, "%s", said);
	else
		app_say(a, "%s", said);
}
