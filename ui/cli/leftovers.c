/*
 * What interrupted sessions left, said by verbs that came for something else.
 *
 * Owns the notice. Must not repair: nobody asked for it.
 */
#include "ui/cli/leftovers.h"

#include <stdlib.h>

static void put(const struct target *t, const struct probes_leftover *left)
{
	/* It was killed before its first write. */
	if (!left->changes && !left->interrupted && !*left->unjudged)
		return;
	if (*left->unjudged)
		report_line("pid %d: changes of an earlier session may remain: could not check %s",
			t->pid, left->unjudged);
	else if (left->changes)
		report_line("pid %d: an interrupted session (pid %d) left %zu change%s%s; undo "
			    "them with: probes-tui repair -pid %d",
			t->pid, left->owner, left->changes, left->changes == 1 ? "" : "s",
			left->interrupted ? " and a switch half done" : "", t->pid);
	else
		report_line("pid %d: a session (pid %d) was interrupted in the middle of a switch; "
			    "undo what it did with: probes-tui repair -pid %d",
			t->pid, left->owner, t->pid);
}

void leftovers_report(const struct target *t)
{
	struct probes_leftover *left;
	struct probes_error e;
	size_t count;

	if (probes_leftovers(t->session, &left, &count, &e) < 0) {
		report_error(&e);
		return;
	}
	for (size_t i = 0; i < count; i++)
		put(t, &left[i]);
	free(left);
}
