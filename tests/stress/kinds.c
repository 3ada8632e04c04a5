/* The table of kinds, and choosing among them. */
#include "kinds.h"

#include "deeds.h"
#include "fault.h"

#include <stdlib.h>
#include <string.h>

static const struct kind {
	const char *name;
	unsigned weight;
	void (*run)(struct campaign *c);
	const char *(*cannot)(struct campaign *c);
} kinds[] = {
	{"switch", 20, deed_switch, NULL},
	{"killed", 40, deed_switch_killed, NULL},
	{"hold", 8, deed_hold, NULL},
	{"together", 6, deed_together, NULL},
	{"count", 14, deed_count, NULL},
	{"count-killed", 10, deed_count_killed, NULL},
	{"replace", 2, deed_replace, NULL},
	{"uprobe", 5, deed_uprobe, cannot_uprobe},
	{"no-uprobes", 2, deed_no_uprobes, cannot_uprobe},
	{"signal", 6, deed_signal, NULL},
	{"signal-stopping", 5, deed_signal_while_stopping, NULL},
	{"job", 6, deed_job, NULL},
	{"colleagues", 10, deed_colleagues, NULL},
	{"amidst", 8, deed_amidst, cannot_uprobe},
	{"apart", 10, deed_apart, NULL},
	{"room", 5, deed_room, cannot_room},
	{"shortage", 10, deed_shortage, NULL},
	{"forks", 5, deed_forks, NULL},
	{"stranger", 4, deed_stranger, cannot_stranger},
	{"mounts", 12, deed_mounts, cannot_mounts},
};
#define KINDS (sizeof kinds / sizeof *kinds)
_Static_assert(KINDS <= CAMPAIGN_KINDS, "room for all kinds");

static bool kinds_named(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += length)
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

void kinds_init(struct campaign *c, uint64_t seed)
{
	const char *list = getenv("STRESS_KINDS");
	bool any = false;

	for (size_t i = 0; i < KINDS; i++) {
		struct campaign_kind *k = &c->kinds[i];

		*k = (struct campaign_kind){.dice = dice_of(seed * 64 + i + 1)};
		k->chosen = !list || !*list || kinds_named(list, kinds[i].name);
		any = any || k->chosen;
		if (k->chosen && kinds[i].cannot)
			k->cannot = kinds[i].cannot(c);
	}
	if (!any)
		fault_fatal("STRESS_KINDS names no kind: %s", list);
}

static bool kinds_may(const struct campaign *c, size_t i)
{
	return c->kinds[i].chosen && !c->kinds[i].cannot;
}

/* By weight among those that were not done yet, or else among all. */
static size_t kinds_choose(const struct campaign *c, struct dice *dice)
{
	unsigned fresh = 0, all = 0, roll;
	size_t chosen = KINDS;

	for (size_t i = 0; i < KINDS; i++)
		if (kinds_may(c, i)) {
			all += kinds[i].weight;
			fresh += c->kinds[i].times ? 0 : kinds[i].weight;
		}
	if (!all)
		return KINDS;
	roll = dice_roll(dice, fresh ? fresh : all);
	for (size_t i = 0; i < KINDS && chosen == KINDS; i++) {
		if (!kinds_may(c, i) || (fresh && c->kinds[i].times))
			continue;
		if (roll < kinds[i].weight)
			chosen = i;
		roll -= kinds[i].weight;
	}
	return chosen;
}

void kinds_do(struct campaign *c, struct dice *dice)
{
	unsigned long faults = fault_count;
	size_t i = kinds_choose(c, dice);

	if (i == KINDS)
		return;
	fault_doing("[%s]", kinds[i].name);
	c->kind = i;
	c->dice = &c->kinds[i].dice;
	c->kinds[i].times++;
	kinds[i].run(c);
	c->kinds[i].faults += fault_count - faults;
}

void kinds_count(struct campaign *c, const char *what, unsigned long more)
{
	struct campaign_tally *tally = c->kinds[c->kind].tallies;
	size_t i = 0;

	while (i < CAMPAIGN_TALLIES - 1 && tally[i].what && strcmp(tally[i].what, what) != 0)
		i++;
	tally[i].what = what;
	tally[i].count += more;
}

void kinds_print(const struct campaign *c)
{
	for (size_t i = 0; i < KINDS; i++) {
		const struct campaign_kind *k = &c->kinds[i];

		if (!k->chosen)
			continue;
		if (k->cannot) {
			printf("%-15s skipped: %s\n", kinds[i].name, k->cannot);
			continue;
		}
		printf("%-15s %5lu times", kinds[i].name, k->times);
		for (size_t n = 0; n < CAMPAIGN_TALLIES && k->tallies[n].what; n++)
			printf(", %lu %s", k->tallies[n].count, k->tallies[n].what);
		if (k->faults)
			printf(", %lu FAULTS", k->faults);
		printf("%s\n", k->times ? "" : ": no time was left for it");
	}
}
