/*
 * Measuring what one hit costs: the loops of hits.c with and without counting, in turns; beside
 * them a bare `lock inc`, and the kernel's uprobes at the same site.
 */
#include "bench.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HITS_TURNS 5
#define HITS_CPUS 64

struct hits {
	struct bench_target target;
	struct probes_session *session;
	char file[4096];
};

static const struct hits_loop {
	const char *name; /* of the probe, and of the loop */
	enum probes_tactic tactic;
} hits_loops[] = {
	{"punned", PROBES_TACTIC_PUNNED},
	{"evicted", PROBES_TACTIC_EVICTED},
	{"ocaml", PROBES_TACTIC_OCAML},
};

int bench_threads(int i)
{
	return i ? (int)sysconf(_SC_NPROCESSORS_ONLN) : 1;
}

double bench_pass(struct bench_target *t, const char *loop, int threads)
{
	char line[64], command[64];

	snprintf(command, sizeof command, "%s %d\n", loop, threads);
	bench_line(t, command, line, sizeof line);
	return strtod(line, NULL);
}

void bench_put_threads(const char *row, int threads, const char *who, double ns)
{
	char size[32];

	snprintf(size, sizeof size, "%d thread%s", threads, threads > 1 ? "s" : "");
	bench_put(row, size, who, "ns", ns);
}

size_t bench_probe(const struct probes_session *s, const char *name)
{
	for (size_t i = 0; i < probes_count(s); i++)
		if (!strcmp(probes_at(s, i)->name, name))
			return i;
	bench_die(name, "there is no such probe");
}

/* ---- ours ---- */

static void hits_ours(struct hits *h, const struct hits_loop *loop, bool run)
{
	size_t probe = bench_probe(h->session, loop->name);
	double before[BENCH_THREADS];
	struct probes_error e;
	char row[32];
	uint64_t took;

	snprintf(row, sizeof row, "hit-%s%s", loop->name, run ? "-run" : "");
	for (int i = 0; i < BENCH_THREADS; i++)
		before[i] = bench_pass(&h->target, loop->name, bench_threads(i));
	probes_result_free(bench_act(h->session, PROBES_COUNT, NULL, &took));
	if (probes_site_hits_at(h->session, probe, 0).tactic == loop->tactic) {
		for (int i = 0; i < BENCH_THREADS; i++)
			bench_put_threads(row, bench_threads(i), "ours",
				bench_pass(&h->target, loop->name, bench_threads(i)) - before[i]);
		bench_must(probes_read_hits(h->session, &e), &e);
		if (!probes_hits(h->session, probe).hits)
			bench_die(loop->name, "its hits were not counted");
	} else { /* a build without Zydis evicts nothing */
		fprintf(stderr, "bench: %s: not measured, it is not counted in this way\n", row);
	}
	probes_result_free(bench_act(h->session, PROBES_UNCOUNT, NULL, &took));
}

/* The handler is a bare return. */
static void hits_ocaml_run(struct hits *h)
{
	const struct probes_action on = {PROBES_ENABLE, PROBES_BY_NAME, .text = "ocaml"};
	const struct probes_action off = {PROBES_DISABLE, PROBES_BY_NAME, .text = "ocaml"};
	struct probes_result *r;
	struct probes_error e;

	bench_must(probes_switch(h->session, &on, 1, NULL, &r, &e), &e);
	probes_result_free(r);
	hits_ours(h, &hits_loops[2], true);
	bench_must(probes_switch(h->session, &off, 1, NULL, &r, &e), &e);
	probes_result_free(r);
}

/* ---- others ---- */

static void hits_others(struct hits *h, const char *who, const double *before)
{
	for (int i = 0; i < BENCH_THREADS; i++)
		bench_put_threads("hit-punned", bench_threads(i), who,
			bench_pass(&h->target, "punned", bench_threads(i)) - before[i]);
}

/*
 * As perf stat -a counts: events of the kernel, without a buffer. One a processor: an event that
 * threads inherit makes pthread_create fail in the target, where `config1` points to nothing.
 * False: not permitted.
 */
static bool hits_uprobe(const struct hits *h, int fds[HITS_CPUS])
{
	const struct probes_probe *p = probes_at(h->session, bench_probe(h->session, "punned"));
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	struct perf_event_attr attr = {.size = sizeof attr};
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	bool ok = false;

	for (int i = 0; i < HITS_CPUS; i++)
		fds[i] = -1;
	if (f && fscanf(f, "%u", &attr.type) == 1) {
		attr.config1 = (uint64_t)(uintptr_t)h->file;
		attr.config2 = p->sites[0].pc; /* as hits.c is linked, its offset in the file */
		ok = true;
		for (int i = 0; i < cpus && i < HITS_CPUS; i++) {
			fds[i] = (int)syscall(
				SYS_perf_event_open, &attr, -1, i, -1, PERF_FLAG_FD_CLOEXEC);
			ok = ok && fds[i] >= 0;
		}
	}
	if (f)
		fclose(f);
	return ok;
}

void bench_bpftrace_end(pid_t bpftrace)
{
	kill(bpftrace, SIGINT);
	waitpid(bpftrace, NULL, 0);
}

static bool hits_is_changed(pid_t pid, uint64_t site)
{
	unsigned char byte = 0x90;
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/mem", pid);
	f = fopen(path, "re");
	if (f && fseeko(f, (off_t)site, SEEK_SET) == 0)
		byte = (unsigned char)fgetc(f);
	if (f)
		fclose(f);
	return byte != 0x90;
}

pid_t bench_bpftrace(const struct bench_target *t, const char *script, uint64_t site)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(127);
		signal(SIGINT, SIG_DFL); /* ignored in the background of a shell */
		setenv("BPFTRACE_MAX_PROBES", "4096", 1);
		setenv("BPFTRACE_MAX_BPF_PROGS", "4096", 1);
		execlp("bpftrace", "bpftrace", "-e", script, NULL);
		_exit(127);
	}
	for (int i = 0; i < 600; i++) {
		if (hits_is_changed(t->of, site)) {
			sleep(1); /* the other sites */
			return pid;
		}
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return 0;
		usleep(100000);
	}
	bench_bpftrace_end(pid);
	return 0;
}

void bench_hits(char **args)
{
	struct hits h = {0};
	struct probes_error e;
	char spec[4200];
	double before[BENCH_THREADS];
	pid_t bpftrace;
	int fds[HITS_CPUS];
	bool uprobe;

	if (!realpath(args[0], h.file))
		bench_die(args[0], "it does not exist");
	bench_start(&h.target, h.file, NULL, NULL);
	(void)setpriority(PRIO_PROCESS, (id_t)h.target.pid, -20);
	bench_must(probes_open_pid(h.target.pid, NULL, &h.session, &e), &e);
	bench_must(probes_refresh(h.session, NULL, 0, &e), &e);
	for (int turn = 0; turn < HITS_TURNS; turn++) {
		for (size_t i = 0; i < sizeof hits_loops / sizeof *hits_loops; i++)
			hits_ours(&h, &hits_loops[i], false);
		hits_ocaml_run(&h);
		for (int i = 0; i < BENCH_THREADS; i++)
			bench_put_threads("hit-punned", bench_threads(i), "lock-inc",
				bench_pass(&h.target, "lock", bench_threads(i)) -
					bench_pass(&h.target, "none", bench_threads(i)));
	}
	for (int i = 0; i < BENCH_THREADS; i++)
		before[i] = bench_pass(&h.target, "punned", bench_threads(i));
	uprobe = hits_uprobe(&h, fds);
	if (uprobe)
		hits_others(&h, "uprobe", before);
	for (int i = 0; i < HITS_CPUS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	snprintf(spec, sizeof spec, "usdt:%s:bench:punned { @ = count(); }", h.file);
	bpftrace = bench_bpftrace(&h.target, spec,
		probes_at(h.session, bench_probe(h.session, "punned"))->sites[0].address);
	if (bpftrace) {
		hits_others(&h, "bpftrace", before);
		bench_bpftrace_end(bpftrace);
	}
	if (!uprobe || !bpftrace)
		fprintf(stderr, "bench: hits: %s%s: not here, or not permitted\n",
			uprobe ? "" : "uprobes ", bpftrace ? "" : "bpftrace");
	probes_close(h.session);
	bench_end(&h.target);
}
