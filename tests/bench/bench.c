/* The verbs, and what they have in common; see bench.h. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

uint64_t bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void bench_put(const char *row, const char *size, const char *who, const char *unit, double value)
{
	printf("%s\t%s\t%s\t%s\t%.9g\n", row, size, who, unit, value);
	fflush(stdout);
}

unsigned long bench_setting(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 10) : otherwise;
}

void bench_die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(1);
}

void bench_must(int result, const struct probes_error *e)
{
	if (result < 0)
		bench_die(e->what, e->why);
}

/* ---- targets ---- */

static void bench_expect(struct bench_target *t, char *line, size_t size)
{
	if (!fgets(line, (int)size, t->from))
		bench_die("target", "it ended");
}

void bench_start(struct bench_target *t, const char *file, const char *threads, const char *mode)
{
	int in[2], out[2];
	char line[64];

	if (pipe(in) < 0 || pipe(out) < 0)
		bench_die(file, "no pipes");
	t->pid = fork();
	if (t->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execl(file, file, threads, mode, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	t->to = fdopen(in[1], "w");
	t->from = fdopen(out[0], "r");
	bench_expect(t, line, sizeof line);
	if (sscanf(line, "ready %d", &t->of) != 1)
		t->of = t->pid;
}

void bench_end(struct bench_target *t)
{
	fclose(t->to);
	fclose(t->from);
	waitpid(t->pid, NULL, 0);
}

void bench_line(struct bench_target *t, const char *command, char *line, size_t size)
{
	fputs(command, t->to);
	fflush(t->to);
	bench_expect(t, line, size);
}

void bench_reset_gaps(struct bench_target *t)
{
	char line[64];

	bench_line(t, "r", line, sizeof line);
}

uint64_t bench_gap(struct bench_target *t)
{
	char line[64];

	bench_line(t, "g", line, sizeof line);
	return strtoull(line, NULL, 10);
}

/* ---- the verbs ---- */

static const struct bench_verb {
	const char *name, *arguments;
	int count;
	void (*run)(char **args);
} bench_verbs[] = {
	{"run", "ROW SIZE WHO COMMAND...", 4, bench_run},
	{"notes", "FILE SIZE", 2, bench_notes},
	{"sparse", "FROM TO GIB", 3, bench_sparse},
	{"read", "TARGET SIZE", 2, bench_read},
	{"switch", "TARGET SIZE THREADS spin|nap", 4, bench_switch},
	{"stop", "TARGET SIZE THREADS spin|nap", 4, bench_stop},
	{"hits", "TARGET", 1, bench_hits},
	{"measure", "TARGET", 1, bench_measure},
	{"cover", "PID OBJECT SIZE", 3, bench_cover},
	{"arm", "PID OBJECT SIZE", 3, bench_arm},
	{"tally", "TARGET SIZE", 2, bench_tally},
	{"loss", "PROGRAM OBJECT PROBES SIZE", 4, bench_loss},
	{"screen", "PROBES_TUI TARGET SIZE SECONDS", 4, bench_screen},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof bench_verbs / sizeof *bench_verbs; i++) {
		const struct bench_verb *v = &bench_verbs[i];

		if (argc > 1 + v->count && !strcmp(argv[1], v->name)) {
			v->run(argv + 2);
			return 0;
		}
	}
	for (size_t i = 0; i < sizeof bench_verbs / sizeof *bench_verbs; i++)
		fprintf(stderr, "bench %s %s\n", bench_verbs[i].name, bench_verbs[i].arguments);
	return 2;
}
