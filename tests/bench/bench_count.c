/*
 * Measuring what counting costs beside the hits: which sites it reaches, how long it takes to begin
 * and to end, how long the process stands still for that, reading the counters, and what it takes
 * of the work of a program.
 */
#include "bench.h"
#include "process/stop.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define COUNT_TURNS 5
#define COUNT_BLOCKS 200   /* of turns of work: without, with, with, without counting */
#define COUNT_MS 200       /* of such a turn */
#define COUNT_LONG_MS 2000 /* of a turn with bpftrace, and one before */

struct probes_result *bench_act(
	struct probes_session *s, enum probes_verb verb, const char *object, uint64_t *took)
{
	const struct probes_action all = {.verb = verb, .by = PROBES_BY_ALL};
	const struct probes_switch_options o = {
		.object = object, .atomically = true, .max_stop_ms = 5000};
	struct probes_result *r;
	struct probes_error e;
	uint64_t begin = bench_now();

	bench_must(probes_switch(s, &all, 1, &o, &r, &e), &e);
	*took = bench_now() - begin;
	return r;
}

static struct probes_session *count_open(pid_t pid)
{
	struct probes_session *s;
	struct probes_error e;

	bench_must(probes_open_pid(pid, NULL, &s, &e), &e);
	bench_must(probes_refresh(s, NULL, 0, &e), &e);
	return s;
}

/* ---- coverage ---- */

void bench_cover(char **args)
{
	static const char *const rows[] = {"cover", "cover-stop"};
	const struct probes_action all = {.verb = PROBES_COUNT, .by = PROBES_BY_ALL};
	struct probes_session *s = count_open(atoi(args[0]));
	struct probes_error e;

	for (int stop = 0; stop < 2; stop++) {
		const struct probes_switch_options o = {
			.object = args[1], .dry_run = true, .atomically = stop};
		struct probes_result *r;
		size_t sites;

		bench_must(probes_switch(s, &all, 1, &o, &r, &e), &e);
		sites = r->counted_sites + r->uncounted_sites;
		bench_put(rows[stop], args[2], "ours", "%",
			sites ? 100.0 * (double)r->counted_sites / (double)sites : 0);
		if (stop)
			bench_put("cover", args[2], "ours", "sites", (double)sites);
		probes_result_free(r);
	}
	probes_close(s);
}

/* ---- begin and end ---- */

struct count_writes {
	const struct probes_session *session;
	const struct probes_result *of;
	bool back;
};

/* The writes of a result, and nothing else, while all threads stand still. */
static int count_write_bare(void *data, struct probes_error *e)
{
	const struct count_writes *w = data;

	(void)e;
	for (size_t i = 0; i < w->of->edit_count; i++) {
		const struct probes_edit *edit =
			&w->of->edits[w->back ? w->of->edit_count - 1 - i : i];

		if (pwrite(w->session->memory.fd, w->back ? edit->old : edit->new_, edit->length,
			    (off_t)edit->address) != edit->length)
			bench_die("bare write", "it failed");
	}
	return 0;
}

static void count_put(const char *row, const char *size, const char *who, uint64_t ns)
{
	bench_put(row, size, who, "ms", (double)ns / 1e6);
}

/* Its trampolines stay mapped: the bare writes of a result are as harmless as ours, in a stop. */
static void count_bare(struct probes_session *s, const struct probes_result *r, const char *size)
{
	struct count_writes w = {.session = s, .of = r};
	struct probes_error e;
	uint64_t stopped;

	for (int back = 0; back < 2; back++) {
		w.back = back;
		bench_must(stop_run(&s->who, 5000, count_write_bare, &w, &stopped, &e), &e);
		count_put(back ? "disarm-stopped" : "arm-stopped", size, "bare", stopped);
	}
}

void bench_arm(char **args)
{
	struct probes_session *s = count_open(atoi(args[0]));
	uint64_t took;

	for (int i = 0; i < COUNT_TURNS; i++) {
		struct probes_result *r = bench_act(s, PROBES_COUNT, args[1], &took), *off;

		if (!i)
			bench_put("arm-sites", args[2], "ours", "sites", (double)r->counted_sites);
		count_put(i ? "arm" : "arm-first", args[2], "ours", took);
		count_put(i ? "arm-stopped" : "arm-first-stopped", args[2], "ours", r->stopped_ns);
		off = bench_act(s, PROBES_UNCOUNT, args[1], &took);
		count_put("disarm", args[2], "ours", took);
		count_put("disarm-stopped", args[2], "ours", off->stopped_ns);
		count_bare(s, r, args[2]);
		probes_result_free(off);
		probes_result_free(r);
	}
	probes_close(s);
}

/* ---- reading ---- */

void bench_tally(char **args)
{
	struct probes_session *s, *other;
	struct bench_target t;
	struct probes_error e;
	uint64_t took;

	bench_start(&t, args[0], "0", "nap");
	s = count_open(t.pid);
	probes_result_free(bench_act(s, PROBES_COUNT, NULL, &took));
	other = count_open(t.pid);
	for (int i = 0; i < BENCH_TURNS; i++) {
		uint64_t begin = bench_now(), sum = 0;

		bench_must(probes_read_hits(s, &e), &e);
		bench_put("tally", args[1], "ours", "us", (double)(bench_now() - begin) / 1e3);
		begin = bench_now();
		bench_must(probes_read_hits(other, &e), &e);
		bench_put("tally", args[1], "by-copy", "us", (double)(bench_now() - begin) / 1e3);
		/* The same words, and nothing else. */
		begin = bench_now();
		for (size_t w = 0; w < s->arenas.count; w++) {
			const struct arena *of = ARRAY_AT(&s->arenas, struct arena, w);

			for (size_t k = 0; k < of->site_count; k++)
				sum += arena_hits(of, k);
		}
		__asm__ volatile("" ::"r"(sum));
		bench_put("tally", args[1], "bare", "us", (double)(bench_now() - begin) / 1e3);
	}
	probes_result_free(bench_act(s, PROBES_UNCOUNT, NULL, &took));
	probes_close(other);
	probes_close(s);
	bench_end(&t);
}

/* ---- work ---- */

/* Work done in a second, and in a second of processor time. */
struct count_work {
	double speed, thrift;
};

static struct count_work count_work(
	struct bench_target *t, unsigned long ms, const char *size, const char *who)
{
	struct count_work w = {0};
	char line[128], command[32];

	snprintf(command, sizeof command, "%lu\n", ms);
	bench_line(t, command, line, sizeof line);
	if (sscanf(line, "%lf %lf", &w.speed, &w.thrift) != 2)
		bench_die("load", "it did not say how much it worked");
	if (who) {
		bench_put("work", size, who, "/s", w.speed);
		bench_put("work-processor", size, who, "/s", w.thrift);
	}
	return w;
}

/* Losses of some blocks, in percent. */
struct count_losses {
	double *of;
	size_t count;
};

static int count_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/*
 * Of n figures in order, the median of what they are drawn from lies between the one of this index
 * and the one as far from the end, with a probability of 95 %: whatever the distribution is, each
 * figure is below its median as often as a coin shows heads.
 */
static size_t count_rank(size_t n)
{
	double term = 1, sum = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		term /= 2;
	for (; k < n / 2 && sum + term <= 0.025; k++) {
		sum += term;
		term = term * (double)(n - k) / (double)(k + 1);
	}
	return k ? k - 1 : 0;
}

/* Each block is a figure; beside them the interval in which their median lies. */
static void count_put_losses(
	const char *row, const char *size, const char *who, struct count_losses *l)
{
	char limit[64];
	size_t k = count_rank(l->count);

	qsort(l->of, l->count, sizeof *l->of, count_order);
	for (size_t i = 0; i < l->count; i++)
		bench_put(row, size, who, "%", l->of[i]);
	snprintf(limit, sizeof limit, "%s-low", row);
	bench_put(limit, size, who, "%", l->of[k]);
	snprintf(limit, sizeof limit, "%s-high", row);
	bench_put(limit, size, who, "%", l->of[l->count - 1 - k]);
}

static double count_loss(double with, double without)
{
	return 100 * (1 - with / without);
}

static double count_hits(struct probes_session *s)
{
	struct probes_error e;
	uint64_t hits = 0;

	bench_must(probes_read_hits(s, &e), &e);
	for (size_t i = 0; i < probes_count(s); i++)
		hits += probes_hits(s, i).hits;
	return (double)hits;
}

/* Any site of an object: another tool that counts there changes it. */
static uint64_t count_any_site(const struct probes_session *s, const char *object)
{
	for (size_t i = 0; i < probes_count(s); i++) {
		const struct probes_probe *p = probes_at(s, i);

		if (strstr(probes_object_at(s, p->object)->path, object) && p->site_count)
			return p->sites[0].address;
	}
	bench_die(object, "it has no sites");
}

/*
 * Without, with, with, without: what drifts steadily, such as the load of the machine, cancels. Two
 * neighbouring turns without, the last of a block and the first of the next one, show how much the
 * figure can be trusted.
 */
static void count_blocks(struct bench_target *t, struct probes_session *s, const char *object,
	const char *size, size_t blocks)
{
	struct count_losses ours = {calloc(blocks, sizeof(double)), 0};
	struct count_losses wall = {calloc(blocks, sizeof(double)), 0};
	struct count_losses nobody = {calloc(blocks, sizeof(double)), 0};
	unsigned long ms = bench_setting("BENCH_MS", COUNT_MS);
	struct count_work last = {0};
	uint64_t took;

	if (!ours.of || !wall.of || !nobody.of)
		bench_die("losses", "out of memory");
	for (size_t i = 0; i < blocks; i++) {
		struct count_work a = count_work(t, ms, size, "nobody"), b, c, d;

		probes_result_free(bench_act(s, PROBES_COUNT, object, &took));
		b = count_work(t, ms, size, "ours");
		c = count_work(t, ms, size, "ours");
		bench_put("work-hits", size, "ours", "hits", count_hits(s));
		probes_result_free(bench_act(s, PROBES_UNCOUNT, object, &took));
		d = count_work(t, ms, size, "nobody");
		ours.of[ours.count++] = count_loss(b.thrift + c.thrift, a.thrift + d.thrift);
		wall.of[wall.count++] = count_loss(b.speed + c.speed, a.speed + d.speed);
		if (i)
			nobody.of[nobody.count++] = count_loss(a.thrift, last.thrift);
		last = d;
	}
	count_put_losses("loss", size, "ours", &wall);
	count_put_losses("loss-processor", size, "ours", &ours);
	if (nobody.count)
		count_put_losses("loss-processor", size, "nobody", &nobody);
	free(ours.of);
	free(wall.of);
	free(nobody.of);
}

void bench_loss(char **args)
{
	const char *size = args[3];
	struct probes_session *s;
	struct bench_target t;
	struct count_work before, with;
	char script[4200];
	pid_t other;

	/* Before others, where that is permitted; the target inherits it. */
	(void)setpriority(PRIO_PROCESS, 0, -20);
	bench_start(&t, args[0], NULL, NULL);
	s = count_open(t.of);
	(void)count_work(&t, COUNT_LONG_MS, size, NULL); /* warm up */
	count_blocks(&t, s, args[1], size, bench_setting("BENCH_BLOCKS", COUNT_BLOCKS));
	before = count_work(&t, COUNT_LONG_MS, size, NULL);
	snprintf(script, sizeof script, "%s { @ = count(); }", args[2]);
	other = bench_bpftrace(&t, script, count_any_site(s, args[1]));
	if (other) {
		with = count_work(&t, COUNT_LONG_MS, size, "bpftrace");
		bench_bpftrace_end(other);
		bench_put("loss", size, "bpftrace", "%", count_loss(with.speed, before.speed));
		bench_put("loss-processor", size, "bpftrace", "%",
			count_loss(with.thrift, before.thrift));
	} else {
		fprintf(stderr, "bench: %s: bpftrace: not here, or not permitted\n", size);
	}
	probes_close(s);
	bench_end(&t);
}
