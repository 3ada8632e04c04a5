/*
 * Odd probes: the explanation, and the way back to a state that agrees.
 */
#include "ui/tui/actions/act_inconsistent.h"

#include "ui/tui/actions/act_switch.h"
#include "ui/tui/views/inconsistent.h"

void act_inconsistent(struct app *a, enum request r)
{
	uint32_t id = a->view == VIEW_DETAIL ? a->detail : list_current(&a->list);
	const struct row *row;

	(void)r;
	if (id == ROWLIST_NONE)
		return;
	app_refresh(a, true);
	row = &a->model.rows[id];
	if (row->state == PROBES_FOREIGN) {
		app_say(a,
			"%.80s is not inconsistent: another tool (%s) holds its byte; that is left "
			"alone",
			row->label, row->holder != ROW_NOBODY ? row_who(row) : "unknown");
		return;
	}
	if (!inconsistent_is(row->state)) {
		app_say(a, "%.80s is not inconsistent: it is %s, and code and count agree",
			row->label, probes_state_name(row->state));
		return;
	}
	a->detail = id;
	a->view = VIEW_INCONSISTENT;
	a->lines.top = 0;
	a->left = 0;
	inconsistent_build(&a->lines, &a->model, id, a->columns);
}

void act_inconsistent_force(struct app *a, enum request r)
{
	bool on = r == REQUEST_FORCE_ON ||
		  (r == REQUEST_REPAIR && inconsistent_counts_say_on(&a->model.rows[a->detail]));

	act_switch_forget(a);
	act_switch_mean_one(&a->pending, a->detail);
	a->pending.verb = on ? PROBES_ENABLE : PROBES_DISABLE;
	a->pending.force = true;
	act_switch_begin(a);
}
