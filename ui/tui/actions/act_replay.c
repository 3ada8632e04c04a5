/* Reading a recording while the screen shows it. */
#include "ui/tui/actions/act.h"

#define ACT_REPLAY_DRAW_MS 200 /* between two pictures while the file is read */

int64_t act_replay_wait(const struct app *a)
{
	return a->replay && (a->replay->total.on || a->timing.pass.on) ? 0 : -1;
}

void act_replay_poll(struct app *a)
{
	struct replay *r = a->replay;
	bool read = r && (timing_replay(&a->timing) || replay_count(r));

	if (!read || (act_replay_wait(a) >= 0 && now_ms() < a->replay_ms))
		return;
	if (!r->total.on && *r->total.why && !a->replay_told) {
		app_complain(a, "%s", r->total.why);
		a->replay_told = true;
	}
	app_refresh(a, true);
	if (list_follows_hits(&a->list))
		list_update(&a->list);
	a->replay_ms = now_ms() + ACT_REPLAY_DRAW_MS;
}
