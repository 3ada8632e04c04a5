/*
 * Counting in a program that counts itself (tally.c): the hits agree to the last one, with 1, 4 and
 * 64 threads, with forked children, and while sites begin and cease to count; two sessions that
 * count sites of the same probes take back each their own; and a session that is killed at any of
 * its system calls leaves nothing that harms the next one.
 *
 *   counting VICTIM FOLDER SECONDS SEED
 *   counting act PID LETTERS        c count all, s with a stop; u, U uncount all; o some; r restore
 *
 * After each part the code in memory is compared with the program's file.
 */
#include "dice.h"
#include "fault.h"
#include "field.h"
#include "hits.h"
#include "inspect.h"
#include "killer.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNTING_TIMES 10000 /* on and off in one process, should there be time for it */

static char program[] = "/proc/self/exe", act_word[] = "act";
static const char *victim;
static char output[512], folder[512];
static struct dice dice;
static unsigned long compared, hits_compared, rounds, kills, switches, same_place;

/* ------------------------------------------------------------- our sessions */

static void act(struct probes_session *s, enum probes_verb verb, enum probes_by by, bool stop)
{
	if (!hits_act(s, verb, by, &dice, stop))
		fault("it was refused");
}

static int act_main(pid_t pid, const char *letters)
{
	struct probes_session *s = hits_open(pid);

	dice = dice_of((uint64_t)pid);
	for (; *letters; letters++) {
		bool count = *letters == 'c' || *letters == 's' || *letters == 'o';

		if (*letters == 'r')
			hits_restore(s);
		else
			act(s, count ? PROBES_COUNT : PROBES_UNCOUNT,
				*letters == 'o' ? PROBES_BY_PREDICATE : PROBES_BY_ALL,
				*letters == 's' || *letters == 'U' || *letters == 'o');
	}
	probes_close(s);
	return fault_count != 0;
}

/* --------------------------------------------------------- from the outside */

static unsigned arenas(const struct field *f)
{
	char path[64], line[PATH_MAX + 100];
	unsigned count = 0;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/maps", f->pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof line, maps))
		count += strstr(line, "/memfd:probes-tui") != NULL;
	if (maps)
		fclose(maps);
	return count;
}

static void check_all(struct field *f)
{
	static struct field_report r;

	inspect_threads(f);
	inspect_code(f, victim);
	inspect_descriptors(f);
	field_pause(f);
	field_report(f, &r);
	field_go(f);
	if (r.read.corrupt || r.read.twice)
		fault("wrong results: %lu, handlers ran twice: %lu", r.read.corrupt, r.read.twice);
}

/* ------------------------------------------------------------------- exact */

static void compare(struct probes_session *s, const struct field_report *before,
	const struct field_report *after)
{
	struct hits_sum sum = hits_compare(s, &before->read, &after->read, false, NULL, NULL);

	compared += sum.probes;
	hits_compared += sum.hits;
}

/* What is counted while the program rests is exact from then on; what began and ceased while it
   ran is not torn. */
static void exact_round(struct field *f, struct probes_session *s, bool forks)
{
	static struct field_report before, after;
	pid_t children[32];

	field_pause(f);
	act(s, PROBES_COUNT, dice_once_in(&dice, 2) ? PROBES_BY_ALL : PROBES_BY_PREDICATE,
		!dice_once_in(&dice, 4));
	field_report(f, &before);
	field_go(f);
	if (forks) {
		field_fork(f, 8, 200);
		field_nap(3000);
		field_calm(f, children, 32);
		field_gather(f);
	}
	field_nap(dice_roll(&dice, 3000));
	field_pause(f);
	field_report(f, &after);
	compare(s, &before, &after);
	field_go(f);
	while (dice_once_in(&dice, 3))
		act(s, dice_once_in(&dice, 2) ? PROBES_COUNT : PROBES_UNCOUNT, PROBES_BY_PREDICATE,
			dice_once_in(&dice, 2));
	hits_restore(s);
	rounds++;
}

static void exact(const char *threads, long until)
{
	struct probes_session *s;
	struct field f;
	unsigned mapped = 0;

	fault_begin("exact, %s threads", threads);
	field_start(&f, victim, threads, NULL);
	s = hits_open(f.pid);
	for (int i = 0; field_now() < until && !fault_count; i++) {
		exact_round(&f, s, i % 4 == 3);
		if (i == 20)
			mapped = arenas(&f);
		check_all(&f);
	}
	if (mapped && arenas(&f) > 2 * mapped)
		fault("%u mappings, and %u later", mapped, arenas(&f));
	probes_close(s);
	field_end(&f);
}

/* ------------------------------------------------------- thousands of times */

/* In one process, mostly without a stop; it needs no more memory than in the beginning. */
static void often(unsigned long times, long until)
{
	static struct field_report before, after;
	unsigned mapped = 0;
	struct probes_session *s;
	unsigned long i = 0;
	struct field f;

	fault_begin("on and off, again and again");
	field_start(&f, victim, "4", NULL);
	s = hits_open(f.pid);
	for (; i < times && field_now() < until && !fault_count; i++) {
		bool look = i % 500 == 499;

		if (look) {
			field_pause(&f);
			field_report(&f, &before);
		}
		act(s, PROBES_COUNT, look ? PROBES_BY_ALL : PROBES_BY_PREDICATE, i % 16 == 3);
		if (look) {
			field_go(&f);
			field_nap(2000);
			field_pause(&f);
			field_report(&f, &after);
			compare(s, &before, &after);
			field_go(&f);
		}
		if (i % 3)
			hits_restore(s);
		else
			act(s, PROBES_UNCOUNT, PROBES_BY_ALL, i % 16 == 3);
		if (i == 1000)
			mapped = arenas(&f);
	}
	if (mapped && arenas(&f) > 2 * mapped)
		fault("%u mappings, and %u later", mapped, arenas(&f));
	hits_restore(s);
	probes_close(s);
	check_all(&f);
	field_end(&f);
	switches += i;
}

/* -------------------------------------------------------- libraries that go */

/*
 * Its library is counted and unloaded, and the other one is mapped, mostly where that was: nothing
 * of the one may run in the other, and the hits of each are its own.
 */
static void unloaded(long until)
{
	static struct field_report before, after;
	uint64_t places[3] = {0};
	struct probes_session *s;
	struct field f;

	fault_begin("a library that comes and goes");
	field_start(&f, victim, "4", NULL);
	s = hits_open(f.pid);
	for (unsigned i = 0; field_now() < until && !fault_count; i++) {
		unsigned number = 1 + dice_roll(&dice, 2);
		struct probes_rescanned what;
		struct probes_error e;

		field_pause(&f);
		places[number] = field_load(&f, number);
		same_place += places[1] == places[2];
		/* One that finds the counters of an earlier one, or that has seen it come. */
		if (dice_once_in(&dice, 3)) {
			probes_close(s);
			s = hits_open(f.pid);
		}
		if (probes_rescan(s, &what, &e) < 0)
			fault("%s: %s", e.what, e.why);
		act(s, PROBES_COUNT, PROBES_BY_ALL, dice_once_in(&dice, 2));
		field_report(&f, &before);
		field_go(&f);
		field_nap(dice_roll(&dice, 3000));
		field_pause(&f);
		field_report(&f, &after);
		compare(s, &before, &after);
		if (dice_once_in(&dice, 2))
			hits_restore(s);
		field_load(&f, 0);
		field_go(&f);
		if (dice_once_in(&dice, 2) && probes_rescan(s, &what, &e) < 0)
			fault("%s: %s", e.what, e.why);
		hits_restore(s);
		check_all(&f);
		rounds++;
	}
	probes_close(s);
	field_end(&f);
}

/* ------------------------------------------------------------ two at a time */

static pid_t begin(pid_t pid, const char *letters)
{
	char text[16];
	char *argv[] = {program, act_word, text, (char *)letters, NULL};

	snprintf(text, sizeof text, "%d", pid);
	return killer_start(argv, &(struct killer_birth){0}, output);
}

static void together(long until)
{
	static const char *const words[] = {"ocUr", "coUr", "osur", "cUsr", "soUoUr"};
	struct field f;

	fault_begin("two sessions");
	field_start(&f, victim, "4", NULL);
	while (field_now() < until && !fault_count) {
		pid_t a = begin(f.pid, words[dice_roll(&dice, 5)]);
		pid_t b = begin(f.pid, words[dice_roll(&dice, 5)]);
		int status = 0, other = 0;

		waitpid(a, &status, 0);
		waitpid(b, &other, 0);
		if (status || other)
			fault("sessions ended with status %x, %x", (unsigned)status,
				(unsigned)other);
		check_all(&f);
		rounds++;
	}
	field_end(&f);
}

/* ------------------------------------------------------------------- killed */

/* Counts all, says so, and waits to be killed. */
static pid_t count_and_wait(pid_t pid)
{
	int ends[2];
	char byte;
	pid_t child;

	if (pipe(ends) < 0)
		fault_fatal("no pipe");
	child = fork();
	if (child == 0) {
		struct probes_session *s = hits_open(pid);

		act(s, PROBES_COUNT, PROBES_BY_ALL, true);
		if (fault_count || write(ends[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		fault("the session ended");
	close(ends[0]);
	return child;
}

/* The hits of one that was killed are the next one's, which ends them, or a repair does. */
static void taken_over(struct field *f)
{
	static struct field_report before, after;
	struct probes_session *s;
	pid_t one;

	fault_begin("taken over");
	field_pause(f);
	field_report(f, &before);
	one = count_and_wait(f->pid);
	field_go(f);
	field_nap(dice_roll(&dice, 3000));
	kill(one, SIGKILL);
	waitpid(one, NULL, 0);
	inspect_helpers(f);
	s = hits_open(f->pid);
	if (dice_once_in(&dice, 2))
		act(s, PROBES_COUNT, PROBES_BY_ALL, true);
	field_nap(dice_roll(&dice, 2000));
	field_pause(f);
	field_report(f, &after);
	compare(s, &before, &after);
	field_go(f);
	if (dice_once_in(&dice, 2))
		act(s, PROBES_UNCOUNT, PROBES_BY_ALL, dice_once_in(&dice, 2));
	hits_restore(s);
	probes_close(s);
	hits_repair(f->pid);
	check_all(f);
	kills++;
	rounds++;
}

/* Killed, another one counts and takes back, then a repair; or the repair first. */
static bool strike(struct field *f, const char *letters, struct killer *k)
{
	char text[16];
	char *argv[] = {program, act_word, text, (char *)letters, NULL};
	struct killer_end end;
	int status;

	fault_begin("%s, killed at call %lu%s", letters, k->number,
		k->way == KILLER_HELPER ? " of a helper" : "");
	snprintf(text, sizeof text, "%d", f->pid);
	end = killer_run(argv, &(struct killer_birth){0}, k, output);
	inspect_helpers(f);
	inspect_arenas(f);
	if (dice_once_in(&dice, 2)) {
		fault_doing("then counted by the next one");
		waitpid(begin(f->pid, "sr"), &status, 0);
		if (status)
			fault("the next session ended with status %x", (unsigned)status);
	}
	fault_doing("then repaired");
	hits_repair(f->pid);
	check_all(f);
	kills += end.killed;
	return end.killed;
}

/* All calls in an order that covers them evenly. */
static void killed(long until)
{
	static const char *const words[] = {"cr", "sr", "scUr", "oosr"};
	unsigned long last[4] = {600, 600, 900, 900}, number[4] = {0};
	struct field f;

	field_start(&f, victim, "4", NULL);
	for (unsigned i = 0; field_now() < until && !fault_count; i++) {
		unsigned which = i % 4;
		struct killer k = {.way = i / 4 % 3 == 2 ? KILLER_HELPER : KILLER_CALL};

		number[which] = (number[which] + last[which] * 382 / 1000 + 1) % last[which];
		k.number = 1 + number[which];
		if (!strike(&f, words[which], &k) && k.way == KILLER_CALL)
			last[which] = last[which] * 9 / 10 > 50 ? last[which] * 9 / 10 : 50;
		if (i % 8 == 7)
			taken_over(&f);
		/* A new one now and then: one that has no arena yet. */
		if (i % 16 == 15) {
			field_end(&f);
			field_start(&f, victim, i % 32 == 31 ? "64" : "4", NULL);
		}
	}
	field_end(&f);
}

int main(int argc, char **argv)
{
	static const char *const threads[] = {"1", "4", "64"};
	long seconds;

	if (argc == 4 && !strcmp(argv[1], "act"))
		return act_main(atoi(argv[2]), argv[3]);
	if (argc != 5)
		return 99;
	victim = argv[1];
	snprintf(output, sizeof output, "%s/output", argv[2]);
	snprintf(folder, sizeof folder, "%s/probes-tui", argv[2]);
	setenv("PROBES_TUI_RECORDS", folder, 1);
	seconds = atol(argv[3]);
	dice = dice_of(strtoul(argv[4], NULL, 10));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 0; i < 3; i++)
		exact(threads[i], field_now() + seconds * 1000 / 6);
	together(field_now() + seconds * 1000 / 6);
	unloaded(field_now() + seconds * 1000 / 6);
	often(COUNTING_TIMES, field_now() + seconds * 1000 / 3);
	killed(field_now() + seconds * 1000 / 3);
	printf("seed %s: %lu rounds, %lu kills, %lu times on and off, %lu libraries at the place "
	       "of "
	       "another; %lu sums agreed, of %lu hits; %lu faults\n",
		argv[4], rounds, kills, switches, same_place, compared, hits_compared, fault_count);
	return fault_count != 0;
}
