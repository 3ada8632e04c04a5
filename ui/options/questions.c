#include "ui/options/questions.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/options/config.h"
#include "ui/words/report.h"
#include "ui/words/shell.h"

int questions_parse(
	const struct question *q, char *buffer, struct options *o, struct probes_error *e)
{
	static char program[] = "probes-tui", option[] = "-pid", pid[] = "1";
	char *words[QUESTIONS_WORDS], *argv[QUESTIONS_WORDS + 3] = {program};
	int n = shell_split(q->call, buffer, words, QUESTIONS_WORDS), argc = 1;

	*o = (struct options){0};
	if (n < 1)
		return report_set(e, PROBES_USAGE, -EINVAL, "", "",
			shell_open(q->call) ? "ends within a quote" : "has too many words");
	argv[argc++] = words[0];
	argv[argc++] = option;
	argv[argc++] = pid;
	for (int i = 1; i < n; i++)
		argv[argc++] = words[i];
	return options_parse(argc, argv, o, e);
}

struct questions_reading {
	struct questions *to;
	size_t first; /* question of this file */
	bool memory;  /* there is not enough */
	char why[sizeof(struct probes_error)];
};

/* Does the call, split into words at `words`, name what it is about? */
static bool questions_names_target(const struct question *q, char *buffer)
{
	static const char *const targets[] = {"pid", "tree", "comm", "prog"};
	char *words[QUESTIONS_WORDS];
	int n = shell_split(q->call, buffer, words, QUESTIONS_WORDS);

	for (int i = 1; i < n; i++)
		for (size_t k = 0; *words[i] == '-' && k < 4; k++) {
			const char *name = words[i] + strspn(words[i], "-");
			size_t length = strlen(targets[k]);

			if (!strncmp(name, targets[k], length) &&
				(!name[length] || name[length] == '='))
				return true;
		}
	return false;
}

static const char *questions_check_call(struct questions_reading *r, const struct question *q)
{
	char *buffer = malloc(strlen(q->call) + 1);
	struct options o = {0};
	struct probes_error e;
	const char *why = NULL;
	int parsed;

	if (!buffer)
		return "not enough memory";
	parsed = questions_parse(q, buffer, &o, &e);
	if (o.verb && !(o.verb & VERB_MEASURE))
		why = "is not a verb that measures: see probes-tui -help";
	else if (o.help || o.version)
		why = "asks for help or the version, and measures nothing";
	else if (parsed < 0 && questions_names_target(q, buffer))
		why = "names a process or a program: a question fits any";
	else if (parsed < 0) {
		snprintf(r->why, sizeof r->why, "%s%s%s", e.what, *e.what ? ": " : "", e.why);
		why = r->why;
	} else if (!o.actions.count || o.actions.items[0].by == PROBES_BY_ALL)
		why = "names no probe";
	options_done(&o);
	free(buffer);
	return why;
}

static const char *questions_take(void *data, unsigned line, const char *name, const char *value)
{
	struct questions_reading *r = data;
	struct questions *q = r->to;
	struct question *last = q->count > r->first ? &q->all[q->count - 1] : NULL;
	const char *why;

	if (!value)
		return NULL;
	if (!*value)
		return "is empty";
	if (!strcmp(name, "question")) {
		if (probes_escape(value, NULL, 0) != strlen(value))
			return "holds a character that cannot be shown, or a backslash";
		last = reallocarray(q->all, q->count + 1, sizeof *last);
		r->memory = r->memory || !last;
		if (!last)
			return "not enough memory";
		q->all = last;
		q->all[q->count++] = (struct question){.name = value};
		return NULL;
	}
	if (!last)
		return "stands before the first question";
	if (!strcmp(name, "note"))
		last->note = value;
	else if (!strcmp(name, "source"))
		last->source = value;
	else if (!strcmp(name, "call"))
		last->call = value;
	else
		return "is not known: give question, call, note or source";
	why = !strcmp(name, "call") ? questions_check_call(r, last) : NULL;
	if (why)
		last->call = NULL;
	return why;
}

int questions_load(struct questions *q, void (*report)(void *data, const char *text), void *data)
{
	struct questions_reading r = {.to = q};
	char path[PATH_MAX];
	size_t kept = 0;
	bool unread;

	q->texts[0] = strdup(questions_known);
	q->texts[1] = config_load(path, sizeof path, "/questions", &unread, report, data);
	if (q->texts[0])
		config_lines(q->texts[0], "questions.conf", questions_take, &r, report, data);
	r.first = q->count;
	if (q->texts[1])
		config_lines(q->texts[1], path, questions_take, &r, report, data);
	/* What has no call was reported, or is somebody's plan for later. */
	for (size_t i = 0; i < q->count; i++)
		if (q->all[i].call)
			q->all[kept++] = q->all[i];
	q->count = kept;
	return q->texts[0] && !r.memory ? 0 : -ENOMEM;
}

void questions_done(struct questions *q)
{
	free(q->all);
	free(q->texts[0]);
	free(q->texts[1]);
}

static bool questions_has(const struct probes_session *session, const struct options *o,
	enum probes_by by, const char *name)
{
	struct probes_switch_options narrow = options_switch(o);
	struct probes_error e;
	size_t *some, count;

	if (probes_find(session, by, name, &narrow, &some, &count, &e) < 0)
		return false;
	free(some);
	return count > 0;
}

bool questions_fit(const struct question *q, const struct probes_session *session)
{
	char *buffer = malloc(strlen(q->call) + 1);
	struct options o = {0};
	struct probes_error e;
	bool fits = buffer && questions_parse(q, buffer, &o, &e) == 0;

	for (size_t i = 0; fits && i < o.actions.count; i++) {
		const struct probes_action *one = &o.actions.items[i];
		bool pair = one->by == PROBES_BY_PAIR;

		fits = questions_has(session, &o, pair ? PROBES_BY_NAME : one->by, one->text);
		if (fits && pair)
			fits = questions_has(session, &o, PROBES_BY_NAME, one->second);
	}
	options_done(&o);
	free(buffer);
	return fits;
}
