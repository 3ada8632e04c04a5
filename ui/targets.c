/*
 * The sessions of a call.
 *
 * Owns finding, opening and closing them, and that one process that cannot be
 * opened does not keep us from the others. Must not print.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/targets.h"

static void open_one(struct target *t, pid_t pid, const struct probes_options *engine)
{
	t->pid = pid;
	if (probes_open_pid(pid, engine, &t->session, &t->error) < 0)
		t->session = NULL;
}

static int reserve(struct targets *t, size_t count, struct probes_error *e)
{
	t->items = calloc(count ? count : 1, sizeof *t->items);
	if (!t->items)
		return report_set(e, PROBES_FAILED, -ENOMEM, "cannot open the processes", "", "%s",
			strerror(ENOMEM));
	t->count = count;
	return 0;
}

static int open_pids(struct targets *t, const pid_t *pids, size_t count,
	const struct probes_options *engine, struct probes_error *e)
{
	int r = reserve(t, count, e);

	for (size_t i = 0; !r && i < count; i++)
		open_one(&t->items[i], pids[i], engine);
	return r;
}

/* Of several that were not named one by one, what has probes, or could not be looked at though it
 * is there. */
static bool of_interest(const struct target *t)
{
	if (t->session)
		return probes_count(t->session) > 0;
	return t->error.status != PROBES_NO_TARGET && t->error.status != PROBES_GONE;
}

/* Pass over helpers without probes and children that have ended; if there is nothing else, the
 * first one stays, to explain why. */
static void prune(struct targets *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		bool last = kept == 0 && i + 1 == t->count;

		if (of_interest(&t->items[i])) {
			struct target one = t->items[i];

			t->items[i] = t->items[kept];
			t->items[kept++] = one;
		} else if (last) {
			kept = 1;
		}
	}
	for (size_t i = kept; i < t->count; i++)
		if (t->items[i].session)
			probes_close(t->items[i].session);
	t->count = kept;
}

/* We may be a descendant ourselves, of the shell that is asked about. */
static size_t without_us(pid_t *pids, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (pids[i] != getpid())
			pids[kept++] = pids[i];
	return kept;
}

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

static int find_called(const char *name, pid_t **pids, size_t *count, struct probes_error *e)
{
	char what[256];
	size_t kept = 0;
	int r = probes_processes(pids, count, e);

	if (r < 0)
		return r;
	for (size_t i = 0; r >= 0 && i < *count; i++) {
		if ((*pids)[i] != getpid())
			r = is_called((*pids)[i], name);
		if ((*pids)[i] != getpid() && r == 1)
			(*pids)[kept++] = (*pids)[i];
	}
	*count = kept;
	if (kept && r >= 0)
		return 0;
	free(*pids);
	snprintf(what, sizeof what, "-comm %s", name);
	if (r < 0)
		return probes_failed(e, r, what);
	return report_set(e, PROBES_NO_TARGET, -ESRCH, what,
		"ps -eo pid,comm shows what processes are called", "no process has this name");
}

static int open_found(struct targets *t, const struct options *o,
	const struct probes_options *engine, struct probes_error *e)
{
	pid_t *pids;
	size_t count;
	int r = o->tree ? probes_tree(o->tree, &pids, &count, e)
			: find_called(o->comm, &pids, &count, e);

	if (r < 0)
		return r;
	r = open_pids(t, pids, without_us(pids, count), engine, e);
	free(pids);
	if (!r)
		prune(t);
	return r;
}

static int open_file(struct targets *t, const char *path, const struct probes_options *engine,
	struct probes_error *e)
{
	int r = reserve(t, 1, e);

	if (!r && probes_open_file(path, engine, &t->items->session, &t->items->error) < 0)
		t->items->session = NULL;
	return r;
}

int targets_open(struct targets *t, const struct options *o, const struct probes_options *engine,
	struct probes_error *e)
{
	*t = (struct targets){0};
	if (o->prog)
		return open_file(t, o->prog, engine, e);
	if (o->tree || o->comm)
		return open_found(t, o, engine, e);
	return open_pids(t, o->pids, o->pid_count, engine, e);
}

struct probes_options targets_engine(const struct options *o, struct report_volume *volume)
{
	*volume = (struct report_volume){.quiet = o->quiet, .verbose = o->verbose};
	return (struct probes_options){
		.read_only = o->read_only,
		/* What these two do is intent, and stays, but for what has a term. */
		.lasting = o->verb & (VERB_ATTACH | VERB_TRACE) && !o->for_ms,
		.log = report_log,
		.log_data = volume,
	};
}

void targets_add(struct targets *t, struct probes_session *session)
{
	struct target *more = reallocarray(t->items, t->count + 1, sizeof *more);

	if (!more)
		abort();
	t->items = more;
	t->items[t->count++] = (struct target){.pid = probes_pid(session), .session = session};
}

void targets_abandon(struct target *t)
{
	/* Within reach, so that no checker of memory takes it for lost. */
	static struct probes_session **abandoned;
	static size_t count;
	struct probes_session **more = reallocarray(abandoned, count + 1, sizeof *more);

	if (more) {
		abandoned = more;
		abandoned[count++] = t->session;
	}
	t->session = NULL;
}

void targets_close(struct targets *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->items[i].session)
			probes_close(t->items[i].session);
	free(t->items);
	*t = (struct targets){0};
}
