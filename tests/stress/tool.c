/* One call of probes-tui: its words, its output, its journals. */
#include "tool.h"

#include "fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOOL_WORDS 64

struct tool_call {
	char text[2048];
	const char *argv[TOOL_WORDS];
};

void tool_init(struct tool *t, const char *path, const char *folder)
{
	*t = (struct tool){.path = path};
	snprintf(t->output, sizeof t->output, "%s/output", folder);
	snprintf(t->journals, sizeof t->journals, "%s/probes-tui", folder);
	setenv("PROBES_TUI_RECORDS", t->journals, 1);
	/* Ignored where all this runs in the background, and in the tool, too, until it waits for
	 * them: one that is sent before would be lost. */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
}

void tool_aim(struct tool *t, pid_t victim)
{
	snprintf(t->pid, sizeof t->pid, "%d", victim);
}

static void tool_words(const struct tool *t, const char *words, struct tool_call *call)
{
	char *rest = call->text;
	size_t n = 0;

	snprintf(call->text, sizeof call->text, "%s", words);
	call->argv[n++] = t->path;
	call->argv[n++] = strtok_r(rest, " ", &rest);
	/* What only looks notes nothing there. */
	if (strcmp(call->argv[1], "list") != 0 && strcmp(call->argv[1], "info") != 0)
		call->argv[n++] = "-no-syslog";
	call->argv[n++] = "-quiet";
	call->argv[n++] = "-pid";
	call->argv[n++] = t->pid;
	while (n < TOOL_WORDS - 1 && (call->argv[n] = strtok_r(rest, " ", &rest)))
		n++;
	call->argv[n] = NULL;
}

struct killer_end tool_run(const struct tool *t, const char *words, const struct killer *k)
{
	static const struct killer never = {.way = KILLER_NEVER};
	struct tool_call call;

	tool_words(t, words, &call);
	return killer_run((char *const *)call.argv, &t->birth, k ? k : &never, t->output);
}

void tool_must(const struct tool *t, const char *words)
{
	long mark = tool_mark(t);

	tool_succeeded(t, words, tool_run(t, words, NULL), mark);
}

bool tool_succeeded(const struct tool *t, const char *words, struct killer_end end, long mark)
{
	FILE *f;
	char line[4096];
	int most = 20;

	if (!end.status)
		return true;
	fault("%s: status %x", words, (unsigned)end.status);
	f = fopen(t->output, "re");
	if (f && fseek(f, mark, SEEK_SET) == 0)
		while (most-- && fgets(line, sizeof line, f))
			printf("    | %s", line);
	if (f)
		fclose(f);
	return false;
}

pid_t tool_start(const struct tool *t, const char *words)
{
	struct tool_call call;

	tool_words(t, words, &call);
	return killer_start((char *const *)call.argv, &t->birth, t->output);
}

long tool_mark(const struct tool *t)
{
	struct stat st;

	return stat(t->output, &st) == 0 ? (long)st.st_size : 0;
}

bool tool_said(const struct tool *t, long mark, const char *word)
{
	FILE *f = fopen(t->output, "re");
	char line[4096];
	bool said = false;

	if (f && fseek(f, mark, SEEK_SET) == 0)
		while (!said && fgets(line, sizeof line, f))
			said = strstr(line, word);
	if (f)
		fclose(f);
	return said;
}

size_t tool_journals(const struct tool *t)
{
	DIR *list = opendir(t->journals);
	struct dirent *entry;
	size_t n = 0;

	while (list && (entry = readdir(list)))
		n += entry->d_name[0] != '.';
	if (list)
		closedir(list);
	return n;
}

void tool_keep_journals(const struct tool *t, unsigned long number)
{
	char aside[600];

	snprintf(aside, sizeof aside, "%s-kept-%lu", t->journals, number);
	if (rename(t->journals, aside) < 0 && errno != ENOENT)
		fault_fatal("cannot put %s aside", t->journals);
}
