/*
 * The campaign: a victim that checks itself, and everything that may happen to it and to our tool,
 * at random, round after round.
 *
 *   stress TOOL VICTIM FOLDER     STRESS_SECONDS=60 STRESS_SEED=... STRESS_THREADS=64
 *
 * After each round: the victim runs, its figures are right and agree with its memory, its code and
 * its semaphores hold what they must, no thread of it is stopped or traced, no signal was lost or
 * came from nowhere, and of ours no process and no journal is left. The seed repeats the choices,
 * not the machine's timing. Not covered: other architectures, other users, objects that come and
 * go.
 */
#include "campaign.h"
#include "fault.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRESS_ROUNDS_A_VICTIM 40
#define STRESS_FAULTS 20 /* enough is enough */

static const char *threads = "64";

/* ------------------------------------------------------------------- victim */

void campaign_begin(struct campaign *c)
{
	char command[2048];

	snprintf(c->file, sizeof c->file, "%s/storm-%lu", c->folder, c->victims);
	snprintf(command, sizeof command, "cp -f '%s' '%s'", c->storm, c->file);
	if (system(command) != 0)
		fault_fatal("cannot copy the victim");
	c->leader_dies = c->victims % 4 == 3;
	fault_begin("victim %lu%s", c->victims, c->leader_dies ? ", whose leader is dead" : "");
	field_start(&c->field, c->file, threads, c->leader_dies ? "--leader-dies" : NULL);
	tool_aim(&c->tool, c->field.pid);
	truth_learn(&c->truth, &c->field);
	for (size_t i = 0; i < STORM_PLACES; i++)
		c->uprobes[i] = -1;
	c->sent = c->uprobe_count = 0;
	c->victims++;
}

void campaign_end(struct campaign *c)
{
	struct storm_table table;

	deed_no_uprobes(c);
	if (field_peek(&c->field, c->field.table, &table, sizeof table))
		c->born += table.born;
	field_end(&c->field);
	unlink(c->file);
}

/* -------------------------------------------------------------------- rounds */

static void check_signals(struct campaign *c)
{
	long deadline = field_now() + 10000;
	unsigned long came;

	while ((came = field_signals(&c->field)) != c->sent && field_now() < deadline)
		field_nap(500);
	if (came != c->sent)
		fault("%lu signals were sent, %lu came", c->sent, came);
	c->sent = came;
}

static void round_of(struct campaign *c, unsigned long seed)
{
	unsigned deeds = 1 + dice_roll(&c->dice, 3);

	fault_begin("seed %lu, round %lu, victim %d%s", seed, c->rounds, c->field.pid,
		c->leader_dies ? " without its leader" : "");
	while (deeds--)
		deed_one(c);
	inspect_helpers(&c->field);
	inspect_threads(&c->field);
	check_signals(c);
	inspect_victim(&c->truth, &c->field);
	inspect_journals(&c->tool);
	c->rounds++;
}

static void summary(const struct campaign *c, unsigned long seed, long ms)
{
	printf("seed %lu: %lu rounds in %ld s, %lu victims, %lu threads born\n", seed, c->rounds,
		ms / 1000, c->victims, c->born);
	printf("%lu switches (%lu with -stop, %lu held for a term, %lu two at once), %lu repairs "
	       "(%lu undid, %lu found all done)\n",
		c->switches, c->stops, c->held, c->together, c->repairs, c->undone, c->kept);
	printf("%lu uprobes%s, %lu signals, %lu times a stopped job, %lu executables replaced\n",
		c->uprobed, c->no_uprobe ? " (and some that were not permitted: skipped)" : "",
		c->signals, c->job_stops, c->replaced);
	printf("kills:");
	for (size_t i = 0; i < c->kill_places; i++)
		printf("%s %s %lu", i ? "," : "", c->kills[i].name, c->kills[i].count);
	printf("\n%lu faults\n", fault_count);
}

static unsigned long number_of(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	unsigned long seed =
		number_of("STRESS_SEED", (unsigned long)getpid() ^ (unsigned long)field_now());
	long begin = field_now(), until = begin + (long)number_of("STRESS_SECONDS", 60) * 1000;
	static struct campaign c;

	if (argc != 4)
		return 99;
	if (getenv("STRESS_THREADS"))
		threads = getenv("STRESS_THREADS");
	printf("stress: STRESS_SEED=%lu, %ld s\n", seed, (until - begin) / 1000);
	fflush(stdout);
	c.storm = argv[2];
	c.folder = argv[3];
	c.dice = dice_of(seed);
	tool_init(&c.tool, argv[1], c.folder);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (field_now() < until && fault_count < STRESS_FAULTS) {
		campaign_begin(&c);
		for (int i = 0; i < STRESS_ROUNDS_A_VICTIM && field_now() < until &&
				fault_count < STRESS_FAULTS;
			i++)
			round_of(&c, seed);
		campaign_end(&c);
	}
	summary(&c, seed, field_now() - begin);
	return fault_count != 0;
}
