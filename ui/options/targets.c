#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/options/targets.h"

/* What the kernel calls a process: 15 bytes at most, and it may hold anything. */
#define COMM 15

/* 1 or 0; a negative errno: unknown, for lack of descriptors. */
static int is_called(pid_t pid, const char *name)
{
	char path[64], comm[COMM + 2];
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return errno == EMFILE || errno == ENFILE ? -errno : 0;
	n = fread(comm, 1, sizeof comm - 1, f);
	fclose(f);
	comm[n] = '\0';
	if (n && comm[n - 1] == '\n')
		comm[n - 1] = '\0';
	return !strncmp(comm, name, COMM);
}

static int open_called(struct probes_group *g, const char *name, struct probes_error *e)
{
	char what[256];
	size_t kept = 0, count;
	pid_t *pids;
	int r = probes_processes(&pids, &count, e);

	if (r < 0)
		return r;
	snprintf(what, sizeof what, "-comm %s", name);
	for (size_t i = 0; r >= 0 && i < count; i++) {
		r = pids[i] == getpid() ? 0 : is_called(pids[i], name);
		if (r == 1)
			pids[kept++] = pids[i];
	}
	if (r < 0)
		r = probes_failed(e, r, what);
	else if (!kept)
		r = report_set(e, PROBES_NO_TARGET, -ESRCH, what,
			"ps -eo pid,comm shows what processes are called",
			"no process has this name");
	else
		r = probes_group_open(g, pids, kept, true, e);
	free(pids);
	return r;
}

int targets_open(struct probes_group **group, const struct options *o,
	const struct probes_options *engine, struct probes_error *e)
{
	int r = probes_group_new(engine, group, e);

	if (r < 0)
		return r;
	if (o->prog)
		r = probes_group_open_file(*group, o->prog, e);
	else if (o->tree)
		r = probes_group_open_tree(*group, o->tree, e);
	else if (o->comm)
		r = open_called(*group, o->comm, e);
	else
		r = probes_group_open(*group, o->pids, o->pid_count, false, e);
	if (r == 0)
		return 0;
	probes_group_close(*group);
	*group = NULL;
	return r;
}

struct probes_options targets_engine(const struct options *o, struct report_volume *volume)
{
	*volume = (struct report_volume){.quiet = o->quiet, .verbose = o->verbose};
	return (struct probes_options){
		.read_only = o->read_only,
		/* What these two do is intent, and stays, but for what has a term. */
		.persistent = o->verb & (VERB_ATTACH | VERB_TRACE) && !o->for_ms,
		.log = report_log,
		.log_data = volume,
	};
}
