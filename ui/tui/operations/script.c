#include "ui/tui/operations/script.h"

#include "ui/tui/operations/command.h"
#include "ui/tui/terminal/mem.h"
#include "ui/tui/terminal/text.h"

#include <stdlib.h>
#include <string.h>

void script_done(struct script *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free(r->all[i].text);
		free(r->all[i].command);
	}
	free(r->all);
	*r = (struct script){0};
}

static void script_add(struct script *r, const char *text, char *command)
{
	r->all = mem_grow(r->all, &r->capacity, r->count + 1, sizeof *r->all);
	r->all[r->count++] = (struct script_entry){
		.when = time(NULL), .text = mem_text(text), .command = command};
}

void script_operation(
	struct script *r, const struct model *m, const char *prefix, const struct operation *o)
{
	char outcome[400], text[700];

	if (!operation_wrote(o))
		return;
	snprintf(text, sizeof text, "%s%s: %s", prefix, o->what,
		operation_say(&o->sum, outcome, sizeof outcome));
	script_add(r, text, command_of_operation(m, o));
}

void script_latency(
	struct script *r, const struct model *m, uint32_t start, uint32_t end, bool stop)
{
	char text[400];

	snprintf(text, sizeof text, "latency %.160s,%.160s", row_name(&m->rows[start]),
		row_name(&m->rows[end]));
	script_add(r, text,
		command_of_latency(m, start, end, stop ? " -stop" COMMAND_WHILE : COMMAND_WHILE));
}

void script_events(struct script *r, const struct model *m, const uint32_t *ids, size_t count,
	const struct feed_ask *ask)
{
	char text[400], more[48];

	snprintf(text, sizeof text, "events %.160s", row_name(&m->rows[ids[0]]));
	if (count > 1)
		text_addf(text, sizeof text, " +%zu more", count - 1);
	snprintf(more, sizeof more, "%s%s%s", ask->callers ? " -callers" : "",
		ask->interrupts ? " -stop" : "", COMMAND_WHILE);
	script_add(r, text, command_of_events(m, ids, count, ask->texts, ask->where, more));
}

void script_mark(struct script *r, const char *text)
{
	char safe[4 * TEXT_MAX];

	script_add(r, text_clean(text, safe, sizeof safe), NULL);
}

const struct script_entry *script_last(const struct script *r)
{
	for (size_t i = r->count; i-- > 0;)
		if (r->all[i].command)
			return &r->all[i];
	return NULL;
}

/* Write command lines. With one process its pid becomes the script's argument. */
static void script_command(const char *command, bool one, FILE *out)
{
	static const char *const heads[] = {
		COMMAND_HEAD, COMMAND_COUNT_HEAD, COMMAND_LATENCY_HEAD, COMMAND_EVENTS_HEAD};

	while (*command) {
		size_t n = strcspn(command, "\n"), head = 0, pid; /* 0: it is a comment */

		for (size_t i = 0; one && i < sizeof heads / sizeof *heads; i++)
			if (!strncmp(command, heads[i], strlen(heads[i])))
				head = strlen(heads[i]);
		pid = head ? strspn(command + head, "0123456789") : 0;
		if (head)
			fprintf(out, "%.*s\"$pid\"%.*s\n", (int)head, command,
				(int)(n - head - pid), command + head + pid);
		else
			fprintf(out, "%.*s\n", (int)n, command);
		command += n + (command[n] == '\n');
	}
}

size_t script_text(const struct script *r, const struct model *m, FILE *out)
{
	char path[TEXT_MAX];
	size_t actions = 0;

	fprintf(out, "#!/bin/sh\n# A session of probes-tui, as commands that do the same.\n");
	for (size_t i = 0; i < m->process_count; i++)
		fprintf(out, "# process %d %s\n", (int)m->processes[i].pid,
			text_clean(probes_path(m->processes[i].session), path, sizeof path));
	if (m->process_count == 1)
		fprintf(out, "pid=${1:-%d}\n", (int)m->processes[0].pid);
	for (const struct script_entry *e = r->all; e < r->all + r->count; e++) {
		char when[40];
		struct tm tm;

		strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", localtime_r(&e->when, &tm));
		fprintf(out, "\n# %s %s%s\n", when, e->command ? "" : "MARK ", e->text);
		if (!e->command)
			continue;
		script_command(e->command, m->process_count == 1, out);
		actions++;
	}
	return actions;
}
