/*
 * The campaign: a victim that checks itself, and everything that may happen to it and to our tool,
 * at random, round after round.
 *
 *   stress TOOL VICTIM FOLDER     STRESS_SECONDS=60 STRESS_SEED=... STRESS_THREADS=64
 *                                 STRESS_KINDS="forks mounts"
 *
 * After each round: the victim runs, its figures are right and agree with its memory, its code and
 * its semaphores hold what they must, no thread of it is stopped or traced, no signal was lost or
 * came from nowhere, and of ours no process and no journal is left. The seed repeats the choices,
 * not the machine's timing. Not covered: other architectures, objects that come and go.
 */
#include "deeds.h"
#include "fault.h"
#include "kinds.h"
#include "klog.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRESS_ROUNDS_A_VICTIM 40
#define STRESS_FAULTY 20 /* rounds with faults: enough is enough */

static const char *threads = "64";

/* ------------------------------------------------------------------- victim */

static void campaign_begin(struct campaign *c)
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

static void campaign_end(struct campaign *c)
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

static void round_of(struct campaign *c, struct dice *dice, unsigned long seed)
{
	unsigned deeds = 1 + dice_roll(dice, 3);
	const char *only = getenv("STRESS_KINDS");
	unsigned long faults;

	fault_begin("STRESS_SEED=%lu STRESS_KINDS='%s', round %lu, victim %d%s", seed,
		only ? only : "", c->rounds, c->field.pid,
		c->leader_dies ? " without its leader" : "");
	truth_open_accounts(&c->truth);
	/* What follows a fault would tell of its consequences. */
	faults = fault_count;
	while (deeds-- && fault_count == faults)
		kinds_do(c, dice);
	faults = fault_count;
	inspect_helpers(&c->field);
	inspect_threads(&c->field);
	check_signals(c);
	inspect_victim(&c->truth, &c->field);
	inspect_journals(&c->tool);
	klog_check(&c->truth);
	c->kinds[c->kind].faults += fault_count - faults;
	c->rounds++;
}

/* A victim's rounds; one that something went wrong with is not trusted any more. */
static void rounds_of(struct campaign *c, struct dice *dice, unsigned long seed, long until)
{
	unsigned long faults = fault_count;

	for (int i = 0; i < STRESS_ROUNDS_A_VICTIM && field_now() < until && fault_count == faults;
		i++)
		round_of(c, dice, seed);
	if (fault_count == faults)
		return;
	c->faulty++;
	tool_keep_journals(&c->tool, c->faulty);
}

static void summary(const struct campaign *c, unsigned long seed, long ms, bool log)
{
	printf("seed %lu: %lu rounds in %ld s, %lu victims, %lu threads born\n", seed, c->rounds,
		ms / 1000, c->victims, c->born);
	kinds_print(c);
	if (!log)
		printf("skipped: what the kernel says of uprobes: its log cannot be read here\n");
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
	struct dice dice = dice_of(seed);
	static struct campaign c;
	bool log = klog_begin();
	char crowd[512], apart[512];

	if (argc != 4)
		return 99;
	if (getenv("STRESS_THREADS"))
		threads = getenv("STRESS_THREADS");
	printf("stress: STRESS_SEED=%lu, %ld s\n", seed, (until - begin) / 1000);
	fflush(stdout);
	snprintf(
		crowd, sizeof crowd, "%.*s/crowd", (int)(strrchr(argv[2], '/') - argv[2]), argv[2]);
	snprintf(apart, sizeof apart, "%.*s/../victims/apart",
		(int)(strrchr(argv[2], '/') - argv[2]), argv[2]);
	c.apart = apart;
	c.storm = argv[2];
	c.crowd = crowd;
	c.folder = argv[3];
	tool_init(&c.tool, argv[1], c.folder);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (field_now() < until && c.faulty < STRESS_FAULTY) {
		campaign_begin(&c);
		if (c.victims == 1)
			kinds_init(&c, seed);
		rounds_of(&c, &dice, seed, until);
		campaign_end(&c);
	}
	summary(&c, seed, field_now() - begin, log);
	return fault_count != 0;
}
