/*
 * A program of somebody else's: it sees probes.h and libprobes, nothing more, and uses every call
 * that needs no second process. Also compiled as C++ where there is a C++ compiler. Not covered:
 * switching (e2e).
 */
#include <probes.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int denied(void)
{
	puts("SKIP: not permitted here");
	return 77;
}

static int wrong(const char *what, const struct probes_error *e)
{
	fprintf(stderr, "%s: %s: %s (%s)\n", what, e->what, e->why, e->hint);
	return 1;
}

/* Every object, every probe, every site: all that a listing reads. */
static size_t walk(struct probes_session *s)
{
	size_t seen = 0;
	char name[64];

	for (size_t i = 0; i < probes_object_count(s); i++) {
		const struct probes_object *o = probes_object_at(s, i);

		seen += o->probe_count;
		if (!o->probe_count && !o->why) {
			fprintf(stderr, "%s has no probes and does not say why\n", o->path);
			exit(1);
		}
	}
	if (seen != probes_count(s))
		exit(1);
	for (size_t i = 0; i < probes_count(s); i++) {
		const struct probes_probe *p = probes_at(s, i);
		struct probes_argument arguments[8];

		probes_escape(p->name, name, sizeof name);
		probes_arguments(p->arguments, arguments, 8);
		if (!probes_state_name(probes_live_at(s, i)->state))
			exit(1);
		for (uint32_t k = 0; k < p->site_count; k++)
			probes_site_live_at(s, i, k);
		for (uint32_t k = 0; k < p->semaphore_count; k++)
			probes_semaphore_live_at(s, i, k);
	}
	return seen;
}

static int list_ourselves(void)
{
	struct probes_options options;
	struct probes_session *s = NULL;
	struct probes_error e;
	size_t *found = NULL, count = 0;

	memset(&options, 0, sizeof options);
	options.read_only = true;
	if (probes_open_pid(getpid(), &options, &s, &e) < 0)
		return e.status == PROBES_DENIED ? denied() : wrong("probes_open_pid", &e);
	if (probes_refresh(s, NULL, 0, &e) < 0 || probes_alive(s, &e) < 0)
		return wrong("probes_refresh", &e);
	printf("%zu probes in %zu objects of %s\n", walk(s), probes_object_count(s),
		probes_path(s));
	if (probes_pid(s) != getpid() || probes_held(s) || !probes_access(s)->can_list)
		return wrong("what it says of us", &e);
	if (probes_find(s, PROBES_BY_NAME, "no such probe", NULL, &found, &count, &e) == 0)
		return wrong("a probe that nobody has", &e);
	if (e.status != PROBES_USAGE || found || probes_owned_count(s))
		return wrong("probes_find", &e);
	probes_close(s);
	return 0;
}

static int list_a_file(const char *path)
{
	struct probes_session *s = NULL;
	struct probes_error e;

	if (probes_open_file(path, NULL, &s, &e) < 0)
		return wrong("probes_open_file", &e);
	if (probes_pid(s) != 0)
		return wrong("a file is no process", &e);
	walk(s);
	probes_close(s);
	probes_close(NULL);
	if (probes_open_file("/no/such/file", NULL, &s, &e) == 0 || s || !e.what[0] || !e.hint[0])
		return wrong("a file that is not there", &e);
	return 0;
}

int main(int argc, char **argv)
{
	struct probes_access access;
	struct probes_error e;
	pid_t *pids = NULL;
	size_t count = 0;
	int r;

	(void)argc;
	probes_explain(getpid(), &access);
	if (!access.count)
		return 1;
	if (probes_tree(getpid(), &pids, &count, &e) < 0 || count < 1 || pids[0] != getpid())
		return wrong("probes_tree", &e);
	free(pids);
	r = list_a_file(argv[0]);
	return r ? r : list_ourselves();
}
