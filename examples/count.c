/*
 * Counts how often a probe is hit in some seconds.
 *
 *   cc $(pkg-config --cflags probes) count.c $(pkg-config --libs probes) -o count
 *   ./count PID PROVIDER:NAME SECONDS
 */
#include <probes.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int done(struct probes_session *s, int r, const struct probes_error *e)
{
	if (r < 0)
		fprintf(stderr, "count: %s: %s; %s\n", e->what, e->why, e->hint);
	probes_close(s);
	return r < 0 ? (int)e->status : PROBES_OK;
}

int main(int argc, char **argv)
{
	struct probes_action count = {.verb = PROBES_COUNT, .by = PROBES_BY_NAME};
	struct probes_session *s = NULL;
	struct probes_result *result;
	struct probes_error e;
	int r;

	if (argc != 4) {
		fputs("usage: count PID PROVIDER:NAME SECONDS\n", stderr);
		return PROBES_USAGE;
	}
	count.text = argv[2];
	if (probes_open_pid(atoi(argv[1]), NULL, &s, &e) < 0)
		return done(NULL, -1, &e);
	r = probes_switch(s, &count, 1, NULL, &result, &e);
	if (r < 0) {
		probes_result_free(result);
		return done(s, r, &e);
	}
	sleep((unsigned)atoi(argv[3]));
	r = probes_read_hits(s, &e);
	if (r == 0 || e.status == PROBES_GONE) /* then they are its last ones */
		for (size_t i = 0; i < result->item_count; i++) {
			struct probes_hits hits = probes_hits(s, result->items[i].probe);

			printf("%" PRIu64 " hits, at %u sites\n", hits.hits, hits.counted);
		}
	probes_result_free(result);
	if (r == 0) { /* the bytes of the file again */
		r = probes_restore(s, &result, &e);
		probes_result_free(result);
	}
	return done(s, r, &e);
}
