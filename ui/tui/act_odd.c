/*
 * Odd probes: the explanation, and the way back to a state that agrees.
 */
#include "ui/tui/act_odd.h"

#include "ui/tui/act_switch.h"
#include "ui/tui/odd.h"

void act_odd(struct app *a, enum request r)
{
	uint32_t id = a->view == VIEW_DETAIL ? a->detail : list_current(&a->list);
	const struct row *row;

	(void)r;
	if (id == ROWLIST_NONE)
		return;
	app_refresh(a, true);
	row = &a->model.rows[id];
	if (row->state == PROBES_OTHER) {
		app_say(a, "%.80s is not odd: another tool (%s) holds its byte; that is left alone",
			row->label, row->holder != ROW_NOBODY ? row_who(row) : "unknown");
		return;
	}
	if (!odd_is(row->state)) {
		app_say(a, "%.80s is not odd: it is %s, and code and count agree", row->label,
			probes_state_name(row->state));
		return;
	}
	a->detail = id;
	a->view = VIEW_ODD;
	a->lines.top = 0;
	a->left = 0;
	odd_build(&a->lines, &a->model, id, a->columns);
}

void act_odd_force(struct app *a, enum request r)
{
	bool on = r == REQUEST_FORCE_ON ||
		  (r == REQUEST_REPAIR && odd_counts_say_on(&a->model.rows[a->detail]));

	act_switch_forget(a);
	act_switch_mean_one(&a->pending, a->detail);
	a->pending.verb = on ? PROBES_ENABLE : PROBES_DISABLE;
	a->pending.force = true;
	act_switch_begin(a);
}
