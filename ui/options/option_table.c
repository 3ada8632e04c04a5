/* The tables of verbs and options, and the parsers of option values. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/options/columns.h"
#include "ui/options/options.h"
#include "ui/words/report.h"
#include "ui/words/values.h"

/* ------------------------------------------------------------------- values */

static int bad(const struct option_value *v, const char *why, const char *hint)
{
	return report_bad_value(v->e, v->row->name, v->text, why, hint);
}

static int take_pids(const struct option_value *v)
{
	for (const char *at = v->text;; at++) {
		pid_t pid = values_pid(at, &at), *pids;

		if (pid <= 0 || (*at && *at != ','))
			return bad(v, "is not a process id",
				"give a number, 1 or more, or several, separated by commas");
		for (size_t i = 0; i < v->o->pid_count; i++)
			if (v->o->pids[i] == pid)
				return bad(v, "names a process twice", "name each process once");
		pids = reallocarray(v->o->pids, v->o->pid_count + 1, sizeof *pids);
		if (!pids)
			return probes_failed(v->e, -ENOMEM, "cannot take the processes");
		v->o->pids = pids;
		pids[v->o->pid_count++] = pid;
		if (!*at)
			return 0;
	}
}

static int take_tree(const struct option_value *v)
{
	const char *end;
	pid_t pid = values_pid(v->text, &end);

	if (pid <= 0 || *end)
		return bad(v, "is not a process id", "give a number, 1 or more");
	if (v->o->tree)
		return bad(v, "is a second tree", "give one");
	v->o->tree = pid;
	return 0;
}

/* The row's name holds both: VERB, VERB-all, VERB-regexp or VERB-pair. */
static int take_action(const struct option_value *v)
{
	enum probes_verb verb = v->row->name[0] == 'e' ? PROBES_ENABLE : PROBES_DISABLE;
	const char *kind = strchr(v->row->name, '-');
	enum probes_by by = PROBES_BY_NAME;

	if (kind && kind[1] == 'a')
		by = PROBES_BY_ALL;
	else if (kind && kind[1] == 'r')
		by = PROBES_BY_REGEXP;
	else if (kind)
		by = PROBES_BY_PAIR;
	return actions_add(&v->o->actions, v->row->name, verb, by, v->text, v->e);
}

/* -latency of replay */
static int take_pair(const struct option_value *v)
{
	return actions_add(&v->o->pair, v->row->name, PROBES_COUNT, PROBES_BY_PAIR, v->text, v->e);
}

/* -all and -regexp of count and events: a list of probes, as the names that are no option. */
static int take_probes(const struct option_value *v)
{
	return actions_add(&v->o->actions, v->row->name, PROBES_COUNT,
		v->text ? PROBES_BY_REGEXP : PROBES_BY_ALL, v->text, v->e);
}

static int take_format(const struct option_value *v)
{
#define FORMAT_STRING(NAME, name) [FORMAT_##NAME] = #name,
	static const char *const names[] = {FORMATS(FORMAT_STRING)};
	char all[64], word[16];

	snprintf(all, sizeof all, "|%s|", v->row->argument);
	for (enum format f = FORMAT_TEXT; f < FORMATS_COUNT; f++) {
		snprintf(word, sizeof word, "|%s|", names[f]);
		if (!strcmp(v->text, names[f]) && strstr(all, word)) {
			v->o->format = f;
			return 0;
		}
	}
	snprintf(all, sizeof all, "give one of %s", v->row->argument);
	return bad(v, "is not a format of this verb", all);
}

static int take_pause(const struct option_value *v, uint64_t *ms)
{
	if (!values_span(v->text, ms) || *ms < 50 || *ms > 3600000)
		return bad(v, "is not an interval", "give seconds from 0.05 to 3600, such as 0.5");
	return 0;
}

static int take_refresh(const struct option_value *v)
{
	uint64_t ms;
	int r = take_pause(v, &ms);

	if (r == 0)
		v->o->refresh_ms = (unsigned)ms;
	return r;
}

static int take_interval(const struct option_value *v)
{
	return take_pause(v, &v->o->interval_ms);
}

static int take_by(const struct option_value *v)
{
	v->o->by = 0;
	if (!strcmp(v->text, "thread") || values_argument(v->text, 16, &v->o->by))
		return 0;
	return bad(v, "is not a key", "give thread, or an argument such as arg1");
}

/* -histogram of replay */
static int take_argument(const struct option_value *v)
{
	if (values_argument(v->text, PROBES_EVENT_ARGUMENTS, &v->o->argument))
		return 0;
	return bad(v, "is not an argument", "give one such as arg1");
}

/* "arg1,arg3" */
static int take_texts(const struct option_value *v)
{
	unsigned more;

	if (!values_arguments(v->text, &more))
		return bad(v, "names no arguments",
			"give one such as arg1, or several, separated by commas");
	v->o->texts |= more;
	return 0;
}

static int take_most(const struct option_value *v)
{
	if (!values_number(v->text, 1, 1000000000, &v->o->most))
		return bad(v, "is not a number of events", "give a number, 1 or more");
	return 0;
}

static int take_overhead(const struct option_value *v)
{
	if (!values_percent(v->text, &v->o->max_overhead))
		return bad(v,
			v->text[strspn(v->text, "0123456789.")]
				? "is not a percentage"
				: "must be 0, or from 0.001 to 10000, with 3 decimals at most",
			"give per cent of one core, such as 5 or 0.5; 0 for no limit");
	return 0;
}

static int take_columns(const struct option_value *v)
{
	if (columns_parse(v->text, &v->o->hidden_columns) < 0)
		return bad(v, "names no columns",
			"give all, none, or some of " COLUMNS_NAMES ", separated by commas");
	return 0;
}

/* The value is in minutes unless it has a unit. */
static int take_lease(const struct option_value *v)
{
	bool unit = strpbrk(v->text, "msh");
	uint64_t ms;

	if (!values_span(v->text, &ms) || (ms *= unit ? 1 : 60) > 1000 * UINT64_C(3600000))
		return bad(v, "is not a duration",
			"give minutes, or a number and s, m or h, such as 90s; 0 for no lease");
	v->o->lease_ms = ms;
	v->o->lease_given = true;
	return 0;
}

static int take_theme(const struct option_value *v)
{
	if (strcmp(v->text, "dark") && strcmp(v->text, "light") && strcmp(v->text, "mono"))
		return bad(v, "is not a theme", "give dark, light or mono");
	v->o->theme = v->text;
	return 0;
}

static int take_for(const struct option_value *v)
{
	if (!values_span(v->text, &v->o->for_ms) || !v->o->for_ms)
		return bad(v, "is not a duration",
			"give a number and ms, s, m or h, such as 30s, at most 1000h");
	return 0;
}

static int take_launcher(const struct option_value *v)
{
	uint64_t ms;

	if (!values_span(v->text, &ms) || ms > 3600000)
		return bad(v, "is not a duration",
			"give a number and ms, s or m, such as 30s, at most 60m; 0 to refuse "
			"launchers");
	v->o->launcher_ms = (int)ms;
	return 0;
}

static int take_max_stop(const struct option_value *v)
{
	if (!values_number(v->text, 1, 60000, &v->o->max_stop_ms))
		return bad(v, "is not a number of milliseconds", "give one from 1 to 60000");
	return 0;
}

/* ------------------------------------------------------------------- tables */

const struct verb_row verbs_table[] = {
	{VERB_SCREEN, "", "[-pid N[,N] | -tree N | -comm NAME | -prog FILE [ACTIONS] [-- ARGS]]",
		"the screen (with no target named: choose a process); like list if standard output "
		"is not a terminal"},
#define VERB_ROW(NAME, name, usage, help) {VERB_##NAME, #name, #name " " usage, help},
	VERBS(VERB_ROW)
#undef VERB_ROW
};
const size_t verbs_table_count = sizeof verbs_table / sizeof *verbs_table;

#define AT(field) .offset = offsetof(struct options, field)
#define BY(function) .take = function
#define OR(NAME, name) "|" #name

const struct option_row options_table[] = {
	{"pid", "N[,N]", VERB_PIDS, "one running process, or several", BY(take_pids)},
	{"tree", "N", VERB_PIDS, "a process and all its descendants", BY(take_tree)},
	{"comm", "NAME", VERB_PIDS, "every process of this name (as in ps -o comm)", AT(comm)},
	{"prog", "FILE", VERB_PROGS, "the program or library", AT(prog)},
	{"follow", NULL, VERB_SCREEN, "children forked later join the list (always so with -tree)",
		AT(follow)},
	{"enable", "P[,P]", VERB_SWITCH, "switch these probes on (repeatable)", BY(take_action)},
	{"disable", "P[,P]", VERB_SWITCH, "switch these probes off (repeatable)", BY(take_action)},
	{"enable-all", NULL, VERB_SWITCH, "switch every probe on", BY(take_action)},
	{"disable-all", NULL, VERB_SWITCH, "switch every probe off", BY(take_action)},
	{"enable-regexp", "R", VERB_SWITCH, "switch on names that match R, anchored at the start",
		BY(take_action)},
	{"disable-regexp", "R", VERB_SWITCH, "switch off names that match R, anchored at the start",
		BY(take_action)},
	{"enable-pair", "A,B", VERB_SWITCH, "switch on B, then A (repeatable)", BY(take_action)},
	{"disable-pair", "A,B", VERB_SWITCH, "switch off A, then B (repeatable)", BY(take_action)},
	{"provider", "P", VERB_CHOOSE, "only probes of this provider", AT(provider)},
	{"object", "O", VERB_CHOOSE, "only probes in this file (path or file name)", AT(object)},
	{"force", NULL, VERB_SWITCH, "set counts to 1 or 0, whatever their values", AT(force),
		.alias = {"f"}},
	{"all", NULL, VERB_COUNT | VERB_EVENTS | VERB_CALLERS | VERB_REPLAY,
		"every probe (count: the default)", BY(take_probes)},
	{"regexp", "R", VERB_COUNT | VERB_EVENTS | VERB_CALLERS | VERB_REPLAY,
		"names that match R, anchored at the start", BY(take_probes)},
	{"latency", "A,B", VERB_REPLAY, "the latency from A to B, of the recorded events",
		BY(take_pair)},
	{"histogram", "argN", VERB_REPLAY, "the distribution of an argument of one probe",
		BY(take_argument)},
	{"by", "thread|argN", VERB_LATENCY | VERB_REPLAY,
		"match start and end by thread, or by the value of an argument", BY(take_by)},
	{"str", "argN[,argN]", VERB_EVENTS | VERB_HISTOGRAM,
		"these arguments point to texts: show the texts", BY(take_texts)},
	{"callers", NULL, VERB_EVENTS | VERB_REPLAY,
		"who called the function that hit the probe; replay counts them", AT(callers)},
	{"stack", NULL, VERB_CALLERS,
		"sample whole stacks, at most 99 a second; print them folded, for flame graphs",
		AT(stacks)},
	{"where", "EXPR", VERB_EVENTS | VERB_HISTOGRAM | VERB_CALLERS | VERB_REPLAY,
		"only events that match: 'arg1 > 100 and arg2 ~ select'", AT(filter),
		.alias = {"filter"}},
	{"max", "COUNT", VERB_EVENTS | VERB_HISTOGRAM | VERB_CALLERS | VERB_REPLAY,
		"end after this many events", BY(take_most)},
	{"dry-run", NULL, VERB_ATTACH | VERB_TRACE | VERB_COUNT, "print the plan, write nothing",
		AT(dry_run)},
	{"for", "TIME", VERB_ATTACH | VERB_MEASURE,
		"end after this time (30s, 5m) and undo all changes", BY(take_for)},
	{"interval", "TIME", VERB_COUNT | VERB_LATENCY | VERB_HISTOGRAM,
		"print a table at this interval (count, latency: 1s on a terminal)",
		BY(take_interval)},
	{"stop", NULL, VERB_SCREEN | VERB_ATTACH | VERB_MEASURE,
		"stop all threads: sites change at once, more are counted", AT(stop)},
	{"max-stop", "MS", VERB_ATTACH | VERB_MEASURE,
		"with -stop: give up after this many ms (1000)", BY(take_max_stop)},
	{"kernel", NULL, VERB_COUNT, "as root: use uprobes where no jump can be written",
		AT(kernel)},
	{"max-overhead", "PCT", VERB_SCREEN | VERB_MEASURE | VERB_SETTING,
		"stop counting a probe above this estimated % of a core (5; 0: no limit)",
		BY(take_overhead)},
	{"read-only", NULL, VERB_CHANGE | VERB_SETTING, "refuse to change anything", AT(read_only)},
	{"wait", NULL, VERB_TRACE, "wait for the program, exit with its status", AT(wait)},
	{"launcher", "TIME", VERB_SCREEN | VERB_TRACE | VERB_MEASURE,
		"with -prog: how long to follow a script, env or shim to its program (10s)",
		BY(take_launcher)},
	{"hold", NULL, VERB_SCREEN, "with -prog: hold the program at its start", AT(hold)},
	{"end-program", NULL, VERB_SCREEN,
		"with -prog: end the program when the screen ends, however it ends",
		AT(end_program)},
	{"format", "text" FORMATS_EMITTED(OR), VERB_OUTPUT & ~VERB_EVENTS, "output format",
		BY(take_format)},
	{"format", "text|json|chrome", VERB_EVENTS, "output format; chrome is for Perfetto",
		BY(take_format)},
	{"format", "text|json", VERB_QUESTIONS, "output format", BY(take_format)},
	{"format", "text|json|csv|chrome", VERB_REPLAY,
		"output format (csv: tables; chrome: events)", BY(take_format)},
	{"output", "FILE", VERB_MEASURE | VERB_REPLAY, "write the result to this file", AT(output),
		.alias = {"o"}},
	{"record", "FILE", VERB_EVENTS | VERB_LATENCY,
		"record to this new file, for replay (events -quiet prints nothing)", AT(record)},
	{"quiet", NULL, VERB_ALL, "no notices, no details", AT(quiet), .alias = {"q"}},
	{"verbose", NULL, VERB_ALL, "more details", AT(verbose), .alias = {"v"}},
	{"log", "FILE", VERB_CHANGE | VERB_SETTING, "log every change to this file", AT(log)},
	{"no-syslog", NULL, VERB_CHANGE | VERB_SETTING, "do not log changes to syslog",
		AT(no_syslog)},
	{"count", NULL, VERB_SCREEN, "count the hits of every probe from the start", AT(count)},
	{"refresh", "SECONDS", VERB_SCREEN | VERB_SETTING,
		"interval between readings of the states", BY(take_refresh)},
	{"lease", "MIN", VERB_SCREEN | VERB_SETTING,
		"undo changes after this long without a key (15; 0: never)", BY(take_lease)},
	{"columns", "C[,C]", VERB_SHOW, "show only these: " COLUMNS_NAMES "; all; none",
		BY(take_columns)},
	{"no-color", NULL, VERB_SHOW, "no colours", AT(no_color)},
	{"theme", "dark|light|mono", VERB_SHOW, "colours for a terminal like this", BY(take_theme)},
	{"mouse", NULL, VERB_SHOW, "click rows, headings, footer keys; the wheel scrolls",
		AT(mouse)},
	{"ascii", NULL, VERB_SHOW, "draw with ASCII only", AT(ascii)},
	{"gigatext", NULL, VERB_ALL, "accepted for compatibility with ocaml-probes; not needed",
		AT(gigatext)},
	{"help", NULL, VERB_ALL, "this text", AT(help), .alias = {"?", "h"}},
	{"version", NULL, VERB_ALL, "the version", AT(version), .alias = {"V"}},
};
_Static_assert(sizeof options_table / sizeof *options_table <= 64, "a bit of options.given each");
const size_t options_table_count = sizeof options_table / sizeof *options_table;
