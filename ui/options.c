/*
 * The command line: how a call is read, by the tables.
 *
 * Owns what may be said in one call and what may not. Opens nothing, prints
 * nothing: a wrong call is an error for the caller to report.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/options.h"
#include "ui/report.h"

#define TO "usage: probes-tui "

const struct verb_row *options_verb(enum verb verb)
{
	for (size_t i = 0; i < verbs_table_count; i++)
		if (verbs_table[i].verb == verb)
			return &verbs_table[i];
	return verbs_table;
}

struct probes_switch_options options_switch(const struct options *o)
{
	return (struct probes_switch_options){
		.provider = o->provider,
		.object = o->object,
		.force = o->force,
		.dry_run = o->dry_run,
		.atomically = o->stop,
		.max_stop_ms = o->max_stop_ms,
	};
}

bool options_many(const struct options *o)
{
	return o->pid_count > 1 || o->tree || o->comm;
}

/* A wrong call: the hint is how the verb is called. */
static int misused(
	struct probes_error *e, const struct options *o, const char *what, const char *why)
{
	const struct verb_row *verb = options_verb(o->verb);
	char hint[256] = TO;

	strncat(hint, verb->usage, sizeof hint - sizeof TO);
	return report_set(e, PROBES_USAGE, -EINVAL, what, hint, "%s", why);
}

/* -------------------------------------------------------------- one by one */

static bool is_named(const struct option_row *row, const char *name, size_t length)
{
	const char *names[] = {row->name, row->alias[0], row->alias[1]};

	for (size_t i = 0; i < 3; i++)
		if (names[i] && strlen(names[i]) == length && !memcmp(names[i], name, length))
			return true;
	return false;
}

static const struct option_row *find(const char *name, size_t length)
{
	for (size_t i = 0; i < options_table_count; i++)
		if (is_named(&options_table[i], name, length))
			return &options_table[i];
	return NULL;
}

/* Put a value where its row says. NULL for an option that takes none. */
static int store(
	struct options *o, const struct option_row *row, const char *value, struct probes_error *e)
{
	char *field = (char *)o + row->offset;

	if (value && !*value)
		return report_bad_value(e, row->name, value, "is empty", "");
	if (row->take)
		return row->take(o, row, value, e);
	if (!value) {
		*(bool *)field = true;
		return 0;
	}
	if (*(const char **)field)
		return report_bad_value(
			e, row->name, value, "is a second value", "give the option once");
	*(const char **)field = value;
	return 0;
}

/* A flag that the config file may set can be taken back: -mouse=no. */
static bool is_flag_value(const struct option_row *row, const char *value)
{
	return row->verbs & VERB_SETTING && (!strcmp(value, "yes") || !strcmp(value, "no"));
}

static int store_flag(struct options *o, const struct option_row *row, const char *value)
{
	*(bool *)((char *)o + row->offset) = value[0] == 'y';
	return 0;
}

int options_set(struct options *o, const char *name, const char *value, struct probes_error *e)
{
	const struct option_row *row = find(name, strlen(name));

	if (!row || !(row->verbs & VERB_SETTING))
		return report_set(e, PROBES_USAGE, -EINVAL, name, "", "no such setting");
	if (!row->argument && !is_flag_value(row, value))
		return report_set(e, PROBES_USAGE, -EINVAL, name, "", "is neither yes nor no");
	if (o->given & UINT64_C(1) << (row - options_table) || !(row->verbs & o->verb))
		return 0;
	return row->argument ? store(o, row, value, e) : store_flag(o, row, value);
}

/* Read the option at argv[*at], and its value; *at is left at the last word it took. */
static int read_option(struct options *o, int argc, char **argv, int *at, struct probes_error *e)
{
	const char *word = argv[*at];
	const char *name = word + (word[0] == '-' && word[1] == '-' ? 2 : 1);
	const char *value = strchr(name, '=');
	const struct option_row *row = find(name, value ? (size_t)(value - name) : strlen(name));

	if (word[0] != '-' || !word[1])
		return misused(e, o, word, "is no option");
	if (!row)
		return misused(e, o, word, "no such option");
	if (!(row->verbs & o->verb))
		return misused(e, o, word,
			o->verb == VERB_SCREEN ? "is no option of the screen"
					       : "is no option of this verb");
	o->given |= UINT64_C(1) << (row - options_table);
	if (value && !row->argument)
		return is_flag_value(row, value + 1)
			       ? store_flag(o, row, value + 1)
			       : misused(e, o, word, "the option takes no value");
	if (value)
		return store(o, row, value + 1, e);
	if (row->argument && ++*at >= argc)
		return misused(e, o, word, "a value is missing");
	return store(o, row, row->argument ? argv[*at] : NULL, e);
}

/* --------------------------------------------------------------- the whole */

static int check_target(const struct options *o, struct probes_error *e)
{
	int given = !!o->pid_count + !!o->tree + !!o->comm + !!o->prog;
	const char *what = options_verb(o->verb)->name;

	if (!*what)
		what = "cannot open the screen";
	if (given == 1 || (!given && o->verb == VERB_SCREEN))
		return 0;
	if (given)
		return misused(e, o, what, "give one of -pid, -tree, -comm and -prog");
	return misused(e, o, what,
		o->verb == VERB_TRACE ? "no program is named"
		: o->verb & (VERB_SCREEN | VERB_LIST | VERB_TRACE)
			? "no process or program is named"
			: "no process is named");
}

static int check_actions(const struct options *o, struct probes_error *e)
{
	const char *what = options_verb(o->verb)->name;

	if (!o->actions.count && o->verb & (VERB_ATTACH | VERB_TRACE))
		return misused(e, o, what, "no action is given (-enable, -disable-all, ...)");
	if (o->actions.count && o->verb == VERB_SCREEN && !o->prog)
		return report_set(e, PROBES_USAGE, -EINVAL, "cannot open the screen",
			"switch on the screen, or call probes-tui attach",
			"actions are only for a program that is started (-prog)");
	return actions_check(&o->actions, e);
}

static int check(const struct options *o, struct probes_error *e)
{
	int r = check_target(o, e);

	if (!r)
		r = check_actions(o, e);
	if (!r && *o->args && !(o->prog && o->verb & (VERB_SCREEN | VERB_TRACE)))
		r = misused(e, o, o->args[0], "no program is started that could take it");
	if (!r && o->hold && !o->prog)
		r = misused(e, o, "-hold", "no program is started that could be held");
	if (!r && o->end_program && !o->prog)
		r = misused(e, o, "-end-program", "no program is started that could be ended");
	if (!r && o->max_stop_ms && !o->stop)
		r = misused(e, o, "-max-stop", "nothing is stopped without -stop");
	return r;
}

/* The verb, if the first word is one; *at is where the options begin. */
static int read_verb(struct options *o, int argc, char **argv, int *at, struct probes_error *e)
{
	*at = 1;
	o->verb = VERB_SCREEN;
	if (argc < 2 || argv[1][0] == '-')
		return 0;
	for (size_t i = 1; i < verbs_table_count; i++)
		if (!strcmp(argv[1], verbs_table[i].name)) {
			o->verb = verbs_table[i].verb;
			*at = 2;
			return 0;
		}
	return report_set(e, PROBES_USAGE, -EINVAL, argv[1],
		"give list, info, attach, trace, repair, or none for the screen", "no such verb");
}

int options_parse(int argc, char **argv, struct options *o, struct probes_error *e)
{
	int at, r;

	*o = (struct options){.args = argv + argc};
	r = read_verb(o, argc, argv, &at, e);
	for (; !r && at < argc; at++) {
		if (!strcmp(argv[at], "--")) {
			o->args = argv + at + 1;
			break;
		}
		r = read_option(o, argc, argv, &at, e);
		if (o->help || o->version)
			return r;
	}
	return r ? r : check(o, e);
}

void options_done(struct options *o)
{
	free(o->pids);
	o->pids = NULL;
	o->pid_count = 0;
	free(o->config);
	o->config = NULL;
	actions_done(&o->actions);
}
