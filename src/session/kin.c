/*
 * Processes that share an arena by fork have one list of records. Does the session of a record live
 * that is about another one of them, and says nothing here by its number? Its claim is on that
 * process, which is looked for.
 */
#include "session/session.h"

#include "process/procfs.h"
#include "process/tree.h"

#include <fcntl.h>
#include <unistd.h>

/* Is it the process of the record? Its number in its own pid namespace is the same everywhere. */
static bool kin_is(const struct tree_link *link, const struct arena_holder *r, struct identity *who)
{
	if (!r->born || !identity_same_start(identity_start(link->start_time), r->born))
		return false;
	*who = (struct identity){.pid = link->pid, .pidfd = -1, .proc = -1, .task = -1, .maps = -1};
	who->proc = procfs_open(AT_FDCWD, O_RDONLY | O_DIRECTORY, "/proc/%d", (int)link->pid);
	if (who->proc >= 0 && identity_ns_pid(who) == (pid_t)r->self)
		return true;
	if (who->proc >= 0)
		close(who->proc);
	return false;
}

enum holder_life kin_judge(struct array *links, const struct arena_holder *r, uint64_t number)
{
	enum holder_life life = HOLDER_UNSEEN;
	struct identity who;

	if (!r->claimed)
		return life;
	if (!links->count && tree_gather(links) < 0)
		links->count = 0;
	ARRAY_EACH_WHILE(life == HOLDER_UNSEEN, const struct tree_link, link, links) {
		struct claim claim = {.opened = false};
		struct procfs_stat stat;
		bool held;

		if (!kin_is(link, r, &who))
			continue;
		held = claim_is_held(&claim, &who, number);
		/* Else the number may be that of another process by now. */
		if (claim.fd >= 0 && procfs_stat(who.proc, &stat, "stat") == 0)
			life = held ? HOLDER_CLAIMS : HOLDER_NONE;
		claim_done(&claim, &who);
		close(who.proc);
	}
	return life;
}
