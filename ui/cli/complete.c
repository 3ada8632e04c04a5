/*
 * Completion: what could stand at the end of an unfinished command line. The scripts in
 * completions/ ask.
 *
 *   complete WORD...               the words after the program's name; the last one is unfinished
 *   complete -bash TYPE PIECE LINE bash's COMP_TYPE, the text that it would replace, the line
 *
 * Prints one line for the shell ("words", "nospace": these words, without a blank after them;
 * "files", "programs": what the shell itself completes), then a line for each candidate: the word,
 * a tab, a description. For bash a candidate replaces PIECE and is quoted. Everything is escaped.
 *
 * Must not write to a process nor stop it, print an error, or take long: the user has only pressed
 * Tab.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/cli/candidates.h"
#include "ui/cli/verbs.h"
#include "ui/options/cmdline.h"
#include "ui/options/columns.h"
#include "ui/options/targets.h"
#include "ui/output/rows.h"
#include "ui/recording/replay.h"
#include "ui/words/now.h"
#include "ui/words/probe_name.h"
#include "ui/words/shell.h"

#define COMPLETE_SECONDS 3     /* then the kernel ends it */
#define COMPLETE_SURVEY_MS 150 /* for the search for processes with probes */
#define COMPLETE_WORDS 512     /* of a command line */

struct complete {
	struct options o;             /* what the line says already */
	const struct option_row *row; /* whose value is completed, or NULL */
	bool first;                   /* the word may be a verb */
	const char *typed;            /* after the last comma of a list */
	const char *head;             /* the word: up to `typed` it stays */
	const char *directive;
	struct candidates found;
};

/* Is the word in the list already, before the last comma? */
static bool listed(const struct complete *c, const char *word, size_t length)
{
	const char *at = c->typed;

	while (at > c->head && at[-1] == ',') {
		const char *end = --at;

		while (at > c->head && at[-1] != ',' && at[-1] != '=')
			at--;
		if ((size_t)(end - at) == length && !memcmp(at, word, length))
			return true;
	}
	return false;
}

/* Add a candidate, unless something else was typed. `word` is safe, `about` raw. */
static void offer(struct complete *c, int rank, const char *word, const char *about)
{
	char safe[120];

	if (strncmp(word, c->typed, strlen(c->typed)) != 0 || listed(c, word, strlen(word)))
		return;
	probes_escape(about, safe, sizeof safe);
	candidates_add(&c->found, rank, word, safe);
}

/* -------------------------------------------------------------- what is offered */

/* Those with probes first, as far as the time allows. */
static void offer_processes(struct complete *c)
{
	int64_t end = now_ms() + COMPLETE_SURVEY_MS;
	struct probes_process_info info;
	struct probes_survey survey;
	struct probes_error e;
	size_t count = 0;
	pid_t *pids = NULL;

	if (probes_processes(&pids, &count, &e) < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		char word[16], line[60], about[120];

		snprintf(word, sizeof word, "%d", (int)pids[i]);
		if (pids[i] == getpid() || strncmp(word, c->typed, strlen(c->typed)) != 0 ||
			probes_process_info(pids[i], &info, &e) < 0)
			continue;
		cmdline_read(pids[i], info.name, line, sizeof line);
		survey.probes = 0;
		if (now_ms() < end && probes_survey(pids[i], &survey, &e) < 0)
			survey.probes = 0;
		if (survey.probes)
			snprintf(about, sizeof about, "%s, %zu probe%s", line, survey.probes,
				survey.probes == 1 ? "" : "s");
		offer(c, survey.probes ? 0 : 1, word, survey.probes ? about : line);
	}
	free(pids);
}

static void offer_names_of_processes(struct complete *c)
{
	struct probes_process_info info;
	struct probes_error e;
	size_t count = 0;
	pid_t *pids = NULL;
	char line[80];

	if (probes_processes(&pids, &count, &e) < 0)
		return;
	/* What must be escaped could not be given as a name. */
	for (size_t i = 0; i < count; i++)
		if (pids[i] != getpid() && probes_process_info(pids[i], &info, &e) == 0 &&
			probes_escape(info.name, line, sizeof line) == strlen(info.name)) {
			cmdline_read(pids[i], info.name, line, sizeof line);
			offer(c, 0, info.name, line);
		}
	free(pids);
}

static void offer_files(struct complete *c)
{
	c->directive = strcmp(c->row->name, "prog") ? "files" : "programs";
}

static void offer_columns(struct complete *c)
{
	for (int i = COLUMN_FIRST_CHOSEN; i <= COLUMN_DETAIL; i++)
		offer(c, i, columns_name((enum column_id)i), "");
	if (c->typed == c->head) {
		offer(c, COLUMN_COUNT + 1, "all", "");
		offer(c, COLUMN_COUNT + 2, "none", "");
	}
}

/* "a|b" */
static void offer_words(struct complete *c)
{
	char words[128], *next = words, *word;

	snprintf(words, sizeof words, "%s", c->row->argument);
	for (int i = 0; (word = strsep(&next, "|")); i++)
		offer(c, i, word, "");
}

static void offer_options(struct complete *c)
{
	const char *dashes = c->typed[0] == '-' && c->typed[1] == '-' ? "--" : "-";
	char word[64];

	for (size_t i = 0; c->first && i < verbs_table_count; i++)
		if (*verbs_table[i].name)
			offer(c, -1, verbs_table[i].name, verbs_table[i].help);
	for (size_t i = 0; i < options_table_count; i++) {
		const struct option_row *row = &options_table[i];

		snprintf(word, sizeof word, "%s%s", dashes, row->name);
		if (row->verbs & c->o.verb)
			offer(c, 1 + (int)i, word, row->help);
	}
}

/* ------------------------------------------------------- what is in the targets */

typedef void one_fn(struct complete *c, struct probes_session *session, const struct rows *rows);

static void ask(struct complete *c, one_fn *one, const struct probes_member *member)
{
	struct probes_error e;
	struct rows rows;

	if (!member->session || rows_chosen(&rows, member->session, &c->o, &e) < 0)
		return;
	rows.live =
		member->pid && !c->o.recording && probes_refresh(member->session, NULL, 0, &e) == 0;
	one(c, member->session, &rows);
	rows_done(&rows);
}

/* Calls one() for every process that the line names, or for the file or the recording. */
static void each_target(struct complete *c, one_fn *one)
{
	struct probes_options engine = {.read_only = true};
	struct probes_group *group = NULL;
	struct replay *r = NULL;
	struct probes_error e;

	if (c->o.recording && replay_open(c->o.recording, &r, &e) == 0)
		for (size_t i = 0; i < r->recording.process_count; i++)
			ask(c, one, &r->processes[i].member);
	replay_close(r);
	if (!c->o.pid_count && !c->o.tree && !c->o.comm && !c->o.prog)
		return;
	if (targets_open(&group, &c->o, &engine, &e) < 0)
		return;
	for (size_t i = 0; i < probes_group_count(group); i++)
		ask(c, one, probes_group_at(group, i));
	probes_group_close(group);
}

/* Was the probe named by an option before this one? A name twice is an error. */
static bool named(const struct complete *c, const char *word)
{
	for (size_t i = 0; i < c->o.actions.count; i++) {
		const struct probes_action *a = &c->o.actions.items[i];

		if ((a->text && !strcmp(a->text, word)) || (a->second && !strcmp(a->second, word)))
			return true;
	}
	return false;
}

/* The longer a name begins as the first one of a pair, the likelier it is its partner. */
static int pair_rank(const struct complete *c, const char *name)
{
	const char *first = c->typed;
	int same = 0;

	while (first > c->head && !strchr("=:", first[-1]))
		first--;
	while (name[same] && name[same] == first[same])
		same++;
	return -same;
}

static void probes_of(struct complete *c, struct probes_session *session, const struct rows *rows)
{
	bool pair = c->row && !strcmp(c->row->argument, "A,B"), bare = false;
	struct probe_name names;
	char word[2048], about[400];

	if (probe_name_init(&names, session) < 0)
		return;
	/* With the provider where one is needed; all are where no name alone begins so. */
	for (int full = 0; full < 2 && !bare; full++)
		for (size_t i = 0; i < rows->count; i++) {
			size_t probe = rows->items[i].probe, before = c->found.count;
			const struct probes_probe *p = probes_at(session, probe);

			if (pair && rows_state(rows, probe) == PROBES_NO_SWITCH)
				continue;
			if ((full ? probe_name_full(p, word, sizeof word)
				  : probe_name_short(&names, probe, word, sizeof word)) >=
				sizeof word)
				continue;
			snprintf(about, sizeof about, "%s%s%s",
				rows->live ? probes_state_name(rows_state(rows, probe)) : "",
				rows->live ? ", " : "",
				probe_name_base(probes_object_at(session, p->object)->path));
			if (!named(c, word))
				offer(c, pair ? pair_rank(c, p->name) : 0, word, about);
			bare = bare || (c->found.count > before && !strchr(word, ':'));
		}
	probe_name_done(&names);
}

/* Probes are no option's value there. */
static void offer_words_of_count(struct complete *c)
{
	each_target(c, probes_of);
	if (c->typed == c->head)
		offer_options(c);
}

/* "arg1", with its operand, of the probes that the line names. */
static void arguments_of(
	struct complete *c, struct probes_session *session, const struct rows *rows)
{
	struct probes_argument all[PROBES_EVENT_ARGUMENTS];
	char word[16], full[2048];

	for (size_t i = 0; i < rows->count; i++) {
		const struct probes_probe *p = probes_at(session, rows->items[i].probe);
		size_t count;

		if (!p->site_count || probe_name_full(p, full, sizeof full) >= sizeof full ||
			(!named(c, p->name) && !named(c, full)))
			continue;
		count = probes_arguments(p->sites[0].arguments, all, PROBES_EVENT_ARGUMENTS);
		for (size_t k = 0; k < count && k < PROBES_EVENT_ARGUMENTS; k++) {
			snprintf(word, sizeof word, "arg%zu", k + 1);
			offer(c, (int)k - PROBES_EVENT_ARGUMENTS, word, all[k].place);
		}
	}
}

/* Behind the probe. */
static void offer_words_of_histogram(struct complete *c)
{
	c->directive = "words";
	if (!c->o.argument)
		each_target(c, arguments_of);
	offer_options(c);
}

/* The first name of a pair is not the last word. */
static void offer_pair(struct complete *c)
{
	const char *comma = memchr(c->head, ',', (size_t)(c->typed - c->head));

	if (comma && comma < c->typed - 1)
		return;
	each_target(c, probes_of);
	if (!comma)
		c->directive = "comma";
}

static void providers_of(
	struct complete *c, struct probes_session *session, const struct rows *rows)
{
	char word[2048];

	for (size_t i = 0; i < rows->count; i++) {
		const struct probes_probe *p = probes_at(session, rows->items[i].probe);

		if (i && !strcmp(p->provider,
				 probes_at(session, rows->items[i - 1].probe)->provider))
			continue;
		if (probes_escape(p->provider, word, sizeof word) < sizeof word)
			offer(c, 0, word, probes_kind_name(p->kind));
	}
}

static void objects_of(struct complete *c, struct probes_session *session, const struct rows *rows)
{
	char word[2048];

	for (size_t i = 0; i < probes_object_count(session); i++) {
		const struct probes_object *object = probes_object_at(session, i);
		const char *path =
			c->typed[0] == '/' ? object->path : probe_name_base(object->path);

		if (object->probe_count && probes_escape(path, word, sizeof word) < sizeof word)
			offer(c, 0, word, object->path);
	}
}

/* How the value of an option is completed, by what the table of options calls it. */
static const struct value {
	const char *argument;
	void (*offer)(struct complete *c);
	one_fn *of; /* or what is in the targets */
	bool list;  /* several, with commas between */
} values[] = {
	{"N[,N]", .offer = offer_processes, .list = true},
	{"N", .offer = offer_processes},
	{"NAME", .offer = offer_names_of_processes},
	{"FILE", .offer = offer_files},
	{"P[,P]", .of = probes_of, .list = true},
	{"A,B", .offer = offer_pair, .list = true},
	{"P", .of = providers_of},
	{"O", .of = objects_of},
	{"C[,C]", .offer = offer_columns, .list = true},
	{"argN[,argN]", .of = arguments_of, .list = true},
	{"argN", .of = arguments_of},
};

/* ---------------------------------------------------------------------- the answer */

/* Find the candidates for the last of these words, of which argv[0] is the program. */
static void complete(struct complete *c, int argc, char **argv)
{
	void (*by)(struct complete * c) = offer_options;
	one_fn *of = NULL;
	bool ended, list = false;
	const char *value;

	c->directive = "words";
	c->row = options_unfinished(argc, argv, &c->o, &value, &ended);
	c->first = argc == 2;
	c->head = argv[argc - 1];
	c->typed = value;
	if (ended || (!c->row && c->o.verb == VERB_REPLAY && !c->o.recording && *value != '-')) {
		c->directive = "files";
		return;
	}
	if (!c->row && c->o.verb == VERB_HISTOGRAM && c->o.actions.count && *value != '-') {
		by = offer_words_of_histogram;
	} else if (!c->row && c->o.verb & (VERB_MEASURE | VERB_REPLAY) && *value != '-') {
		by = offer_words_of_count;
		list = true;
	} else if (c->row && strchr(c->row->argument, '|')) {
		by = offer_words;
	} else if (c->row) {
		by = NULL;
	}
	for (size_t i = 0; c->row && i < sizeof values / sizeof *values; i++)
		if (!strcmp(c->row->argument, values[i].argument)) {
			by = values[i].offer;
			of = values[i].of;
			list = values[i].list;
		}
	if (list && strrchr(value, ','))
		c->typed = strrchr(value, ',') + 1;
	if (by)
		by(c);
	if (of)
		each_target(c, of);
	candidates_settle(&c->found);
}

static int answer(const struct complete *c)
{
	const char *after = strcmp(c->directive, "comma") ? "" : ",";

	puts(*after ? "nospace" : c->directive);
	for (size_t i = 0; i < c->found.count; i++)
		printf("%.*s%s%s\t%s\n", (int)(c->typed - c->head), c->head, c->found.all[i].word,
			after, c->found.all[i].about);
	return fflush(stdout) ? PROBES_FAILED : PROBES_OK;
}

/* -------------------------------------------------------------------------- bash */

/*
 * bash replaces only what follows the last of COMP_WORDBREAKS, or an open quote: `skip` bytes of
 * the word stay. A description is shown with a candidate that is not inserted: where bash only
 * lists, or inserts what several candidates have in common, which ends before the description.
 */
static int answer_bash(const struct complete *c, const char *type, char quote, size_t skip)
{
	const char *after = strcmp(c->directive, "comma") ? "" : ",";
	bool process = c->row && c->row->argument[0] == 'N' && c->row->argument[1] != 'A';
	bool described = process && c->found.count > 1 && *type && strstr(" 9 63 33 64 ", type);

	puts(*after ? "nospace" : c->directive);
	for (size_t i = 0; i < c->found.count; i++) {
		char *word;

		if (asprintf(&word, "%.*s%s%s", (int)(c->typed - c->head), c->head,
			    c->found.all[i].word, after) < 0)
			break;
		shell_continue(stdout, word + skip, quote);
		if (described)
			printf("  (%s)", c->found.all[i].about);
		putchar('\n');
		free(word);
	}
	return fflush(stdout) ? PROBES_FAILED : PROBES_OK;
}

static int complete_bash(struct complete *c, const char *type, const char *piece, const char *line)
{
	size_t length = strlen(line), tail = strlen(piece), skip;
	char *room = malloc(length + 3), *words[COMPLETE_WORDS + 1];
	int r = PROBES_FAILED, count;

	if (room && tail <= length && !strcmp(line + length - tail, piece)) {
		char *head = strndup(line, length - tail);

		count = head ? shell_unfinished(head, room, words, COMPLETE_WORDS) : -1;
		skip = count > 0 ? strlen(words[count - 1]) : 0;
		count = shell_unfinished(line, room, words, COMPLETE_WORDS);
		words[count > 0 ? count : 0] = NULL;
		if (head && count > 1) {
			complete(c, count, words);
			r = answer_bash(c, type, shell_open(head), skip);
		}
		free(head);
	}
	free(room);
	return r;
}

int complete_run(int argc, char **argv)
{
	struct complete c = {.directive = "words"};
	int r = PROBES_USAGE;

	alarm(COMPLETE_SECONDS);
	if (argc == 5 && !strcmp(argv[1], "-bash")) {
		r = complete_bash(&c, argv[2], argv[3], argv[4]);
	} else if (argc > 1) {
		complete(&c, argc, argv);
		r = answer(&c);
	}
	candidates_done(&c.found);
	options_done(&c.o);
	return r;
}
