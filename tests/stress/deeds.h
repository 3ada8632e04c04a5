/* Everything that the campaign does; one function for each of its kinds, and what they share. */
#ifndef STRESS_DEEDS_H
#define STRESS_DEEDS_H

#include "campaign.h"

#define DEED_HIGHEST 3 /* a count is not driven further up */
#define DEED_WORDS 1024
#define DEED_PATIENCE_MS 20000

/* A call of the tool, and the counts that it must lead to. */
struct deed_call {
	char words[DEED_WORDS];
	truth_counts after;
	bool partly; /* it cannot do all it is asked, and says so by status 1 */
};

/* Choose what to switch: all of it is switched up or down by 1. */
void deed_choose(struct campaign *c, struct deed_call *call);
void deed_add(struct deed_call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Run the tool, and kill it at a random moment, should it live so long. */
struct killer_end deed_run_killed(struct campaign *c, const char *words);
/* After a kill: repair, perhaps killed too; then the counts are the one or the other. */
void deed_repair(struct campaign *c, const truth_counts before, const truth_counts after);
/* Until the counts are so; false: the tool has ended, or it takes too long. */
bool deed_wait(struct campaign *c, pid_t tool, const truth_counts wanted);

/* Our own switching: deeds.c. */
void deed_switch(struct campaign *c);
void deed_switch_killed(struct campaign *c);
void deed_hold(struct campaign *c);
void deed_together(struct campaign *c);

/* Our counting: counted.c. */
void deed_count(struct campaign *c);
void deed_count_killed(struct campaign *c);

/* What happens besides: events.c. */
void deed_replace(struct campaign *c);
void deed_uprobe(struct campaign *c);
void deed_no_uprobes(struct campaign *c);
void deed_signal(struct campaign *c);
void deed_signal_while_stopping(struct campaign *c);
void deed_job(struct campaign *c);
/* A uprobe on one probe, or none any more; false: not permitted. */
bool deed_uprobe_on(struct campaign *c, size_t probe);
void deed_uprobe_off(struct campaign *c, size_t probe);

/* Colleagues, strangers, want: a file each. */
void deed_colleagues(struct campaign *c);
void deed_amidst(struct campaign *c);
void deed_apart(struct campaign *c);
void deed_room(struct campaign *c);
void deed_shortage(struct campaign *c);
void deed_forks(struct campaign *c);
void deed_stranger(struct campaign *c);
void deed_mounts(struct campaign *c);

/* Why this machine does not permit it; NULL: it does. */
const char *cannot_uprobe(struct campaign *c);
const char *cannot_room(struct campaign *c);
const char *cannot_stranger(struct campaign *c);
const char *cannot_mounts(struct campaign *c);

#endif
