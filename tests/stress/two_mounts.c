/*
 * Two proc mounts: one run of the tool is stopped at one of its calls, most often just before it
 * writes, and another, which sees the victim through a proc mount of its own, switches the same
 * probes meanwhile; or would, did it not wait for its turn. No increment may be lost, and of a term
 * nothing may be left.
 */
#include "deeds.h"
#include "fault.h"
#include "kinds.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOUNTS_GAP_MS 30 /* what the other one gets while the first stands still */
#define MOUNTS_PROBES 3

const char *cannot_mounts(struct campaign *c)
{
	(void)c;
	return killer_own_proc_permitted() ? NULL : "no proc can be mounted here";
}

/* What the tracing process of the first sees, and we. */
static struct moment {
	unsigned long calls, wanted;
	bool only_writes;
	atomic_int begun, status; /* of the other one; -1: not ended */
	struct tool tool;
	char words[DEED_WORDS];
} * moment;

/* A process between, so that its status is known when its parent has other things to wait for. */
static pid_t mounts_other(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		atomic_store(&moment->status, tool_run(&moment->tool, moment->words, NULL).status);
		_exit(0);
	}
	return pid;
}

static void mounts_meanwhile(long call)
{
	long until = field_now() + MOUNTS_GAP_MS;

	if ((moment->only_writes && call != SYS_pwrite64) || ++moment->calls != moment->wanted)
		return;
	atomic_store(&moment->begun, 1);
	mounts_other();
	while (atomic_load(&moment->status) == -1 && field_now() < until)
		field_nap(200);
}

static void mounts_prepare(struct campaign *c, bool second_has_own)
{
	if (!moment)
		moment = mmap(NULL, sizeof *moment, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (moment == MAP_FAILED)
		fault_fatal("no memory");
	memset(moment, 0, sizeof *moment);
	atomic_store(&moment->status, -1);
	moment->tool = c->tool;
	moment->tool.birth.own_proc = second_has_own;
	moment->only_writes = !dice_once_in(c->dice, 3);
	moment->wanted = 1 + dice_roll(c->dice, moment->only_writes ? 12 : 250);
}

/* Words that switch some probes by 1: twice, or once and back. */
static void mounts_choose(struct campaign *c, struct deed_call *call, truth_counts after, bool term)
{
	size_t first = dice_roll(c->dice, (unsigned)c->truth.count - MOUNTS_PROBES + 1);
	bool up = false;
	int step;

	if (dice_once_in(c->dice, 2))
		first = c->truth.count - MOUNTS_PROBES; /* those of sys/sdt.h */
	for (size_t i = first; i < first + MOUNTS_PROBES; i++)
		up = up || c->truth.probes[i].count < 2;
	step = up ? 1 : -1;
	truth_get(&c->truth, after);
	snprintf(call->words, sizeof call->words, "attach -%s ", up ? "enable" : "disable");
	for (size_t i = first; i < first + MOUNTS_PROBES; i++) {
		deed_add(call, "%s%s", i > first ? "," : "", c->truth.probes[i].name);
		after[i] += (unsigned)(term ? step : 2 * step);
	}
}

void deed_mounts(struct campaign *c)
{
	const struct killer k = {.way = KILLER_MEANWHILE, .meanwhile = mounts_meanwhile};
	bool own = dice_once_in(c->dice, 2), term = dice_once_in(c->dice, 3);
	struct deed_call call;
	truth_counts after;
	struct killer_end end;

	mounts_prepare(c, !own);
	mounts_choose(c, &call, after, term);
	memcpy(moment->words, call.words, sizeof moment->words);
	if (term)
		deed_add(&call, " -for 1ms");
	fault_doing("  with %s proc: %s; at %s %lu another, with %s: %s", own ? "its own" : "our",
		call.words, moment->only_writes ? "write" : "call", moment->wanted,
		own ? "ours" : "its own", moment->words);
	c->tool.birth.own_proc = own;
	end = tool_run(&c->tool, call.words, &k);
	c->tool.birth.own_proc = false;
	if (!atomic_load(&moment->begun)) {
		fault_doing("  (it had ended before)");
		kinds_count(c, "one after the other", 1);
		waitpid(mounts_other(), NULL, 0);
	}
	if (end.status || atomic_load(&moment->status))
		fault("two at once: status %x, %x", (unsigned)end.status,
			(unsigned)atomic_load(&moment->status));
	truth_set(&c->truth, after);
}
