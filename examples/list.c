/*
 * The probes of a process, with their states.
 *
 *   cc $(pkg-config --cflags probes) list.c $(pkg-config --libs probes) -o list
 *   ./list PID
 */
#include <probes.h>

#include <stdio.h>
#include <stdlib.h>

static int fail(const struct probes_error *e)
{
	fprintf(stderr, "list: %s: %s; %s\n", e->what, e->why, e->hint);
	return (int)e->status;
}

int main(int argc, char **argv)
{
	struct probes_session *s;
	struct probes_error e;
	char provider[256], name[256]; /* a program chose them: never print them raw */

	if (argc != 2) {
		fputs("usage: list PID\n", stderr);
		return PROBES_USAGE;
	}
	if (probes_open_pid(atoi(argv[1]), NULL, &s, &e) < 0)
		return fail(&e);
	if (probes_refresh(s, NULL, 0, &e) < 0) {
		probes_close(s);
		return fail(&e);
	}
	for (size_t i = 0; i < probes_count(s); i++) {
		const struct probes_probe *p = probes_at(s, i);

		probes_escape(p->provider, provider, sizeof provider);
		probes_escape(p->name, name, sizeof name);
		printf("%-12s %s:%s\n", probes_state_name(probes_live_at(s, i)->state), provider,
			name);
	}
	probes_close(s);
	return PROBES_OK;
}
