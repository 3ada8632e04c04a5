/*
 * A tool that may open next to no files: whatever it does, nothing is half changed; what it says is
 * true; and the record of one of us who lives stays where it is, whoever looks at it.
 */
#include "deeds.h"
#include "fault.h"
#include "kinds.h"
#include "probes.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SHORTAGE_LEAST 3
#define SHORTAGE_MOST 40
#define SHORTAGE_ENOUGH 32 /* for one process: who has them has no reason to fail */
#define SHORTAGE_RECORDS 8

/* The names of the records that lie there. */
struct records {
	char names[SHORTAGE_RECORDS][256];
	size_t count;
};

static void records_read(const struct tool *t, struct records *r)
{
	DIR *list = opendir(t->journals);
	struct dirent *entry;

	r->count = 0;
	while (list && (entry = readdir(list)))
		if (entry->d_name[0] != '.' && r->count < SHORTAGE_RECORDS)
			snprintf(r->names[r->count++], sizeof r->names[0], "%s", entry->d_name);
	if (list)
		closedir(list);
}

static bool records_hold(const struct records *r, const char *name)
{
	for (size_t i = 0; i < r->count; i++)
		if (!strcmp(r->names[i], name))
			return true;
	return false;
}

/* The victim lives, and we may trace it: a tool that cannot look must not say otherwise. */
static void check_words(const struct campaign *c, const char *words, long mark)
{
	static const char *const lies[] = {"has ended", "may have ended", "has gone",
		"not permitted", "no such process", "nothing to repair", "no probes",
		"without probes", "unknown probe", "Bad file descriptor"};

	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
		if (tool_said(&c->tool, mark, lies[i]))
			fault("%s: with few files it says '%s'", words, lies[i]);
}

/* One call with few files, which with enough would end with `wanted`; its exit status. */
static int run_short(struct campaign *c, const char *words, int wanted)
{
	unsigned files = SHORTAGE_LEAST + dice_roll(c->dice, SHORTAGE_MOST - SHORTAGE_LEAST + 1);
	long mark = tool_mark(&c->tool);
	struct killer_end end;
	int code;

	fault_doing("  with %u files: %s", files, words);
	c->tool.birth.files = files;
	end = tool_run(&c->tool, words, NULL);
	c->tool.birth.files = 0;
	code = WIFEXITED(end.status) ? WEXITSTATUS(end.status) : -1;
	if (code < 0 || (code != wanted && files >= SHORTAGE_ENOUGH))
		fault("%s: with %u files it ended with status %x", words, files,
			(unsigned)end.status);
	/* 127: its own libraries could not be opened. */
	if (code != 0 && code != 127)
		check_words(c, words, mark);
	kinds_count(c, code == 0 ? "done all the same" : "failed", 1);
	return code;
}

/* Is it so now? Nothing between is allowed, and without a kill nothing need be repaired. */
static void check_counts(
	struct campaign *c, const char *words, const truth_counts wanted, const char *which)
{
	truth_counts now;

	truth_read(&c->truth, &c->field, now);
	for (size_t i = 0; i < c->truth.count; i++)
		if (now[i] != wanted[i])
			fault("%s: %s, and the count of %s is %u, not %u", words, which,
				c->truth.probes[i].name, now[i], wanted[i]);
}

/* What is not all that was asked has the status of a failure, and is done. */
static bool is_done(const struct campaign *c, const truth_counts after)
{
	truth_counts now;

	truth_read(&c->truth, &c->field, now);
	return truth_equal(&c->truth, now, after);
}

/* Switching: whole or not at all. */
static void short_switch(struct campaign *c)
{
	truth_counts before;
	struct deed_call call;
	bool term;
	int code;

	truth_get(&c->truth, before);
	deed_choose(c, &call);
	term = dice_once_in(c->dice, 2);
	if (term)
		deed_add(&call, " -for 1ms");
	code = run_short(c, call.words, call.partly ? PROBES_FAILED : 0);
	if (tool_journals(&c->tool)) {
		fault_doing("  repair");
		tool_must(&c->tool, "repair");
		kinds_count(c, "repaired", 1);
		check_counts(c, call.words, before, "it was repaired");
	} else if (term || (code != 0 && !(call.partly && is_done(c, call.after)))) {
		check_counts(c, call.words, before, code ? "it failed" : "its term is over");
	} else {
		check_counts(c, call.words, call.after, "it is done");
		truth_set(&c->truth, call.after);
	}
}

/* Looking, or repairing, while somebody holds: what is on record of him stays. */
static void short_look(struct campaign *c)
{
	static const char *const looks[] = {"list", "info", "repair", "attach -enable a0 -dry-run"};
	struct records before, after;
	struct deed_call call;
	truth_counts held;
	pid_t holder;

	truth_get(&c->truth, held);
	deed_choose(c, &call);
	if (truth_equal(&c->truth, held, call.after))
		return; /* who switches nothing holds nothing */
	deed_add(&call, " -for 1h");
	holder = tool_start(&c->tool, call.words);
	if (call.partly || !deed_wait(c, holder, call.after)) {
		kill(holder, SIGKILL);
		waitpid(holder, NULL, 0);
		deed_repair(c, held, held);
		return;
	}
	records_read(&c->tool, &before);
	for (unsigned n = 1 + dice_roll(c->dice, 3); n; n--)
		run_short(c, looks[dice_roll(c->dice, 4)], 0);
	records_read(&c->tool, &after);
	for (size_t i = 0; i < before.count; i++)
		if (!records_hold(&after, before.names[i]))
			fault("the record %s of process %d, which lives, is gone", before.names[i],
				holder);
	check_counts(c, "looking", call.after, "nothing was switched");
	fault_doing("  the holder is killed");
	kill(holder, SIGKILL);
	waitpid(holder, NULL, 0);
	if (dice_once_in(c->dice, 2)) {
		int code = run_short(c, "repair", 0);

		if (!tool_journals(&c->tool))
			check_counts(c, "repair", held, "its record is gone");
		else if (code == 0)
			fault("repair: with few files it ends well, and the record is still there");
	}
	deed_repair(c, held, held);
}

void deed_shortage(struct campaign *c)
{
	if (dice_once_in(c->dice, 2))
		short_switch(c);
	else
		short_look(c);
}
