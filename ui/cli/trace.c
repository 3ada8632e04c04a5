/*
 * The verb trace: start a program with probes on before it can hit one.
 *
 * Owns the program from its start until it is resumed; with -wait until it ends. Standard output
 * belongs to the program: trace prints to standard error.
 */
#include <errno.h>

#include "ui/cli/explain.h"
#include "ui/cli/launch.h"
#include "ui/cli/verbs.h"
#include "ui/words/report.h"

int trace_run(const struct options *o)
{
	struct report_volume volume;
	struct probes_options engine = targets_engine(o, &volume);
	struct probes_member t = {0};
	struct act a;
	int status;
	bool done;

	/* Before the program exists, not after its launcher has run. */
	if (o->read_only && !o->dry_run) {
		report_set(&t.error, PROBES_REFUSED, -EROFS, "cannot switch probes", "",
			"this session is read-only");
		return explain_error(&t, &t.error, false);
	}
	status = act_begin(&a, "trace", o, stderr, false);
	if (status)
		return status;
	status = launch_start(&t, o, &engine);
	if (status) {
		status = act_end(&a, status);
	} else {
		status = act_end(&a, act_one(&a, &t, &done));
		if (done && !o->dry_run) {
			if (probes_resume(t.session, &t.error) < 0)
				status = explain_error(&t, &t.error, false);
			else if (o->wait)
				status = launch_wait(t.pid);
		}
	}
	/* A program that was not resumed dies here, before its first instruction. */
	probes_close(t.session);
	return status;
}
