/*
 * Measuring what a pair costs whose time is taken, and what an event costs with its arguments: the
 * loops of hits.c with and without, in turns; and bpftrace doing the same.
 */
#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define MEASURE_TURNS 5
#define MEASURE_READ_US 10000 /* between two readings, as the verb events has it */

struct measure {
	struct bench_target target;
	struct probes_session *session;
	char file[4096];
};

static const struct measure_kind {
	const char *row;
	const char *loop;     /* and of the probe, or of the first one */
	const char *end;      /* of a pair: the other probe; NULL: events are kept */
	unsigned texts;       /* arguments */
	const char *parts[3]; /* of bpftrace's script: before each is the file */
} measure_kinds[] = {
	{"pair", "start", "done", 0,
		{":bench:start { @start[tid] = nsecs; }",
			":bench:done /@start[tid]/ { @ns = hist(nsecs - @start[tid]); "
			"delete(@start[tid]); }"}},
	{"event-two", "two", NULL, 0, {":bench:two { printf(\"%d %lx\\n\", arg0, arg1); }"}},
	{"event-text", "text", NULL, 2, {":bench:text { printf(\"%d %s\\n\", arg0, str(arg1)); }"}},
};

/* ---- ours ---- */

/* What came, by a thread that reads while the loop runs. */
struct measure_reader {
	struct probes_session *session;
	atomic_bool end;
	uint64_t events, texts, unproven;
};

static bool measure_take(void *data, const struct probes_event *event)
{
	struct measure_reader *r = data;

	r->events++;
	r->texts += event->values[1].text != NULL;
	r->unproven += event->unproven;
	return true;
}

static void *measure_read(void *data)
{
	struct measure_reader *r = data;
	struct probes_error e;

	while (!r->end) {
		bench_must(probes_events_read(r->session, false, measure_take, r, &e), &e);
		usleep(MEASURE_READ_US);
	}
	return NULL;
}

static void measure_passes(
	struct measure *m, const struct measure_kind *k, const char *who, const double *before)
{
	for (int i = 0; i < BENCH_THREADS; i++)
		bench_put_threads(k->row, bench_threads(i), who,
			bench_pass(&m->target, k->loop, bench_threads(i)) - before[i]);
}

static void measure_pair(struct measure *m, const struct measure_kind *k, const double *before)
{
	struct probes_latency sum;
	struct probes_error e;

	bench_must(probes_latency_begin(m->session, bench_probe(m->session, k->loop),
			   bench_probe(m->session, k->end), 0, &e),
		&e);
	measure_passes(m, k, "ours", before);
	bench_must(probes_latency_read(m->session, &sum, &e), &e);
	if (!sum.matched || sum.lost)
		bench_die(k->row, "its pairs were not measured");
	probes_latency_end(m->session);
}

static void measure_events(struct measure *m, const struct measure_kind *k, const double *before)
{
	const struct probes_event_options o = {.texts = k->texts};
	struct measure_reader r = {.session = m->session};
	size_t probe = bench_probe(m->session, k->loop);
	struct probes_error e;
	pthread_t thread;

	bench_must(probes_events_begin(m->session, &probe, 1, &o, &e), &e);
	if (pthread_create(&thread, NULL, measure_read, &r))
		bench_die(k->row, "no thread");
	measure_passes(m, k, "ours", before);
	r.end = true;
	pthread_join(thread, NULL);
	/* A thread that was too new, or a late look: a few texts were not read, which is said. */
	if (!r.events || (k->texts && (r.texts + r.unproven != r.events || r.unproven > r.texts)))
		bench_die(k->row, "its events were not kept");
	probes_events_end(m->session);
}

static void measure_ours(struct measure *m, const struct measure_kind *k, const double *before)
{
	uint64_t took;

	probes_result_free(bench_act(m->session, PROBES_COUNT, NULL, &took));
	if (k->end)
		measure_pair(m, k, before);
	else
		measure_events(m, k, before);
	probes_result_free(bench_act(m->session, PROBES_UNCOUNT, NULL, &took));
}

/* ---- bpftrace ---- */

static void measure_bpftrace(struct measure *m, const struct measure_kind *k, const double *before)
{
	size_t probe = bench_probe(m->session, k->end ? k->end : k->loop);
	char script[2 * sizeof m->file + 400] = "";
	size_t at = 0;
	pid_t other;

	for (size_t i = 0; k->parts[i]; i++)
		at += (size_t)snprintf(
			script + at, sizeof script - at, "usdt:%s%s ", m->file, k->parts[i]);
	other = bench_bpftrace(&m->target, script, probes_at(m->session, probe)->sites[0].address);
	if (other) {
		measure_passes(m, k, "bpftrace", before);
		bench_bpftrace_end(other);
	} else {
		fprintf(stderr, "bench: %s: bpftrace: not here, or not permitted\n", k->row);
	}
}

void bench_measure(char **args)
{
	struct measure m = {0};
	struct probes_error e;

	if (!realpath(args[0], m.file))
		bench_die(args[0], "it does not exist");
	bench_start(&m.target, m.file, NULL, NULL);
	(void)setpriority(PRIO_PROCESS, (id_t)m.target.pid, -20);
	bench_must(probes_open_pid(m.target.pid, NULL, &m.session, &e), &e);
	bench_must(probes_refresh(m.session, NULL, 0, &e), &e);
	for (size_t i = 0; i < sizeof measure_kinds / sizeof *measure_kinds; i++) {
		const struct measure_kind *k = &measure_kinds[i];
		double before[BENCH_THREADS];

		for (int turn = 0; turn < MEASURE_TURNS; turn++) {
			for (int n = 0; n < BENCH_THREADS; n++)
				before[n] = bench_pass(&m.target, k->loop, bench_threads(n));
			measure_ours(&m, k, before);
		}
		measure_bpftrace(&m, k, before);
	}
	probes_close(m.session);
	bench_end(&m.target);
}
