/*
 * Deeds and choices as command lines: probes by name, narrowed to an object
 * where a name lies in several; processes with the same line share it.
 */
#include "ui/tui/operations/command.h"

#include "ui/probe_name.h"
#include "ui/tui/operations/shell.h"
#include "ui/tui/terminal/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_NAMES 64 /* after one option; more are given in several */

struct command_item {
	size_t probe;
	enum probes_verb verb;
};

/* What is to be said about one process. */
struct command {
	const struct probes_session *session;
	struct command_item *items;
	size_t count, capacity;
	struct probe_name spell;
};

#define COMMAND_ANYWHERE UINT32_MAX /* names that lie in one object only */

static uint32_t command_object(const struct command *c, size_t i)
{
	size_t probe = c->items[i].probe;

	return probe_name_shared(&c->spell, probe) ? probes_at(c->session, probe)->object
						   : COMMAND_ANYWHERE;
}

static void command_name(const struct command *c, size_t i, FILE *out)
{
	char name[2048];

	probe_name_full(probes_at(c->session, c->items[i].probe), name, sizeof name);
	fputs(name, out);
}

/* -enable a,b,c of the items of one verb in one object. */
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
			fputs(verb == PROBES_ENABLE ? " -enable " : " -disable ", out);
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

static bool command_is_all(const struct command *c)
{
	for (size_t i = 1; i < c->count; i++) {
		if (c->items[i].verb != c->items[0].verb)
			return false;
	}
	return c->count > 1 && c->count == probes_count(c->session);
}

static bool command_is_pair(const struct command *c, bool pair)
{
	return pair && c->count == 2 && c->items[0].verb == c->items[1].verb &&
	       command_object(c, 0) == command_object(c, 1);
}

/* Both were switched in the order that loses no end: on, the end came first. */
static void command_pair(const struct command *c, FILE *out)
{
	bool on = c->items[0].verb == PROBES_ENABLE;
	char *names;
	size_t size;
	FILE *list = open_memstream(&names, &size);

	command_name(c, on ? 1 : 0, list);
	fputc(',', list);
	command_name(c, on ? 0 : 1, list);
	fclose(list);
	fputs(on ? " -enable-pair " : " -disable-pair ", out);
	shell_quote(out, names);
	free(names);
}

/* The actions for one object (or for what needs none to be named), as one line. */
static void command_line(const struct command *c, uint32_t object, bool pair, FILE *out)
{
	if (command_is_pair(c, pair)) {
		command_pair(c, out);
	} else {
		command_names(c, object, PROBES_ENABLE, out);
		command_names(c, object, PROBES_DISABLE, out);
	}
	if (object != COMMAND_ANYWHERE) {
		fputs(" -object ", out);
		shell_quote(out, probes_object_at(c->session, object)->path);
	}
	fputc('\n', out);
}

/* Every object that must be named once, in the order of the items. */
static void command_lines(const struct command *c, bool pair, FILE *out)
{
	size_t objects = probes_object_count(c->session);
	bool *said = mem_array(objects + 1, sizeof *said);

	for (size_t i = 0; i < c->count; i++) {
		uint32_t object = command_object(c, i);
		bool *once = &said[object == COMMAND_ANYWHERE ? objects : object];

		if (!*once)
			command_line(c, object, pair, out);
		*once = true;
	}
	free(said);
}

/* The actions in one process: lines without their head. */
static char *command_text(struct command *c, bool pair)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (command_is_all(c))
		fputs(c->items[0].verb == PROBES_ENABLE ? " -enable-all\n" : " -disable-all\n",
			out);
	else if (c->count && probe_name_init(&c->spell, c->session) == 0)
		command_lines(c, pair, out);
	fclose(out);
	probe_name_done(&c->spell);
	return text;
}

static void command_add(struct command *c, size_t probe, enum probes_verb verb)
{
	c->items = mem_grow(c->items, &c->capacity, c->count + 1, sizeof *c->items);
	c->items[c->count++] = (struct command_item){.probe = probe, .verb = verb};
}

/* The texts of all processes, under their heads; frees them. */
static char *command_join(const struct model *m, char **texts, const char *more)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < m->process_count; i++) {
		if (!texts[i] || !*texts[i])
			continue;
		for (char *line = texts[i], *end; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			fprintf(out, "%s%d", COMMAND_HEAD, (int)m->processes[i].pid);
			*end = '\n';
			for (size_t j = i + 1; j < m->process_count; j++) {
				if (texts[j] && !strcmp(texts[i], texts[j]))
					fprintf(out, ",%d", (int)m->processes[j].pid);
			}
			fprintf(out, "%.*s%s\n", (int)(end - line), line, more);
		}
		for (size_t j = i + 1; j < m->process_count; j++) {
			if (texts[j] && !strcmp(texts[i], texts[j]))
				texts[j][0] = '\0';
		}
	}
	fclose(out);
	for (size_t i = 0; i < m->process_count; i++)
		free(texts[i]);
	free(texts);
	return text;
}

char *command_of_deed(const struct model *m, const struct operation *d)
{
	char **texts = mem_array(m->process_count, sizeof *texts);

	for (size_t i = 0; i < d->count && i < m->process_count; i++) {
		const struct probes_result *r = d->results[i];
		struct command c = {.session = m->processes[i].session};

		for (size_t j = 0; r && j < r->item_count; j++) {
			if (r->items[j].outcome == PROBES_DONE)
				command_add(&c, r->items[j].probe, r->items[j].verb);
		}
		texts[i] = c.count && d->line ? mem_text(d->line) : command_text(&c, d->pair);
		free(c.items);
	}
	return command_join(m, texts, d->force && !d->line ? " -force" : "");
}

char *command_of_rows(
	const struct model *m, const uint32_t *ids, size_t count, enum probes_verb verb)
{
	char **texts = mem_array(m->process_count, sizeof *texts);
	struct model_member member;

	for (size_t i = 0; i < m->process_count; i++) {
		struct command c = {.session = m->processes[i].session};

		for (size_t j = 0; !m->processes[i].gone && j < count; j++) {
			for (uint32_t at = m->rows[ids[j]].member; model_next(m, &at, &member);) {
				if (member.process == i)
					command_add(&c, member.probe, verb);
			}
		}
		texts[i] = command_text(&c, false);
		free(c.items);
	}
	return command_join(m, texts, "");
}
