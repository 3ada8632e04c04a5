/*
 * Enables a probe for some seconds, then undoes that.
 *
 *   cc $(pkg-config --cflags probes) switch.c $(pkg-config --libs probes) -o switch
 *   ./switch PID PROVIDER:NAME SECONDS
 */
#include <probes.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int done(struct probes_session *s, int r, const struct probes_error *e)
{
	if (r < 0)
		fprintf(stderr, "switch: %s: %s; %s\n", e->what, e->why, e->hint);
	probes_close(s);
	return r < 0 ? (int)e->status : PROBES_OK;
}

int main(int argc, char **argv)
{
	struct probes_action enable = {.verb = PROBES_ENABLE, .by = PROBES_BY_NAME};
	struct probes_session *s = NULL;
	struct probes_result *result;
	struct probes_error e;
	int r;

	if (argc != 4) {
		fputs("usage: switch PID PROVIDER:NAME SECONDS\n", stderr);
		return PROBES_USAGE;
	}
	enable.text = argv[2];
	if (probes_open_pid(atoi(argv[1]), NULL, &s, &e) < 0)
		return done(NULL, -1, &e);
	r = probes_switch(s, &enable, 1, NULL, &result, &e);
	probes_result_free(result);
	if (r < 0)
		return done(s, r, &e);
	sleep((unsigned)atoi(argv[3]));
	r = probes_restore(s, &result, &e);
	probes_result_free(result);
	return done(s, r, &e);
}
