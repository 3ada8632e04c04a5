/* Opens nothing and prints nothing: the caller reports the error. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/options/options.h"
#include "ui/words/report.h"
#include "ui/words/values.h"

#define OPTIONS_LAUNCHER_MS 10000
#define OPTIONS_MAX_OVERHEAD 5

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
		.kernel = o->kernel,
		.max_stop_ms = o->max_stop_ms,
	};
}

bool options_search(const struct options *o)
{
	return o->tree || o->comm;
}

bool options_many(const struct options *o)
{
	return o->pid_count > 1 || options_search(o);
}

char **options_program(const struct options *o)
{
	size_t count = 0;
	char **argv;

	while (o->args[count])
		count++;
	argv = calloc(count + 2, sizeof *argv);
	if (!argv)
		return NULL;
	argv[0] = (char *)o->prog;
	memcpy(argv + 1, o->args, count * sizeof *argv);
	return argv;
}

/* A usage error; the hint is the verb's usage line. */
static int misused(
	struct probes_error *e, const struct options *o, const char *what, const char *why)
{
	const struct verb_row *verb = options_verb(o->verb);
	char hint[256];

	snprintf(hint, sizeof hint, "usage: probes-tui %s", verb->usage);
	return report_set(e, PROBES_USAGE, -EINVAL, what, hint, "%s", why);
}

/* -------------------------------------------------------------- one option */

/* The option of this verb; else any of this name; NULL: there is none. */
static const struct option_row *find(const char *name, size_t length, unsigned verb)
{
	const struct option_row *found = NULL;

	for (size_t i = 0; i < options_table_count; i++) {
		const struct option_row *row = &options_table[i];
		const char *names[] = {row->name, row->alias[0], row->alias[1]};

		for (size_t j = 0; j < 3; j++)
			if (names[j] && strlen(names[j]) == length &&
				!memcmp(names[j], name, length) && (!found || row->verbs & verb))
				found = row;
	}
	return found;
}

/* Flags that are settings take yes or no: -mouse=no overrides the configuration file. */
static bool is_flag_value(const struct option_row *row, const char *value)
{
	return row->verbs & VERB_SETTING && (!strcmp(value, "yes") || !strcmp(value, "no"));
}

/* Store a value in the field of its row. A flag has NULL or what is_flag_value accepts. */
static int store(
	struct options *o, const struct option_row *row, const char *value, struct probes_error *e)
{
	char *field = (char *)o + row->offset;

	if (value && !*value)
		return report_bad_value(e, row->name, value, "is empty", "");
	if (row->take)
		return row->take(&(struct option_value){o, row, value, e});
	if (!row->argument) {
		*(bool *)field = !value || value[0] == 'y';
		return 0;
	}
	if (*(const char **)field)
		return report_bad_value(
			e, row->name, value, "is a second value", "give the option once");
	*(const char **)field = value;
	return 0;
}

/* Does a setting of the configuration file count? */
static bool applies(const struct options *o, const struct option_row *row)
{
	return row->verbs & o->verb && !(o->given & UINT64_C(1) << (row - options_table));
}

int options_set(struct options *o, const char *name, const char *value, struct probes_error *e)
{
	const struct option_row *row = find(name, strlen(name), VERB_SETTING);
	struct options unused = {.verb = o->verb};

	if (!row || !(row->verbs & VERB_SETTING))
		return report_set(e, PROBES_USAGE, -EINVAL, name, "", "no such setting");
	if (!row->argument && !is_flag_value(row, value))
		return report_set(e, PROBES_USAGE, -EINVAL, name, "", "is neither yes nor no");
	return store(applies(o, row) ? o : &unused, row, value, e);
}

bool options_forbid(struct options *o)
{
	bool forbids = applies(o, find("read-only", 9, VERB_SETTING));

	o->read_only = o->read_only || forbids;
	return forbids;
}

/* Parse the option at argv[*at] and its value; advances *at to the last word consumed. */
static int read_option(struct options *o, int argc, char **argv, int *at, struct probes_error *e)
{
	const char *word = argv[*at];
	const char *name = word + (word[0] == '-' && word[1] == '-' ? 2 : 1);
	const char *value = strchr(name, '=');
	const struct option_row *row =
		find(name, value ? (size_t)(value - name) : strlen(name), o->verb);

	if (word[0] != '-' && o->verb == VERB_LATENCY)
		return actions_add(&o->actions, NULL, PROBES_COUNT, PROBES_BY_PAIR, word, e);
	if (word[0] != '-' && o->verb == VERB_HISTOGRAM && o->actions.count && !o->argument)
		return values_argument(word, PROBES_EVENT_ARGUMENTS, &o->argument)
			       ? 0
			       : misused(e, o, word, "not an argument; name one, such as arg1");
	if (word[0] != '-' && o->verb == VERB_REPLAY && !o->recording) {
		o->recording = word;
		return 0;
	}
	if (word[0] != '-' &&
		o->verb & (VERB_COUNT | VERB_EVENTS | VERB_HISTOGRAM | VERB_CALLERS | VERB_REPLAY))
		return actions_add(&o->actions, NULL, PROBES_COUNT, PROBES_BY_NAME, word, e);
	if (word[0] != '-' || !word[1])
		return misused(e, o, word, "is not an option");
	if (!row)
		return misused(e, o, word, "no such option");
	if (!(row->verbs & o->verb))
		return misused(e, o, word,
			o->verb == VERB_SCREEN ? "is not an option of the screen"
					       : "is not an option of this verb");
	o->given |= UINT64_C(1) << (row - options_table);
	if (value && !row->argument && !is_flag_value(row, value + 1))
		return misused(e, o, word, "the option takes no value");
	if (value)
		return store(o, row, value + 1, e);
	if (row->argument && ++*at >= argc)
		return misused(e, o, word, "a value is missing");
	return store(o, row, row->argument ? argv[*at] : NULL, e);
}

/* --------------------------------------------------------------- one call */

/* The rules that involve more than one option. */
static int check(const struct options *o, struct probes_error *e)
{
	int targets = !!o->pid_count + !!o->tree + !!o->comm + !!o->prog;
	const char *verb = options_verb(o->verb)->name;
	const char *what = *verb ? verb : "cannot open the screen";

	if (targets > 1)
		return misused(e, o, what, "give one of -pid, -tree, -comm and -prog");
	if (!o->recording && o->verb == VERB_REPLAY)
		return misused(e, o, what, "no recording is named");
	if (!targets && !(o->verb & (VERB_SCREEN | VERB_REPLAY)))
		return misused(e, o, what,
			o->verb == VERB_TRACE ? "no program is named"
			: find("prog", 4, o->verb)->verbs & o->verb
				? "no process or program is named"
				: "no process is named");
	if (!o->actions.count && o->verb == VERB_ATTACH)
		return misused(
			e, o, what, "no action is given; -enable-all switches every probe on");
	if (o->actions.count != 1 && o->verb == VERB_LATENCY)
		return misused(e, o, what, "give one pair: START,END");
	if (!o->actions.count && o->verb & (VERB_EVENTS | VERB_CALLERS))
		return misused(e, o, what, "no probe is named; -all means every probe");
	if (o->verb == VERB_HISTOGRAM && (o->actions.count != 1 || !o->argument))
		return misused(e, o, what, "give one probe and one of its arguments: PROBE argN");
	if (o->verb == VERB_HISTOGRAM && o->texts & ~(1u << (o->argument - 1)))
		return misused(e, o, "-str", "only the argument that is named is read");
	if (o->callers && o->format == FORMAT_CHROME)
		return misused(e, o, "-callers", "events for chrome have no callers");
	if (o->verb == VERB_REPLAY && !!o->pair.count + !!o->argument + o->callers > 1)
		return misused(e, o, what, "give one of -latency, -histogram and -callers");
	if (o->verb == VERB_REPLAY && o->argument &&
		(o->actions.count != 1 || o->actions.items[0].by != PROBES_BY_NAME))
		return misused(e, o, "-histogram", "name one probe");
	if (o->verb == VERB_REPLAY && o->by && !o->pair.count)
		return misused(e, o, "-by", "it matches the two probes of -latency");
	if (o->verb == VERB_REPLAY && o->actions.count && o->pair.count)
		return misused(e, o, "-latency", "it names its probes itself");
	if (o->actions.count && o->verb == VERB_SCREEN && !o->prog)
		return report_set(e, PROBES_USAGE, -EINVAL, what,
			"switch on the screen, or call probes-tui attach",
			"actions are only for a program that is started (-prog)");
	if (actions_check(&o->actions, e) < 0)
		return -EINVAL;
	if (*o->args && !(o->prog && o->verb & (VERB_SCREEN | VERB_TRACE | VERB_MEASURE)))
		return misused(e, o, o->args[0], "no program is started that could take it");
	if (o->hold && !o->prog)
		return misused(e, o, "-hold", "no program is started that could be held");
	if (o->end_program && !o->prog)
		return misused(e, o, "-end-program", "no program is started that could be ended");
	if (o->max_stop_ms && !o->stop)
		return misused(e, o, "-max-stop", "nothing is stopped without -stop");
	return 0;
}

/* The verb at argv[1], and where its options begin; 1: there is no verb. */
static int read_verb(int argc, char **argv, struct options *o)
{
	for (size_t i = 1; argc > 1 && i < verbs_table_count; i++)
		if (!strcmp(argv[1], verbs_table[i].name)) {
			o->verb = verbs_table[i].verb;
			return 2;
		}
	return 1;
}

int options_parse(int argc, char **argv, struct options *o, struct probes_error *e)
{
	int at = 1, r = 0;

	*o = (struct options){
		.verb = VERB_SCREEN,
		.args = argv + argc,
		.launcher_ms = OPTIONS_LAUNCHER_MS,
		.max_overhead = OPTIONS_MAX_OVERHEAD,
	};
	if (argc > 1 && argv[1][0] != '-') {
		at = read_verb(argc, argv, o);
		if (at == 1)
			return report_set(e, PROBES_USAGE, -EINVAL, argv[1],
				"give list, info, attach, trace, count, latency, events, "
				"histogram, callers, questions, replay, repair, or none for the "
				"screen",
				"no such verb");
	}
	for (; !r && at < argc; at++) {
		if (!strcmp(argv[at], "--")) {
			o->args = argv + at + 1;
			break;
		}
		r = read_option(o, argc, argv, &at, e);
		if (o->help || o->version)
			return r;
	}
	/* ocaml-probes does the same. */
	if (!r && o->verb == VERB_TRACE && !o->actions.count)
		r = actions_add(&o->actions, "enable-all", PROBES_ENABLE, PROBES_BY_ALL, NULL, e);
	if (!r && o->verb == VERB_COUNT && !o->actions.count)
		r = actions_add(&o->actions, "all", PROBES_COUNT, PROBES_BY_ALL, NULL, e);
	return r ? r : check(o, e);
}

const struct option_row *options_unfinished(
	int argc, char **argv, struct options *o, const char **value, bool *ended)
{
	const struct option_row *row;
	struct probes_error e;
	int at;

	*o = (struct options){.verb = VERB_SCREEN, .args = argv + argc};
	*ended = false;
	*value = argv[argc - 1];
	/* The last word is no verb yet. */
	for (at = read_verb(argc - 1, argv, o); at < argc - 1; at++) {
		const char *name = argv[at] + strspn(argv[at], "-");
		size_t length = strcspn(name, "=");

		*ended = !strcmp(argv[at], "--");
		if (*ended)
			return NULL;
		row = name == argv[at] ? NULL : find(name, length, o->verb);
		if (row && row->argument && !name[length] && at + 1 == argc - 1)
			return row;
		if ((row || o->verb & (VERB_MEASURE | VERB_REPLAY)) &&
			read_option(o, argc, argv, &at, &e) < 0)
			continue;
	}
	if (**value != '-' || !strchr(*value, '='))
		return NULL;
	row = find(
		*value + strspn(*value, "-"), strcspn(*value, "=") - strspn(*value, "-"), o->verb);
	if (row)
		*value = strchr(*value, '=') + 1;
	return row && row->argument ? row : NULL;
}

void options_done(struct options *o)
{
	free(o->pids);
	o->pids = NULL;
	o->pid_count = 0;
	free(o->config);
	o->config = NULL;
	actions_done(&o->actions);
	actions_done(&o->pair);
}
