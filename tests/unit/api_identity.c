/*
 * A process is more than its number: against victims that become another program, or themselves
 * anew, by exec, and against a new process with the number of one that ended, a session of
 * libprobes says so and writes nothing into them; opened again, they are what they are now.
 * Not covered: exec while all threads are held (-stop); what the faces say (e2e).
 */
#include <probes.h>

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 40

struct victim {
	pid_t pid;
	char path[512];
	FILE *in, *out; /* its stdin, its stdout */
};

static void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* ---- victims ---- */

static void victim_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", getenv("VICTIMS"), name);
}

static void victim_says(struct victim *v, const char *word, char *line, int size)
{
	do
		if (!fgets(line, size, v->out))
			fail("%s ended", v->path);
	while (strncmp(line, word, strlen(word)));
}

static void victim_ready(struct victim *v)
{
	char line[200];

	victim_says(v, "ready ", line, sizeof line);
	if (atoi(line + 6) != v->pid)
		fail("%s is process %d, not %s", v->path, v->pid, line + 6);
	/* Every function that it waits for us with has been called, and bound, once. */
	fputs("report\n", v->in);
	fflush(v->in);
	victim_says(v, "done ", line, sizeof line);
}

/* fork, with a number that was chosen; 0: any. */
static pid_t victim_fork(pid_t wanted)
{
	struct clone_args args = {.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&wanted,
		.set_tid_size = wanted ? 1 : 0};

	return wanted ? (pid_t)syscall(SYS_clone3, &args, sizeof args) : fork();
}

static bool victim_start(struct victim *v, const char *name, pid_t wanted)
{
	int to[2], from[2];

	victim_path(v->path, sizeof v->path, name);
	if (pipe(to) < 0 || pipe(from) < 0)
		fail("pipe: %s", strerror(errno));
	fflush(NULL);
	v->pid = victim_fork(wanted);
	if (v->pid == 0) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		for (int fd = 3; fd < 30; fd++)
			close(fd);
		execl(v->path, v->path, NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	v->in = fdopen(to[1], "w");
	v->out = fdopen(from[0], "r");
	if (v->pid < 0) {
		fclose(v->in);
		fclose(v->out);
		return false;
	}
	victim_ready(v);
	return true;
}

static void victim_end(struct victim *v)
{
	kill(v->pid, SIGKILL);
	waitpid(v->pid, NULL, 0);
	fclose(v->in);
	fclose(v->out);
}

static void victim_exec(struct victim *v, const char *name)
{
	victim_path(v->path, sizeof v->path, name);
	fprintf(v->in, "exec %s\t\n", v->path);
	fflush(v->in);
}

/* All bytes of its program's code and data, as another reader sees them (free). */
static unsigned char *victim_bytes(const struct victim *v, size_t *size)
{
	unsigned char *bytes = NULL;
	char path[64], line[1000];
	unsigned long start, end;
	FILE *maps, *mem;

	*size = 0;
	snprintf(path, sizeof path, "/proc/%d/maps", v->pid);
	maps = fopen(path, "r");
	snprintf(path, sizeof path, "/proc/%d/mem", v->pid);
	mem = fopen(path, "r");
	if (!maps || !mem)
		fail("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof line, maps)) {
		if (!strstr(line, v->path) || sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		bytes = realloc(bytes, *size + (end - start));
		if (!bytes || fseek(mem, (long)start, SEEK_SET) < 0 ||
			fread(bytes + *size, 1, end - start, mem) != end - start)
			fail("cannot read %s", line);
		*size += end - start;
	}
	fclose(maps);
	fclose(mem);
	if (!*size)
		fail("no mapping of %s", v->path);
	return bytes;
}

/* ---- sessions ---- */

static struct probes_session *session_of(const struct victim *v)
{
	struct probes_session *s = NULL;
	struct probes_error e;

	if (probes_open_pid(v->pid, NULL, &s, &e) < 0)
		fail("%s: %s", e.what, e.why);
	return s;
}

static int session_switch(
	struct probes_session *s, enum probes_verb verb, const char *name, struct probes_error *e)
{
	const struct probes_action action = {.verb = verb, .by = PROBES_BY_NAME, .text = name};
	struct probes_result *result = NULL;
	int r = probes_switch(s, &action, 1, NULL, &result, e);

	probes_result_free(result);
	return r;
}

static void session_must(struct probes_session *s, enum probes_verb verb, const char *name)
{
	struct probes_error e;

	if (session_switch(s, verb, name, &e) < 0)
		fail("%s: %s: %s", name, e.what, e.why);
}

static void want_gone(const char *call, int r, const struct probes_error *e, const char *why)
{
	if (r >= 0 || e->status != PROBES_GONE)
		fail("%s: %d, status %d", call, r, r < 0 ? (int)e->status : 0);
	if (!strstr(e->why, why))
		fail("%s: '%s' does not say: %s", call, e->why, why);
}

/* Every call of a session whose process is not what it was: it says so, and changes no byte. */
static void is_over(struct probes_session *s, const struct victim *v, const char *why)
{
	struct probes_result *result = NULL;
	struct probes_error e;
	size_t size, size_after;
	unsigned char *before = victim_bytes(v, &size), *after;

	want_gone("probes_switch", session_switch(s, PROBES_ENABLE, "multi", &e), &e, why);
	want_gone("off", session_switch(s, PROBES_DISABLE, "first", &e), &e, why);
	want_gone("probes_refresh", probes_refresh(s, NULL, 0, &e), &e, why);
	want_gone("probes_alive", probes_alive(s, &e), &e, why);
	want_gone("probes_restore", probes_restore(s, &result, &e), &e, why);
	probes_result_free(result);
	after = victim_bytes(v, &size_after);
	if (size != size_after || memcmp(before, after, size))
		fail("bytes of the new %s changed", v->path);
	free(before);
	free(after);
	probes_close(s);
}

/* What is there now can be opened, has no debt of ours, and every probe as it should be. */
static void is_fresh(const struct victim *v, const char *probe)
{
	struct probes_session *s = session_of(v);
	struct probes_leftover *left = NULL;
	struct probes_result *result = NULL;
	struct probes_error e;
	size_t count = 1;

	if (probes_leftovers(s, &left, &count, &e) < 0 || count)
		fail("%zu leftovers in a new program", count);
	free(left);
	if (probes_refresh(s, NULL, 0, &e) < 0)
		fail("%s: %s", e.what, e.why);
	for (size_t i = 0; i < probes_count(s); i++)
		if (probes_live_at(s, i)->state != PROBES_OFF)
			fail("%s is %s in a new program", probes_at(s, i)->name,
				probes_state_name(probes_live_at(s, i)->state));
	session_must(s, PROBES_ENABLE, probe);
	if (probes_restore(s, &result, &e) < 0)
		fail("%s: %s", e.what, e.why);
	probes_result_free(result);
	probes_close(s);
}

/* ---- the cases ---- */

static void becomes(const char *from, const char *to, const char *probe)
{
	struct probes_session *s;
	struct victim v;

	victim_start(&v, from, 0);
	s = session_of(&v);
	session_must(s, PROBES_ENABLE, "first");
	victim_exec(&v, to);
	victim_ready(&v);
	is_over(s, &v, to);
	is_fresh(&v, probe);
	victim_end(&v);
}

/* exec at any point of a switch: whatever was written went to the old program. */
static void becomes_meanwhile(const char *name)
{
	struct probes_error e = {0};
	struct victim v;

	victim_start(&v, name, 0);
	for (int i = 0; i < ROUNDS; i++) {
		struct probes_session *s = session_of(&v);

		victim_exec(&v, name);
		for (int k = 0; e.status != PROBES_GONE; k++)
			if (session_switch(s, k % 2 ? PROBES_DISABLE : PROBES_ENABLE, "multi", &e) <
					0 &&
				e.status != PROBES_GONE)
				fail("round %d: %s: %s", i, e.what, e.why);
		e.status = PROBES_OK;
		victim_ready(&v);
		probes_close(s);
		is_fresh(&v, "multi");
	}
	victim_end(&v);
}

/* The kernel gives a number out again; here at once. */
static bool is_recycled(const char *name)
{
	struct victim old, new_;
	struct probes_session *s;

	victim_start(&old, name, 0);
	s = session_of(&old);
	session_must(s, PROBES_ENABLE, "first");
	victim_end(&old);
	if (!victim_start(&new_, name, old.pid)) {
		printf("SKIP: no process with a chosen number: %s\n", strerror(errno));
		probes_close(s);
		return false;
	}
	is_over(s, &new_, "it was killed: signal 9");
	is_fresh(&new_, "first");
	victim_end(&new_);
	return true;
}

int main(void)
{
	char runtime[] = "/tmp/api-identity-XXXXXX", command[100];
	struct probes_access access;
	bool whole;

	if (!getenv("VICTIMS") || !mkdtemp(runtime))
		fail("no VICTIMS");
	setenv("PROBES_TUI_RECORDS", runtime, 1);
	probes_explain(getpid(), &access);
	if (!access.can_switch) {
		puts("SKIP: not permitted here");
		return 77;
	}
	becomes("loop_ocaml2_fixed", "loop_ocaml2_fixed", "multi");
	becomes("loop_ocaml2_pie", "loop_ocaml2_pie", "multi");
	becomes("loop_ocaml2_pie", "sdt_sema", "shared");
	becomes("loop_ocaml2_fixed", "loop_ocaml0_fixed", "second");
	becomes_meanwhile("loop_ocaml2_fixed");
	whole = is_recycled("loop_ocaml2_fixed") && is_recycled("loop_ocaml2_pie");
	snprintf(command, sizeof command, "rm -rf '%s'", runtime);
	if (system(command))
		return 1;
	return whole ? 0 : 77;
}
