/*
 * Counts by the library, for the scripts that test where counting must refuse:
 *
 *	tally PID|self [stop] [dry] [wait]
 *
 * Prints a line for each probe, `NAME COUNTED/SITES HITS WHY`, and undoes everything. With `wait`
 *it prints `counting`, and goes on after a line on standard input. The error is one line; the exit
 * status is that of the error.
 */
#include "probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <unistd.h>

#define RESTORE_TRIES 10

static int report(const struct probes_error *e)
{
	fprintf(stderr, "tally: %s: %s%s%s\n", e->what, e->why, *e->hint ? "; " : "", e->hint);
	return (int)e->status;
}

static void notice(void *data, enum probes_log_level level, const char *text)
{
	(void)data;
	if (level >= PROBES_LOG_NOTICE)
		fprintf(stderr, "tally: notice: %s\n", text);
}

static void print(const struct probes_session *s, const struct probes_result *result)
{
	for (size_t i = 0; i < probes_count(s); i++) {
		const struct probes_probe *p = probes_at(s, i);
		struct probes_hits hits = probes_hits(s, i);
		const char *why = NULL;

		for (size_t k = 0; k < p->site_count && !why; k++)
			why = probes_site_hits_at(s, i, k).why;
		for (size_t k = 0; result && k < result->item_count && !why; k++)
			if (result->items[k].probe == i && result->items[k].outcome != PROBES_DONE)
				why = result->items[k].why;
		printf("%s %u/%u %llu %s\n", p->name, (unsigned)hits.counted,
			(unsigned)p->site_count, (unsigned long long)hits.hits, why ? why : "");
	}
}

int main(int argc, char **argv)
{
	const struct probes_action action = {.verb = PROBES_COUNT, .by = PROBES_BY_ALL};
	const struct probes_options options = {.log = notice};
	struct probes_switch_options how = {0};
	struct probes_result *result = NULL, *undone = NULL;
	struct probes_session *s;
	struct probes_error e;
	bool wait = false;
	int r, status = 0;
	char line[80];

	for (int i = 2; i < argc; i++) {
		how.atomically |= !strcmp(argv[i], "stop");
		how.dry_run |= !strcmp(argv[i], "dry");
		wait |= !strcmp(argv[i], "wait");
	}
	DTRACE_PROBE(tally, begin);
	if (argc < 2)
		return 2;
	r = probes_open_pid(strcmp(argv[1], "self") ? atoi(argv[1]) : getpid(), &options, &s, &e);
	if (r < 0)
		return report(&e);
	r = probes_refresh(s, NULL, 0, &e);
	if (r == 0)
		r = probes_switch(s, &action, 1, &how, &result, &e);
	if (r == 0) {
		if (wait) {
			printf("counting\n");
			fflush(stdout);
			if (!fgets(line, sizeof line, stdin))
				line[0] = '\0';
		}
		r = probes_refresh(s, NULL, 0, &e);
		if (r == 0)
			r = probes_read_hits(s, &e);
		if (r == 0)
			print(s, result);
	}
	probes_result_free(result);
	if (r < 0)
		status = report(&e);
	if (status != PROBES_GONE) {
		/* A machine without CPU time for us stops no process in time. */
		for (int tries = 0; tries < RESTORE_TRIES; tries++) {
			probes_result_free(undone);
			r = probes_restore(s, &undone, &e);
			if (r != -ETIMEDOUT)
				break;
		}
		if (r < 0)
			status = report(&e);
		else if (undone && undone->not_done)
			printf("not undone %zu\n", undone->not_done);
		probes_result_free(undone);
	}
	probes_close(s);
	return status;
}
