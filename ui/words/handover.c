/*
 * Command lines of bpftrace, gdb and perf.
 *
 * Owns what these tools accept, as tried with bpftrace 0.17, gdb 13 and perf 6.1. Must not run
 * them.
 *
 * bpftrace -p PID opens a path in the root of the process, and raises semaphores. It finds no probe
 * in a file that was deleted, but does without -p, by the links in /proc. gdb finds a deleted
 * program by such a link, a library not at all. perf takes sdt probes only from files that it could
 * cache by their own path.
 */
#include "ui/words/handover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ui/words/shell.h"

#define WORD "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

static bool is_of(const char *text, const char *characters)
{
	return *text && !text[strspn(text, characters)];
}

/* Do gdb and, in quotes, bpftrace accept this provider and name? */
static bool is_plain(const struct probes_probe *p)
{
	return is_of(p->provider, WORD ".-") && is_of(p->name, WORD ".-");
}

static void put_word(FILE *out, const char *word, const char *plain)
{
	fprintf(out, is_of(word, plain) ? "%s" : "\"%s\"", word);
}

/* usdt:PATH:PROVIDER:NAME, ... { count }. False: there is no such probe, or no path. */
static bool put_program(const struct handover *h, FILE *out)
{
	char path[4200];
	size_t probes = 0;

	if (h->deleted && h->executable)
		snprintf(path, sizeof path, "/proc/%d/exe", (int)h->pid);
	else if (h->deleted && h->map_end)
		snprintf(path, sizeof path, "/proc/%d/map_files/%llx-%llx", (int)h->pid, h->map,
			h->map_end);
	else if (h->deleted)
		return false;
	else if (h->elsewhere)
		snprintf(path, sizeof path, "/proc/%d/root%s", (int)h->pid, h->path);
	else
		snprintf(path, sizeof path, "%s", h->path);
	/* a wildcard, or the end of the string */
	if (strpbrk(path, "*?[]\"\\")) {
		if (!h->executable || h->elsewhere)
			return false;
		snprintf(path, sizeof path, "/proc/%d/exe", (int)h->pid);
	}
	for (size_t i = 0; i < h->count; i++) {
		const struct probes_probe *p = h->probes[i];

		if (!is_plain(p) || !p->site_count)
			continue;
		fputs(probes++ ? ", usdt:" : "usdt:", out);
		put_word(out, path, WORD "/.-+");
		fputc(':', out);
		put_word(out, p->provider, WORD);
		fputc(':', out);
		put_word(out, p->name, WORD);
	}
	fputs(" { @[probe] = count(); }", out);
	return probes;
}

static bool put_bpftrace(const struct handover *h, FILE *out)
{
	char *program = NULL;
	size_t size;
	FILE *text = open_memstream(&program, &size);
	bool good = text && put_program(h, text);

	if (text)
		fclose(text);
	fputs("bpftrace", out);
	if (!h->deleted)
		fprintf(out, " -p %d", (int)h->pid);
	fputs(" -e ", out);
	if (good)
		shell_quote(out, program);
	free(program);
	return good;
}

static bool put_gdb(const struct handover *h, FILE *out)
{
	const struct probes_probe *p = h->probes[0];

	if (!is_plain(p) || !p->site_count || (h->deleted && !h->executable))
		return false;
	fputs("gdb", out);
	if (h->deleted)
		fprintf(out, " /proc/%d/exe", (int)h->pid);
	/* The JVM raises SIGSEGV itself, at safepoints: gdb passes it on. */
	fprintf(out,
		" -p %d -batch -ex 'handle SIGSEGV nostop noprint pass' "
		"-ex 'break -probe-stap %s:%s' -ex continue -ex bt",
		(int)h->pid, p->provider, p->name);
	return true;
}

/* Of several sites perf makes NAME, NAME_1, ... */
static bool put_perf(const struct handover *h, FILE *out)
{
	const struct probes_probe *p = h->probes[0];

	if (!is_of(p->provider, WORD) || !is_of(p->name, WORD) || !p->site_count || h->deleted ||
		h->elsewhere)
		return false;
	fputs("perf buildid-cache --add ", out);
	shell_quote(out, h->path);
	fprintf(out, " && perf probe sdt_%s:%s && perf record -e ", p->provider, p->name);
	fprintf(out, p->site_count == 1 ? "sdt_%s:%s" : "'sdt_%s:%s*'", p->provider, p->name);
	fprintf(out, " -p %d", (int)h->pid);
	return true;
}

static const struct {
	bool (*put)(const struct handover *h, FILE *out);
	const char *about;
} tools[HANDOVER_COUNT] = {
	[HANDOVER_BPFTRACE] = {put_bpftrace, "bpftrace, as root: count the hits until ^C"},
	[HANDOVER_GDB] = {put_gdb,
		"gdb: wait for one hit, print its stack, detach; the process stops meanwhile; "
		"never kill -9 this gdb: the breakpoint that it leaves kills the process"},
	[HANDOVER_PERF] = {put_perf,
		"perf, as root: record each hit with its time and thread; perf probe -l shows the "
		"event that this adds, -d removes it"},
};

const char *handover_about(const struct handover *h, enum handover_tool tool)
{
	if (tool == HANDOVER_BPFTRACE && h->deleted)
		return "bpftrace, as root: count the hits until ^C, in every process that maps the "
		       "deleted file";
	return tools[tool].about;
}

char *handover_command(const struct handover *h, enum handover_tool tool)
{
	char *text = NULL;
	size_t size;
	FILE *out = h->count ? open_memstream(&text, &size) : NULL;
	bool good = out && tools[tool].put(h, out);

	if (out && fclose(out) == 0 && good)
		return text;
	free(text);
	return NULL;
}

/* The mapping of the process that holds an address. */
static void find_map(struct handover *h, uint64_t address)
{
	unsigned long long start, end;
	char path[64], *line = NULL;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)h->pid);
	maps = fopen(path, "re");
	while (maps && !h->map_end && getline(&line, &size, maps) > 0)
		if (sscanf(line, "%llx-%llx", &start, &end) == 2 && address >= start &&
			address < end) {
			h->map = start;
			h->map_end = end;
		}
	free(line);
	if (maps)
		fclose(maps);
}

bool handover_look(struct handover *h, const struct probes_session *session, size_t probe)
{
	const struct probes_probe *p = probes_at(session, probe);
	const struct probes_object *o = probes_object_at(session, p->object);
	struct stat here, there;
	char path[4200];

	*h = (struct handover){.pid = probes_pid(session),
		.path = o->path,
		.executable = o->executable,
		.deleted = o->deleted};
	if (!h->pid || o->gone)
		return false;
	snprintf(path, sizeof path, "/proc/%d/root%s", (int)h->pid, o->path);
	if (!o->deleted && stat(path, &there) == 0)
		h->elsewhere = stat(o->path, &here) < 0 || here.st_dev != there.st_dev ||
			       here.st_ino != there.st_ino;
	if (o->deleted && p->site_count)
		find_map(h, p->sites[0].address);
	return true;
}
