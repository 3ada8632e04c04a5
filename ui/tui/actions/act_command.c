/*
 * The command line of the screen: the ACTIONS of the command line, and a few words for what has a
 * key. Each word is one row of a table.
 */
#include "ui/tui/actions/act.h"

#include "ui/options/options.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"
#include "ui/words/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACT_COMMAND_WORDS 64

/* Options and the text of their arguments. */
struct act_command {
	struct options options; /* first: act_pending_forget frees the whole by it */
	char room[INPUT_SIZE + 2];
};

/* Run the actions of the options. words: as they were typed, for messages and the record. */
static void act_command_do(struct app *a, struct act_command *c, char **words, int count)
{
	const struct options *o = &c->options;
	const char *why =
		o->help || o->version ? "? shows the help of the screen"
		: o->pid_count != 1 || o->tree || o->comm || o->prog
			? "it acts on the processes of this screen: no -pid, -tree, -comm, -prog"
		: o->for_ms           ? "-for is for the command line; here u undoes"
		: o->log || o->format ? "-log and -format are for the command line"
				      : NULL;
	char *text;
	size_t size;
	FILE *out;

	act_pending_forget(a);
	a->pending.plan.command = &c->options; /* which owns it from now on */
	if (why) {
		app_complain(a, ":%.80s: %s", words[0], why);
		act_pending_forget(a);
		return;
	}
	out = open_memstream(&text, &size);
	for (int i = 0; i < count; i++) {
		if (i)
			fputc(' ', out);
		shell_quote(out, words[i]);
	}
	fclose(out);
	snprintf(a->pending.text, sizeof a->pending.text, "%s", text);
	free(text);
	a->pending.plan.text = a->pending.text;
	if (o->dry_run) {
		pager_clear(&a->text.pager);
		act_switch_preview_add(a);
		act_switch_preview_open(a, "What this would write (nothing is written)");
	} else if (app_have(a) & NEED_SWITCH) {
		act_pending_begin(a);
	} else {
		act_refuse(a, REQUEST_ON);
	}
	if (!a->question.kind)
		act_pending_forget(a);
}

/* "enable-all", "-enable a,b -provider p", "attach -enable a": the arguments of attach. */
static void act_command_actions(struct app *a, const char *line)
{
	struct act_command *c = mem_alloc(sizeof *c);
	struct probes_error e = {0};
	char head[][12] = {"probes-tui", "attach", "-pid", ""};
	char *argv[ACT_COMMAND_WORDS + 5] = {head[0], head[1], head[2], head[3]};
	char dashed[INPUT_SIZE + 2];
	int count, skip;

	snprintf(head[3], sizeof head[3], "%d", (int)a->model.processes[0].pid);
	snprintf(dashed, sizeof dashed, "%s%s",
		*line == '-' || !strncmp(line, "attach ", 7) ? "" : "-", line);
	count = shell_split(dashed, c->room, argv + 4, ACT_COMMAND_WORDS);
	if (count < 0) {
		app_complain(a, "a quote is not closed");
		free(c);
		return;
	}
	skip = !strcmp(argv[4], "attach");
	memmove(argv + 4, argv + 4 + skip, (size_t)(count + 1 - skip) * sizeof *argv);
	count -= skip;
	if (options_parse(count + 4, argv, &c->options, &e) < 0) {
		e.hint[0] = '\0'; /* the hint is about the shell's command line */
		app_say_error(a, "", &e);
		options_done(&c->options);
		free(c);
		return;
	}
	act_command_do(a, c, argv + 4, count);
}

static void act_command_filter(struct app *a, const char *rest)
{
	char why[200];

	if (list_filter(&a->list, rest, why, sizeof why) < 0)
		app_complain(a, "filter: %s", why);
	else
		app_say(a, "%zu of %zu match", a->list.shown_count, a->model.row_count);
}

static void act_command_sort(struct app *a, const char *rest)
{
	bool invert = *rest == '-';
	int column = columns_find(rest + invert, strlen(rest + invert));
	char names[128] = "";

	if (column >= 0 && column < COLUMN_COUNT) {
		list_sort(&a->list, (enum column_id)column, invert);
		return;
	}
	for (int c = 0; c < COLUMN_COUNT; c++)
		text_addf(names, sizeof names, " %s", column_table[c].name);
	app_complain(a, "sort by one of:%s (-NAME: inverted)", names);
}

/* Unlike W it also works when nothing in the list can be switched. */
static void act_command_sweep(struct app *a, const char *rest)
{
	act_sweep(a, REQUEST_SWEEP);
}

static void act_command_tree(struct app *a, const char *rest)
{
	app_open(a, VIEW_LIST);
	act_look_tree(a, REQUEST_TREE);
}

struct act_command_word {
	const char *word;
	enum request request;                         /* the same as this key, */
	void (*act)(struct app *a, enum request r);   /* in any view; otherwise: */
	void (*run)(struct app *a, const char *rest); /* NULL: an action of attach */
	bool changes;                                 /* or is about changes: not of a recording */
};

static const struct act_command_word act_command_words[] = {
	{.word = "ask", .run = act_ask},
	{.word = "attach", .changes = true},
	{.word = "count", .request = REQUEST_HITS, .act = act_count},
	{.word = "disable", .changes = true},
	{.word = "disable-all", .changes = true},
	{.word = "disable-pair", .changes = true},
	{.word = "disable-regexp", .changes = true},
	{.word = "enable", .changes = true},
	{.word = "enable-all", .changes = true},
	{.word = "enable-pair", .changes = true},
	{.word = "enable-regexp", .changes = true},
	{.word = "filter", .run = act_command_filter},
	{.word = "help", .request = REQUEST_HELP, .act = act_look_open},
	{.word = "kernel", .run = act_count_kernel, .changes = true},
	{.word = "mark", .run = act_write_mark, .changes = true},
	{.word = "pairs", .request = REQUEST_PAIRS, .act = act_look_open},
	{.word = "q", .request = REQUEST_QUIT, .act = act_leave},
	{.word = "Q", .request = REQUEST_QUIT_LEAVE, .act = act_leave},
	{.word = "quit", .request = REQUEST_QUIT, .act = act_leave},
	{.word = "redo", .request = REQUEST_REDO, .act = act_switch_undo},
	{.word = "script", .run = act_write_script, .changes = true},
	{.word = "sort", .run = act_command_sort},
	{.word = "stop", .run = act_count_allow, .changes = true},
	{.word = "sweep", .run = act_command_sweep, .changes = true},
	{.word = "tree", .run = act_command_tree},
	{.word = "undo", .request = REQUEST_UNDO, .act = act_switch_undo},
	{.word = "write", .run = act_write_view},
};

#define ACT_COMMAND_COUNT (sizeof act_command_words / sizeof *act_command_words)

/* ":12" is line 12 of the view, ":$" its last; false: it is neither. */
static bool act_command_go(struct app *a, const char *line)
{
	size_t digits = strspn(line, "0123456789"), number;

	if (strcmp(line, "$") != 0 && (!digits || line[digits]))
		return false;
	number = digits && digits < 10 ? strtoul(line, NULL, 10) : SIZE_MAX;
	if (app_view(a)->seek)
		act_find_to(a, number ? number - 1 : 0);
	else
		app_complain(a, "there are no rows to go to here");
	return true;
}

static void act_command_run(struct app *a, const char *line)
{
	size_t n;
	char safe[4 * INPUT_SIZE];

	line += strspn(line, " \t:");
	n = strcspn(line, " \t");
	for (size_t i = 0; n && i < ACT_COMMAND_COUNT; i++) {
		const struct act_command_word *w = &act_command_words[i];

		if (strlen(w->word) != n || strncmp(w->word, line, n))
			continue;
		if (w->changes && a->replay)
			act_refuse(a, REQUEST_ON);
		else if (w->act && request_info(w->request)->need & ~app_have(a))
			act_refuse(a, w->request);
		else if (w->act)
			w->act(a, w->request);
		else if (w->run)
			w->run(a, line + n + strspn(line + n, " \t"));
		else
			act_command_actions(a, line);
		return;
	}
	if (line[0] == '-' && a->replay)
		act_refuse(a, REQUEST_ON);
	else if (line[0] == '-')
		act_command_actions(a, line);
	else if (n && !act_command_go(a, line))
		app_complain(a,
			"%.*s: no such command; : and Tab list the commands, and a number goes to "
			"that row",
			(int)n, text_clean(line, safe, sizeof safe));
}

static void act_command_complete(struct app *a)
{
	const char *text = a->prompt.input.text;
	struct act_complete g;

	act_complete_begin(&g, a, "");
	if (act_complete_skip(&g, "ask ")) {
		act_ask_offer(a, &g);
		act_complete_end(a, &g, "");
		return;
	}
	act_complete_begin(&g, a, " ,");
	if (!g.at) {
		for (size_t i = 0; i < ACT_COMMAND_COUNT; i++)
			if (!(act_command_words[i].changes && a->replay))
				act_complete_offer(&g, act_command_words[i].word);
	} else if (!strncmp(text, "sort ", 5)) {
		for (int c = 0; c < COLUMN_COUNT; c++)
			act_complete_offer(&g, column_table[c].name);
	} else if (!strncmp(text, "filter ", 7)) {
		act_find_filter_complete(a);
		return;
	} else { /* probes by their name, or as provider:name once there is a colon */
		for (size_t i = 0; i < a->model.row_count; i++)
			act_complete_offer(&g, memchr(g.word, ':', g.length)
						       ? a->model.rows[i].label
						       : row_name(&a->model.rows[i]));
	}
	act_complete_end(a, &g, g.at ? "" : " ");
}

/* The regular expressions of ACTIONS are anchored, unlike those of T: say so while one is typed. */
static bool act_command_changed(struct app *a, const char *text)
{
	if (strstr(text, "able-regexp "))
		snprintf(a->prompt.why, sizeof a->prompt.why, "%s",
			"R must match from the first character of the name; .*R finds it anywhere "
			"(T searches anywhere)");
	return true;
}

static const struct prompt_ops act_command_prompt = {
	.label = ":",
	.syntax = "enable A,B  disable-regexp R  enable-pair A,B  filter F  sort COLUMN  12  $  q",
	.past = PAST_COMMAND,
	.changed = act_command_changed,
	.accepted = act_command_run,
	.complete = act_command_complete,
};

void act_command(struct app *a, enum request r)
{
	app_ask(a, &act_command_prompt, "", r == REQUEST_SORT_BY ? "sort " : "", 0);
	if (a->replay)
		a->prompt.syntax = "filter F  sort COLUMN  12  $  q";
	if (r == REQUEST_SORT_BY)
		act_command_complete(a);
}
