/* Why something is not possible here and now. */
#include "ui/tui/actions/act.h"

#include "ui/figures/event.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/probe_name.h"

#include <stdio.h>

static void act_refuse_recording(struct app *a)
{
	const struct recording *r = &a->replay->recording;
	char program[TEXT_MAX], host[TEXT_MAX], time[EVENT_TIME_BYTES], whose[40];

	event_time(r->head.time_ns, true, time);
	time[10] = ' '; /* no T */
	snprintf(whose, sizeof whose, r->process_count > 1 ? "%zu processes" : "pid %zu",
		r->process_count > 1 ? r->process_count : (size_t)r->processes[0].pid);
	app_complain(a,
		"this is a recording of %s (%.60s, on %.60s, %.16s): nothing can be switched",
		whose,
		probe_name_base(text_clean(r->processes[0].program, program, sizeof program)),
		text_clean(r->head.host, host, sizeof host), time);
}

void act_refuse(struct app *a, enum request r)
{
	unsigned lacks = request_info(r)->need & ~app_have(a);
	char gone[600];

	if (a->replay)
		act_refuse_recording(a);
	else if (lacks & NEED_LISTABLE)
		app_complain(a, "nothing can be listed: not even its maps may be read");
	else if (lacks & NEED_PROGRAM)
		app_complain(a, "no program was started from here (-prog)");
	else if (lacks & NEED_GONE)
		app_complain(a, "the target is still running");
	else if (lacks & NEED_HELD)
		app_say(a, a->program.used ? "the program is already running: r starts one that is "
					     "held (-prog with -hold)"
					   : "r starts a program that is held at its start: "
					     "probes-tui -prog FILE -hold");
	else if (!model_alive(&a->model))
		app_complain(a, "nothing can be %s: %s",
			r == REQUEST_HITS                                       ? "counted"
			: lacks & (NEED_LATENCY | NEED_EVENTS | NEED_CONDITION) ? "measured"
										: "switched",
			app_gone(a, gone, sizeof gone));
	else if (lacks == NEED_RUNS)
		app_pass(a, "%s already (r restarts)",
			a->view == VIEW_LATENCY ? "measuring has stopped" : "events have stopped");
	else if (lacks & NEED_SWITCHABLE)
		app_complain(a, "no probe here can be switched: none has a semaphore or an OCaml "
				"site; H counts their hits, y shows commands that trace them");
	else if (a->read_only)
		app_complain(a, "read-only: nothing is switched%s",
			a->options->read_only ? " (-read-only)" : " (R allows it again)");
	else
		app_complain(a, "switching is not permitted here: quit and see probes-tui list "
				"-pid N, or start again as the process' owner");
}
