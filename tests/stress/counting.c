/*
 * Counting in a program that counts itself (tally.c): the hits agree to the last one, with 1, 4 and
 * 64 threads, with children by fork, and while sites begin and cease to count; two sessions that
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
#include "inspect.h"
#include "killer.h"
#include "probes.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char program[] = "/proc/self/exe", act_word[] = "act";
static const char *victim;
static char output[512], folder[512];
static struct dice dice;
static unsigned long compared, hits_compared, rounds, kills, sessions;

/* ------------------------------------------------------------- our sessions */

static bool by_chance(void *data, const struct probes_session *s, size_t probe)
{
	(void)data;
	(void)s;
	(void)probe;
	return dice_once_in(&dice, 2);
}

static struct probes_session *open_session(pid_t pid)
{
	struct probes_session *s;
	struct probes_error e;

	if (probes_open_pid(pid, NULL, &s, &e) < 0 || probes_refresh(s, NULL, 0, &e) < 0)
		fault_fatal("%s: %s", e.what, e.why);
	sessions++;
	return s;
}

static void act(struct probes_session *s, enum probes_verb verb, enum probes_by by, bool stop)
{
	struct probes_action a = {.verb = verb, .by = by, .predicate = by_chance};
	struct probes_switch_options o = {.atomically = stop, .max_stop_ms = 20000};
	struct probes_result *r;
	struct probes_error e;

	if (probes_switch(s, &a, 1, &o, &r, &e) < 0)
		fault("%s: %s", e.what, e.why);
	probes_result_free(r);
}

static void restore(struct probes_session *s)
{
	struct probes_result *r;
	struct probes_error e;

	if (probes_restore(s, &r, &e) < 0)
		fault("%s: %s", e.what, e.why);
	else if (r && r->not_done)
		fault("%zu probes were not restored: %s", r->not_done, r->items[0].why);
	probes_result_free(r);
}

static void repair(pid_t pid)
{
	struct probes_session *s = open_session(pid);
	struct probes_result *r;
	struct probes_error e;

	if (probes_repair(s, &r, &e) < 0)
		fault("%s: %s", e.what, e.why);
	for (size_t i = 0; r && i < r->item_count; i++)
		if (r->items[i].outcome == PROBES_NOT_DONE)
			fault("not repaired: %s", r->items[i].why);
	probes_result_free(r);
	probes_close(s);
}

static int act_main(pid_t pid, const char *letters)
{
	struct probes_session *s = open_session(pid);

	dice = dice_of((uint64_t)pid);
	for (; *letters; letters++) {
		bool count = *letters == 'c' || *letters == 's' || *letters == 'o';

		if (*letters == 'r')
			restore(s);
		else
			act(s, count ? PROBES_COUNT : PROBES_UNCOUNT,
				*letters == 'o' ? PROBES_BY_PREDICATE : PROBES_BY_ALL,
				*letters == 's' || *letters == 'U' || *letters == 'o');
	}
	probes_close(s);
	return fault_count != 0;
}

/* --------------------------------------------------------- from the outside */

/* The executable mappings of the program's own file, against that. */
static void check_code(const struct field *f)
{
	char path[64], line[PATH_MAX + 100], real[PATH_MAX];
	unsigned char memory[4096], wanted[4096];
	int file = open(victim, O_RDONLY | O_CLOEXEC), mappings = 0, name;
	unsigned long start, end, offset;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/maps", f->pid);
	maps = fopen(path, "re");
	if (!maps || file < 0 || !realpath(victim, real))
		fault_fatal("cannot read %s", path);
	while (fgets(line, sizeof line, maps)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%lx-%lx %*2sxp %lx %*s %*s %n", &start, &end, &offset, &name) !=
				3 ||
			strcmp(line + name, real) != 0)
			continue;
		mappings++;
		for (; start < end; start += sizeof memory, offset += sizeof memory) {
			ssize_t size = pread(file, wanted, sizeof wanted, (off_t)offset);

			if (!field_peek(f, start, memory, sizeof memory))
				fault("the code at %lx cannot be read", start);
			for (ssize_t i = 0; i < size; i++)
				if (memory[i] != wanted[i])
					fault("the code at %lx is %02x, in the file %02x",
						offset + (unsigned long)i, memory[i], wanted[i]);
		}
	}
	if (!mappings)
		fault("%s is not mapped in process %d", real, f->pid);
	fclose(maps);
	close(file);
}

/* How many descriptors of windows it has open. */
static unsigned descriptors(const struct field *f)
{
	char path[64], text[64];
	struct dirent *entry;
	unsigned count = 0;
	DIR *list;

	snprintf(path, sizeof path, "/proc/%d/fd", f->pid);
	list = opendir(path);
	while (list && (entry = readdir(list))) {
		ssize_t length = readlinkat(dirfd(list), entry->d_name, text, sizeof text);

		count += length > 18 && !memcmp(text, "/memfd:probes-tui", 17);
	}
	if (list)
		closedir(list);
	return count;
}

static unsigned windows(const struct field *f)
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
	check_code(f);
	if (descriptors(f))
		fault("%u descriptors of windows are open in it", descriptors(f));
	field_pause(f);
	field_report(f, &r);
	field_go(f);
	if (r.read.corrupt || r.read.twice)
		fault("wrong results: %lu, handlers ran twice: %lu", r.read.corrupt, r.read.twice);
}

/* ------------------------------------------------------------------- exact */

static void compare(
	struct probes_session *s, const struct storm_table *before, const struct storm_table *after)
{
	struct probes_error e;

	if (probes_refresh(s, NULL, 0, &e) < 0 || probes_read_hits(s, &e) < 0)
		fault_fatal("%s: %s", e.what, e.why);
	for (size_t i = 0; i < probes_count(s); i++) {
		struct probes_hits h = probes_hits(s, i);
		const char *name = probes_at(s, i)->name;
		unsigned k = 0;

		if (h.counted < probes_at(s, i)->site_count)
			continue;
		while (k < after->count && strcmp(after->places[k].name, name) != 0)
			k++;
		if (k == after->count)
			continue;
		compared++;
		hits_compared += h.hits;
		if (h.hits != after->places[k].pass - before->places[k].pass)
			fault("%s: %lu hits, it was passed %lu times", name, h.hits,
				after->places[k].pass - before->places[k].pass);
	}
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
	compare(s, &before.read, &after.read);
	field_go(f);
	while (dice_once_in(&dice, 3))
		act(s, dice_once_in(&dice, 2) ? PROBES_COUNT : PROBES_UNCOUNT, PROBES_BY_PREDICATE,
			dice_once_in(&dice, 2));
	restore(s);
	rounds++;
}

static void exact(const char *threads, long until)
{
	struct probes_session *s;
	struct field f;
	unsigned mapped = 0;

	fault_begin("exact, %s threads", threads);
	field_start(&f, victim, threads, NULL);
	s = open_session(f.pid);
	for (int i = 0; field_now() < until && !fault_count; i++) {
		exact_round(&f, s, i % 4 == 3);
		if (i == 20)
			mapped = windows(&f);
		check_all(&f);
	}
	if (mapped && windows(&f) > 2 * mapped)
		fault("%u mappings, and %u later", mapped, windows(&f));
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
	static const char *const words[] = {"ocUr", "coUr", "osur", "cUsr",
		"soUo"
		"Ur"};
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
	if (dice_once_in(&dice, 2)) {
		fault_doing("then counted by the next one");
		waitpid(begin(f->pid, "sr"), &status, 0);
		if (status)
			fault("the next session ended with status %x", (unsigned)status);
	}
	fault_doing("then repaired");
	repair(f->pid);
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
		/* A new one now and then: one that has no window yet. */
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
	killed(field_now() + seconds * 1000 / 3);
	printf("seed %s: %lu rounds, %lu kills, %lu sessions; %lu sums agreed, of %lu hits; "
	       "%lu faults\n",
		argv[4], rounds, kills, sessions, compared, hits_compared, fault_count);
	return fault_count != 0;
}
