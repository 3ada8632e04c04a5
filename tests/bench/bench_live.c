/*
 * Measuring what is done to a running process, in turns with the least that the
 * kernel lets the same work cost: the same bytes read, the same bytes written,
 * the same threads stopped, by a bare loop of system calls.
 */
#include "bench.h"
#include "patch/apply.h"
#include "process/stop.h"
#include "session/session.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIVE_THREADS 4096

/* ---- a bare stop ---- */

/* What is compared with ours runs as ours does (process/stop.c). */
static void live_first(bool first)
{
	const struct sched_param param = {.sched_priority = first};

	if (sched_setscheduler(0, first ? SCHED_RR : SCHED_OTHER, &param) < 0)
		setpriority(PRIO_PROCESS, 0, first ? -20 : 0);
}

struct live_stop {
	pid_t pid, tids[LIVE_THREADS];
	size_t count;
	uint64_t begin; /* of the standing still */
};

static void live_stop(struct live_stop *s)
{
	char path[64];
	struct dirent *entry;
	DIR *tasks;
	int status;

	snprintf(path, sizeof path, "/proc/%d/task", s->pid);
	tasks = opendir(path);
	s->count = 0;
	while (tasks && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.' && s->count < LIVE_THREADS)
			s->tids[s->count++] = atoi(entry->d_name);
	closedir(tasks);
	for (size_t i = 0; i < s->count; i++)
		ptrace(PTRACE_SEIZE, s->tids[i], NULL, NULL);
	s->begin = bench_now();
	for (size_t i = 0; i < s->count; i++)
		ptrace(PTRACE_INTERRUPT, s->tids[i], NULL, NULL);
	for (size_t i = 0; i < s->count; i++)
		waitpid(s->tids[i], &status, __WALL);
}

static void live_resume(struct live_stop *s)
{
	for (size_t i = 0; i < s->count; i++)
		ptrace(PTRACE_DETACH, s->tids[i], NULL, NULL);
}

/* ---- reading ---- */

/* The very bytes that a refresh reads, by nothing but the call; `list` are its ranges. */
static uint64_t live_read_bare(const struct array *list, unsigned char *to, pid_t pid)
{
	uint64_t begin = bench_now();

	for (size_t at = 0; at < list->count;) {
		struct iovec local[1024], remote[1024];
		size_t n = 0;

		for (; n < 1024 && at < list->count; n++, at++) {
			const struct span *span = ARRAY_AT(list, struct span, at);

			local[n] = (struct iovec){to + span->offset, span->length};
			remote[n] = (struct iovec){(void *)(uintptr_t)span->address, span->length};
		}
		if (process_vm_readv(pid, local, n, remote, n, 0) <= 0)
			bench_die("bare read", "it failed");
	}
	return bench_now() - begin;
}

/* The ranges of all looks of a refresh as one list; returns how many calls it makes of them. */
static size_t live_ranges(const struct reader *r, struct array *list)
{
	size_t calls = 0;

	*list = ARRAY_OF(struct span);
	for (size_t i = 0; i < r->pieces.count; i++) {
		const struct reader_piece *p = ARRAY_AT(&r->pieces, struct reader_piece, i);

		calls += (p->spans.list.count + 1023) / 1024;
		for (size_t k = 0; k < p->spans.list.count; k++) {
			struct span *span = array_add(list);

			if (!span)
				bench_die("memory", "there is none");
			*span = *ARRAY_AT(&p->spans.list, struct span, k);
			span->offset += p->offset;
		}
	}
	return calls;
}

static uint64_t live_refresh(struct probes_session *s)
{
	struct probes_error e;
	uint64_t begin = bench_now();

	bench_must(probes_refresh(s, NULL, 0, &e), &e);
	return bench_now() - begin;
}

/* Add to a count of the target, as another tool would. */
static void live_count(const struct probes_session *s, uint64_t address, int by)
{
	unsigned char count;

	if (pread(s->memory.fd, &count, 1, (off_t)address) != 1)
		bench_die("target", "it cannot be read");
	count = (unsigned char)(count + by);
	if (pwrite(s->memory.fd, &count, 1, (off_t)address) != 1)
		bench_die("target", "it cannot be written");
}

void bench_read(char **args)
{
	struct bench_target t;
	struct probes_session *s;
	struct probes_error e;
	uint64_t begin, count;
	struct array ranges;
	unsigned char *room;
	size_t calls;

	bench_start(&t, args[0], "0", "nap");
	begin = bench_now();
	bench_must(probes_open_pid(t.pid, NULL, &s, &e), &e);
	bench_put("open", args[1], "ours", "ms", (double)(bench_now() - begin) / 1e6);
	bench_put("read-first", args[1], "ours", "us", (double)live_refresh(s) / 1e3);
	calls = live_ranges(&s->all, &ranges);
	room = malloc(s->all.total + 1);
	count = probes_at(s, probes_count(s) / 2)->semaphores[0].address;
	for (int i = 0; room && i < BENCH_TURNS; i++) {
		double bare = (double)live_read_bare(&ranges, room, t.pid) / 1e3;

		bench_put("read", args[1], "ours", "us", (double)live_refresh(s) / 1e3);
		bench_put("read", args[1], "bare", "us", bare);
		live_count(s, count, i % 2 ? -1 : 1);
		bench_put("read-changed", args[1], "ours", "us", (double)live_refresh(s) / 1e3);
		bench_put("read-changed", args[1], "bare", "us", bare);
	}
	bench_put("read-bytes", args[1], "ours", "bytes", (double)s->all.total);
	bench_put("read-calls", args[1], "ours", "calls", (double)calls);
	array_done(&ranges);
	free(room);
	probes_close(s);
	bench_end(&t);
}

/* ---- switching ---- */

static struct probes_result *live_switch(
	struct probes_session *s, enum probes_verb verb, bool atomically, uint64_t *took)
{
	const struct probes_action all = {.verb = verb, .by = PROBES_BY_ALL};
	/* 256 spinning threads on a busy machine may need more than the usual second. */
	const struct probes_switch_options o = {.atomically = atomically, .max_stop_ms = 20000};
	struct probes_result *r;
	struct probes_error e;
	uint64_t begin = bench_now();

	bench_must(probes_switch(s, &all, 1, &o, &r, &e), &e);
	*took = bench_now() - begin;
	return r;
}

/* The writes of a result, forwards or backwards; of a count the byte that differs. */
static void live_write_bare(int memory, const struct probes_result *r, bool back)
{
	for (size_t i = 0; i < r->edit_count; i++) {
		const struct probes_edit *w = &r->edits[back ? r->edit_count - 1 - i : i];

		if (pwrite(memory, back ? w->old : w->new_, 1, (off_t)w->address) != 1)
			bench_die("bare write", "it failed");
	}
}

struct live {
	struct bench_target target;
	struct probes_session *session;
	struct probes_result *writes; /* of switching all on */
	char **args;
	char size[64]; /* "10000, 16 spin" */
};

static void live_put(
	const struct live *l, const char *row, const char *who, const char *unit, uint64_t ns)
{
	bench_put(row, l->size, who, unit, (double)ns / 1e6);
}

/* What applying the plan alone costs: looks and writes, laid out before. */
static uint64_t live_apply(struct live *l, enum probes_verb verb)
{
	struct probes_session *s = l->session;
	const struct probes_switch_options mode = {0};
	struct array chosen = ARRAY_OF(struct selected);
	struct probes_error e;
	struct apply apply;
	struct plan plan;
	uint64_t begin;

	bench_must(probes_refresh(s, NULL, 0, &e), &e);
	for (size_t i = 0; i < probes_count(s); i++)
		*(struct selected *)array_add(&chosen) =
			(struct selected){.probe = i, .verb = verb};
	bench_must(plan_init(&plan, &s->catalog, &e), &e);
	bench_must(plan_switch(&plan, chosen.data, chosen.count, &mode, &e), &e);
	bench_must(apply_init(&apply, &plan, &e), &e);
	begin = bench_now();
	bench_must(apply_run(&apply, &s->memory, &e), &e);
	begin = bench_now() - begin;
	apply_done(&apply);
	plan_done(&plan);
	array_done(&chosen);
	return begin;
}

static void live_running(struct live *l)
{
	uint64_t took, begin;

	bench_reset_gaps(&l->target);
	probes_result_free(live_switch(l->session, PROBES_ENABLE, false, &took));
	live_put(l, "gap-running", "ours", "ms", bench_gap(&l->target));
	live_put(l, "switch", "ours", "ms", took);
	probes_result_free(live_switch(l->session, PROBES_DISABLE, false, &took));

	/* As long, as busy, and without us. */
	bench_reset_gaps(&l->target);
	for (begin = bench_now(); bench_now() - begin < took;)
		;
	live_put(l, "gap-running", "bare", "ms", bench_gap(&l->target));

	begin = bench_now();
	live_write_bare(l->session->memory.fd, l->writes, false);
	took = bench_now() - begin;
	live_put(l, "switch", "bare", "ms", took);
	live_put(l, "apply", "bare", "ms", took);
	live_write_bare(l->session->memory.fd, l->writes, true);

	live_put(l, "apply", "ours", "ms", live_apply(l, PROBES_ENABLE));
	live_apply(l, PROBES_DISABLE);
}

static void live_stopped(struct live *l)
{
	struct live_stop stop = {.pid = l->target.pid};
	struct probes_result *r;
	uint64_t took;

	bench_reset_gaps(&l->target);
	r = live_switch(l->session, PROBES_ENABLE, true, &took);
	live_put(l, "gap-stopped", "ours", "ms", bench_gap(&l->target));
	live_put(l, "gap-stopped", "reported", "ms", r->stopped_ns);
	live_put(l, "stopped", "ours", "ms", r->stopped_ns);
	probes_result_free(r);
	probes_result_free(live_switch(l->session, PROBES_DISABLE, true, &took));

	bench_reset_gaps(&l->target);
	live_first(true);
	live_stop(&stop);
	live_write_bare(l->session->memory.fd, l->writes, false);
	live_resume(&stop);
	took = bench_now() - stop.begin;
	live_first(false);
	live_put(l, "stopped", "bare", "ms", took);
	live_put(l, "gap-stopped", "bare", "ms", bench_gap(&l->target));
	live_write_bare(l->session->memory.fd, l->writes, true);
}

void bench_switch(char **args)
{
	struct live l = {.args = args};
	struct probes_error e;
	uint64_t took;

	snprintf(l.size, sizeof l.size, "%s, %s %s", args[1], args[2], args[3]);
	bench_start(&l.target, args[0], args[2], args[3]);
	bench_must(probes_open_pid(l.target.pid, NULL, &l.session, &e), &e);
	l.writes = live_switch(l.session, PROBES_ENABLE, false, &took);
	probes_result_free(live_switch(l.session, PROBES_DISABLE, false, &took));
	for (int i = 0; i < BENCH_TURNS / 2; i++)
		live_running(&l);
	/* A stop forks: whoever writes next pays for the pages. */
	for (int i = 0; i < BENCH_TURNS / 2; i++)
		live_stopped(&l);
	bench_put("writes", args[1], "ours", "writes", (double)l.writes->edit_count);
	probes_result_free(l.writes);
	probes_close(l.session);
	bench_end(&l.target);
}

/* ---- stopping ---- */

static int live_nothing(void *data, struct probes_error *e)
{
	(void)data;
	(void)e;
	return 0;
}

static void live_bare_stop(pid_t pid, const char *size, const char *who)
{
	struct live_stop stop = {.pid = pid};
	uint64_t begin = bench_now();

	live_stop(&stop);
	live_resume(&stop);
	bench_put("stop", size, who, "ms", (double)(bench_now() - begin) / 1e6);
	bench_put("still", size, who, "ms", (double)(bench_now() - stop.begin) / 1e6);
}

void bench_stop(char **args)
{
	struct bench_target t;
	struct identity who;
	struct probes_error e;
	char size[64];

	snprintf(size, sizeof size, "%s %s", args[2], args[3]);
	bench_start(&t, args[0], args[2], args[3]);
	bench_must(identity_open(&who, t.pid, &e), &e);
	for (int i = 0; i < BENCH_TURNS; i++) {
		uint64_t begin = bench_now(), stopped;

		bench_must(stop_run(&who, 20000, live_nothing, NULL, &stopped, &e), &e);
		bench_put("stop", size, "ours", "ms", (double)(bench_now() - begin) / 1e6);
		bench_put("still", size, "ours", "ms", (double)stopped / 1e6);
		live_bare_stop(t.pid, size, "bare");
		live_first(true);
		live_bare_stop(t.pid, size, "bare-first");
		live_first(false);
	}
	identity_close(&who);
	bench_end(&t);
}
