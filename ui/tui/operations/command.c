/*
 * Operations and selections as command lines: probes by name, restricted to an object
 * if several objects have the name. Processes with equal lines share one.
 */
#include "ui/tui/operations/command.h"

#include "ui/figures/event.h"
#include "ui/tui/terminal/mem.h"
#include "ui/words/line.h"
#include "ui/words/probe_name.h"
#include "ui/words/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_NAMES 64              /* per option; longer lists take several options */
#define COMMAND_ANY_OBJECT UINT32_MAX /* for names that only one object has */

struct command_item {
	size_t probe;
	enum probes_verb verb;
};

/* The probes to switch in one process. */
struct command {
	const struct probes_session *session;
	struct command_item *items;
	size_t count, capacity;
	struct probe_name names;
};

/* The object that item i must be restricted to. */
static uint32_t command_object(const struct command *c, size_t i)
{
	size_t probe = c->items[i].probe;

	return probe_name_shared(&c->names, probe) ? probes_at(c->session, probe)->object
						   : COMMAND_ANY_OBJECT;
}

static void command_name(const struct command *c, size_t i, FILE *out)
{
	char name[2048];

	probe_name_full(probes_at(c->session, c->items[i].probe), name, sizeof name);
	fputs(name, out);
}

/* "-enable A,B,C" for the items with this verb and object; of what is counted the names alone. */
static const char *const command_options[] = {[PROBES_ENABLE] = " -enable ",
	[PROBES_DISABLE] = " -disable ",
	[PROBES_COUNT] = " ",
	[PROBES_UNCOUNT] = ""};

static void command_names(
	const struct command *c, uint32_t object, enum probes_verb verb, FILE *out)
{
	size_t listed = 0, size;
	char *names = NULL;
	FILE *list = NULL;

	for (size_t i = 0; i <= c->count; i++) {
		bool last = i == c->count;

		if (!last && (c->items[i].verb != verb || command_object(c, i) != object))
			continue;
		if (list && (last || listed % COMMAND_NAMES == 0)) {
			fclose(list);
			fputs(command_options[verb], out);
			shell_quote(out, names);
			free(names);
			list = NULL;
		}
		if (last)
			break;
		if (!list)
			list = open_memstream(&names, &size);
		else
			fputc(',', list);
		command_name(c, i, list);
		listed++;
	}
}

/* "OPTION START,END" of two items. */
static void command_pair(const struct command *c, const char *option, size_t start, FILE *out)
{
	char *names;
	size_t size;
	FILE *list = open_memstream(&names, &size);

	command_name(c, start, list);
	fputc(',', list);
	command_name(c, 1 - start, list);
	fclose(list);
	fputs(option, out);
	shell_quote(out, names);
	free(names);
}

/* The end of a line, for the items with this object. */
static void command_end(const struct command *c, uint32_t object, FILE *out)
{
	if (object != COMMAND_ANY_OBJECT) {
		fputs(" -object ", out);
		shell_quote(out, probes_object_at(c->session, object)->path);
	}
	fputc('\n', out);
}

/* One line for the items with this object. `pair`: the items are a pair, end first when enabled. */
static void command_line(const struct command *c, uint32_t object, bool pair, FILE *out)
{
	if (pair && c->items[0].verb == PROBES_ENABLE) {
		command_pair(c, " -enable-pair ", 1, out);
	} else if (pair && c->items[0].verb != PROBES_COUNT) {
		command_pair(c, " -disable-pair ", 0, out);
	} else {
		command_names(c, object, PROBES_ENABLE, out);
		command_names(c, object, PROBES_DISABLE, out);
		command_names(c, object, PROBES_COUNT, out);
	}
	command_end(c, object, out);
}

/* The lines for one process, without COMMAND_HEAD and pid. Frees the items. */
static char *command_text(struct command *c, bool pair)
{
	size_t objects = probes_object_count(c->session), size;
	bool *done = mem_array(objects + 1, sizeof *done), one_verb = true;
	char *text;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 1; i < c->count; i++)
		one_verb = one_verb && c->items[i].verb == c->items[0].verb;
	if (one_verb && c->count > 1 && c->count == probes_count(c->session)) {
		const char *option = command_options[c->items[0].verb];

		fprintf(out, "%.*s-all\n", (int)(strlen(option) - (option[1] != '\0')), option);
	} else if (c->count && probe_name_init(&c->names, c->session) == 0) {
		pair = pair && one_verb && c->count == 2 &&
		       command_object(c, 0) == command_object(c, 1);
		for (size_t i = 0; i < c->count; i++) {
			uint32_t object = command_object(c, i);
			bool *once = &done[object == COMMAND_ANY_OBJECT ? objects : object];

			if (!*once)
				command_line(c, object, pair, out);
			*once = true;
		}
	}
	fclose(out);
	probe_name_done(&c->names);
	free(done);
	free(c->items);
	return text;
}

static void command_add(struct command *c, size_t probe, enum probes_verb verb)
{
	c->items = mem_grow(c->items, &c->capacity, c->count + 1, sizeof *c->items);
	c->items[c->count++] = (struct command_item){.probe = probe, .verb = verb};
}

/* Join the texts of all processes after this head, and free them. `more` is appended to each line.
 */
static char *command_join(const struct model *m, const char *head, char **texts, const char *more)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < m->process_count; i++) {
		if (!texts[i] || !*texts[i])
			continue;
		for (char *line = texts[i], *end; (end = strchr(line, '\n')); line = end + 1) {
			fprintf(out, "%s%d", head, (int)m->processes[i].pid);
			for (size_t j = i + 1; j < m->process_count; j++)
				if (texts[j] && !strcmp(texts[i], texts[j]))
					fprintf(out, ",%d", (int)m->processes[j].pid);
			fprintf(out, "%.*s%s\n", (int)(end - line), line, more);
		}
		for (size_t j = i + 1; j < m->process_count; j++) {
			if (texts[j] && !strcmp(texts[i], texts[j]))
				texts[j][0] = '\0'; /* printed */
		}
	}
	fclose(out);
	for (size_t i = 0; i < m->process_count; i++)
		free(texts[i]);
	free(texts);
	return text;
}

/* How a probe's change can be said: by the usual verbs, by force, as counting, or by no command. */
enum command_way { COMMAND_USUAL, COMMAND_FORCE, COMMAND_COUNT, COMMAND_NONE, COMMAND_WAYS };

/* How the counts of a probe were changed: how many by 1, and how many to 1 or 0. */
struct command_tally {
	uint32_t edits, counts, up, down, one, zero;
};

/* By probe; the caller frees. */
static struct command_tally *command_tally(
	const struct probes_session *session, const struct probes_result *r)
{
	struct command_tally *all = mem_array(probes_count(session) + 1, sizeof *all);

	for (const struct probes_edit *e = r->edits; e < r->edits + r->edit_count; e++) {
		int old = e->old[0] | e->old[1] << 8, now = e->new_[0] | e->new_[1] << 8;
		struct command_tally *t = &all[e->probe];

		t->edits++;
		if (e->role != PROBES_ROLE_SEMAPHORE)
			continue;
		t->counts++;
		t->up += now == old + 1;
		t->down += now == old - 1;
		t->one += now == 1;
		t->zero += now == 0;
	}
	return all;
}

/* The command that changes a probe so, if there is one: what was taken back was any number. */
static enum command_way command_reverted(
	const struct command_tally *t, uint32_t counts, enum probes_verb *verb)
{
	if (t->counts != counts)
		return COMMAND_NONE;
	*verb = t->up == counts || (t->down < counts && t->one == counts) ? PROBES_ENABLE
									  : PROBES_DISABLE;
	if (t->up == counts || t->down == counts)
		return COMMAND_USUAL;
	return t->one == counts || t->zero == counts ? COMMAND_FORCE : COMMAND_NONE;
}

/* What one process's part of an operation says in one way. */
static struct command command_part(const struct operation *o, const struct probes_result *r,
	const struct probes_session *session, enum command_way way)
{
	struct command c = {.session = session};
	struct command_tally *all = r && o->reverts ? command_tally(session, r) : NULL;

	for (size_t j = 0; r && j < r->item_count; j++) {
		struct command_item item = {r->items[j].probe, r->items[j].verb};
		enum command_way of = o->keep || item.verb == PROBES_UNCOUNT ? COMMAND_NONE
				      : item.verb == PROBES_COUNT            ? COMMAND_COUNT
				      : o->force                             ? COMMAND_FORCE
									     : COMMAND_USUAL;

		if (r->items[j].outcome != PROBES_DONE || (all && !all[item.probe].edits))
			continue;
		if (all && of == COMMAND_USUAL)
			of = command_reverted(&all[item.probe],
				probes_at(session, item.probe)->semaphore_count, &item.verb);
		if (of == way)
			command_add(&c, item.probe, item.verb);
	}
	free(all);
	return c;
}

/* A comment for each probe that no command changes so. Frees the items. */
static void command_comments(struct command *c, const struct model_process *p, FILE *out)
{
	size_t ended = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->items[i].verb == PROBES_UNCOUNT) {
			ended++;
			continue;
		}
		fprintf(out, "# process %d: no command does this to ", (int)p->pid);
		command_name(c, i, out);
		fputc('\n', out);
	}
	if (ended)
		fprintf(out,
			"# process %d: counting ended in %zu probe%s (probes-tui count ends by "
			"^C)\n",
			(int)p->pid, ended, line_s(ended));
	free(c->items);
}

char *command_of_operation(const struct model *m, const struct operation *o)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (enum command_way way = COMMAND_USUAL; way < COMMAND_WAYS; way++) {
		char **texts = mem_array(m->process_count, sizeof *texts), *joined;
		char options[64];

		for (size_t i = 0; i < o->count && i < m->process_count; i++) {
			const struct model_process *p = &m->processes[i];
			struct command c = command_part(o, o->results[i], p->session, way);
			bool any = c.count > 0;

			if (way == COMMAND_NONE) {
				command_comments(&c, p, out);
				continue;
			}
			texts[i] = command_text(&c, o->pair);
			if (o->line && any) {
				free(texts[i]);
				texts[i] = mem_text(o->line);
			}
		}
		snprintf(options, sizeof options, "%s%s%s",
			way == COMMAND_COUNT && o->sum.stopped_ns ? " -stop" : "",
			way == COMMAND_COUNT && o->sum.uprobe_sites ? " -kernel" : "",
			way == COMMAND_COUNT               ? COMMAND_WHILE
			: way == COMMAND_FORCE && !o->line ? " -force"
							   : "");
		joined = command_join(m, way == COMMAND_COUNT ? COMMAND_COUNT_HEAD : COMMAND_HEAD,
			texts, options);
		fputs(joined, out);
		free(joined);
	}
	fclose(out);
	return text;
}

/* Rows after this head. `more` is appended to each line. */
static char *command_rows(const struct model *m, const uint32_t *ids, size_t count,
	enum probes_verb verb, const char *head, const char *more)
{
	char **texts = mem_array(m->process_count, sizeof *texts);

	for (size_t i = 0; i < m->process_count; i++) {
		struct command c = {.session = m->processes[i].session};
		size_t found, *probes = model_probes_of(m, i, ids, count, &found);

		for (size_t j = 0; !m->processes[i].gone && j < found; j++)
			command_add(&c, probes[j], verb);
		free(probes);
		texts[i] = command_text(&c, false);
	}
	return command_join(m, head, texts, more);
}

char *command_of_rows(
	const struct model *m, const uint32_t *ids, size_t count, enum probes_verb verb)
{
	return command_rows(
		m, ids, count, verb, verb == PROBES_COUNT ? COMMAND_COUNT_HEAD : COMMAND_HEAD, "");
}

char *command_of_events(const struct model *m, const uint32_t *ids, size_t count, unsigned texts,
	const char *where, const char *more)
{
	char *options, *text, names[100];
	size_t size;
	FILE *out = open_memstream(&options, &size);

	if (texts)
		fprintf(out, " -str %s", event_arguments(texts, names, sizeof names));
	if (where) {
		fputs(" -where ", out);
		shell_quote(out, where);
	}
	fputs(more, out);
	fclose(out);
	text = command_rows(m, ids, count, PROBES_COUNT, COMMAND_EVENTS_HEAD, options);
	free(options);
	return text;
}

/* "START,END" of one process, as command_text. */
static char *command_latency_text(const struct probes_session *session, const size_t probes[2])
{
	struct command c = {.session = session};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < 2; i++)
		command_add(&c, probes[i], PROBES_COUNT);
	if (probe_name_init(&c.names, session) == 0) {
		bool shared = command_object(&c, 0) != COMMAND_ANY_OBJECT ||
			      command_object(&c, 1) != COMMAND_ANY_OBJECT;

		command_pair(&c, " ", 0, out);
		command_end(&c, shared ? probes_at(session, probes[0])->object : COMMAND_ANY_OBJECT,
			out);
	}
	fclose(out);
	free(c.items);
	probe_name_done(&c.names);
	return text;
}

char *command_of_latency(const struct model *m, uint32_t start, uint32_t end, const char *more)
{
	char **texts = mem_array(m->process_count, sizeof *texts);

	for (size_t i = 0; i < m->process_count; i++) {
		const uint32_t pair[2] = {start, end};
		size_t count, *probes = model_probes_of(m, i, pair, 2, &count);

		if (!m->processes[i].gone && count == 2)
			texts[i] = command_latency_text(m->processes[i].session, probes);
		free(probes);
	}
	return command_join(m, COMMAND_LATENCY_HEAD, texts, more);
}
