/*
 * Colleagues: while one of us holds probes for a while, others enable, disable and force the same
 * ones, with our tool or, writing the bytes themselves and taking no turns, as ocaml-probes does;
 * uprobes come and stay. Then the holder takes back. The account of each count says what must come
 * of it: what was added, and that alone, is taken away; never below 0; never what a uprobe holds.
 */
#include "deeds.h"
#include "fault.h"
#include "holder.h"
#include "kinds.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------- who writes himself */

static bool foreign_open(const struct campaign *c, int *mem)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/mem", c->field.pid);
	*mem = open(path, O_RDWR | O_CLOEXEC);
	return *mem >= 0;
}

/* The sites follow the count: up, they come first; down, last. */
static bool foreign_write(int mem, const struct truth_probe *p, unsigned short value)
{
	unsigned char byte = value ? 0xe8 : 0x3d;
	bool fine = true;

	for (int i = 0; i < 2; i++) {
		if (i == !!value) {
			fine = fine && pwrite(mem, &value, 2, (off_t)p->semaphore) == 2;
			continue;
		}
		for (size_t k = 0; k < p->site_count; k++)
			fine = fine && pwrite(mem, &byte, 1, (off_t)p->sites[k] + 1) == 1;
	}
	return fine;
}

static void colleague_foreign(struct campaign *c, struct truth_probe *p, bool up, bool force)
{
	int mem;

	/* ocaml-probes knows no others. Of a dead leader it cannot open the memory. */
	if (p->sdt || c->leader_dies || !foreign_open(c, &mem))
		return;
	if (truth_act(p, "a foreign tool", up, force)) {
		fault_doing("  a foreign tool sets %s to %u", p->name, p->count);
		if (!foreign_write(mem, p, (unsigned short)p->count))
			fault_fatal("a foreign tool cannot write");
		kinds_count(c, "by a foreign tool", 1);
	}
	close(mem);
}

/* ----------------------------------------------------------- who uses ours */

static void colleague_tool(struct campaign *c, struct truth_probe *p, bool up, bool force)
{
	struct deed_call call = {.words = "attach"};

	if (!truth_act(p, "a colleague", up, force))
		return;
	deed_add(&call, " -%s %s%s", up ? "enable" : "disable", p->name, force ? " -force" : "");
	fault_doing("  a colleague: %s", call.words);
	tool_must(&c->tool, call.words);
	kinds_count(c, force ? "forced by a colleague" : "switched by a colleague", 1);
}

/* On one of the holder's probes, mostly; each count stays within what others expect. */
static void colleague(struct campaign *c, const struct holder *h)
{
	size_t i = dice_once_in(c->dice, 4) ? dice_roll(c->dice, (unsigned)c->truth.count)
					    : h->which[dice_roll(c->dice, (unsigned)h->count)];
	struct truth_probe *p = &c->truth.probes[i];
	bool up = p->count < DEED_HIGHEST && dice_once_in(c->dice, 3);
	bool force = dice_once_in(c->dice, 2);

	switch (dice_roll(c->dice, 4)) {
	case 0:
		deed_uprobe_on(c, i);
		break;
	case 1:
		colleague_foreign(c, p, up, force);
		break;
	default:
		colleague_tool(c, p, up, force);
		break;
	}
}

/* ------------------------------------------------------------- the account */

/* A repair takes back what all holders left, first what raises counts. How many stay. */
static size_t repaired(struct campaign *c, struct holder *h, size_t count)
{
	truth_hold raised[2] = {0};
	size_t stay = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < c->truth.count; k++)
			if (h[i].hold[k] < 0) {
				raised[i][k] = h[i].hold[k];
				h[i].hold[k] = 0;
			}
	for (size_t i = 0; i < count; i++)
		truth_take_back(&c->truth, raised[i], NULL);
	for (size_t i = 0; i < count; i++)
		stay += truth_take_back(&c->truth, h[i].hold, NULL);
	return stay;
}

/*
 * What could not be taken back stays on record: a repair under the uprobes leaves it there, one
 * after them settles it.
 */
static void settle(struct campaign *c, struct holder *h, size_t count)
{
	size_t stay;

	kinds_count(c, "left on record", 1);
	inspect_victim(&c->truth, &c->field);
	fault_doing("  repair, under the uprobes");
	tool_run(&c->tool, "repair", NULL);
	stay = repaired(c, h, count);
	inspect_victim(&c->truth, &c->field);
	if (stay && !tool_journals(&c->tool))
		fault("the repair settled nothing, and the record is gone");
	deed_no_uprobes(c);
	fault_doing("  repair");
	tool_must(&c->tool, "repair");
	repaired(c, h, count);
}

/*
 * One of `count` holders takes back: what it says of that agrees with the account. A repair after
 * the last one was killed settles what the others left on record as well.
 */
static void take_back(struct campaign *c, struct holder *h, size_t count, size_t one, bool last)
{
	const struct holder *other = count > 1 ? &h[!one] : NULL;
	size_t stay;
	bool all;

	holder_tell(c, &h[one]);
	all = holder_end(c, &h[one]);
	if (last && h[one].way == HOLDER_KILLED)
		stay = repaired(c, h, count);
	else
		stay = truth_take_back(&c->truth, h[one].hold, other ? other->hold : NULL);
	if (all && stay)
		fault("all is taken back, it says; %zu should stay", stay);
	if (!all && !stay)
		fault("something is left on record, it says; nothing should");
}

/* One holds; and once in three a second one, in whichever order they end. */
void deed_colleagues(struct campaign *c)
{
	bool two = dice_once_in(c->dice, 3);
	size_t first = two ? dice_roll(c->dice, 2) : 0, stay = 0;
	unsigned long faults = fault_count;
	struct holder h[2];

	for (int i = 0; i <= two; i++) {
		holder_begin(c, &h[i]);
		for (unsigned acts = 1 + dice_roll(c->dice, 4); acts; acts--)
			colleague(c, &h[i]);
	}
	for (size_t i = 0; i <= two && fault_count == faults; i++)
		take_back(c, h, 1 + two, two ? i ^ first : 0, i == two);
	for (size_t i = 0; i <= two; i++)
		for (size_t k = 0; k < c->truth.count; k++)
			stay += h[i].hold[k] != 0;
	if (stay && fault_count == faults)
		settle(c, h, 1 + two);
	inspect_victim(&c->truth, &c->field);
}
