/*
 * Forked children are born at the very moments of a switch and of taking it back: before each call
 * by which our tool writes, looks and records, and, in the second part, without end while it does.
 * Afterwards every child is as its parent was found: handlers run or do not, counts and code say
 * so, as the child itself tells and as is read out of its memory.
 *
 *   births TOOL BREEDER FOLDER [ROUNDS]
 *
 * Not covered: the screen (tests/e2e/tui-births.sh); children of other users.
 */
#include "fault.h"
#include "field.h"
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BIRTHS_PROBES 24
#define BIRTHS_COUNTS (BIRTHS_PROBES + 1) /* the sum of all, set on by force */
#define BIRTHS_MOST 180                   /* of which the breeder lets none die */

static struct tool tool;

static struct {
	pid_t pid;
	FILE *in, *out;
	uint64_t count[BIRTHS_PROBES], site[BIRTHS_PROBES], shared;
} breeder;

/* ---------------------------------------------------------------- the breeder */

static void ask(const char *what)
{
	fprintf(breeder.in, "%s\n", what);
	fflush(breeder.in);
}

static bool answer(char *line, size_t size)
{
	if (!fgets(line, (int)size, breeder.out))
		fault_fatal("the breeder has ended");
	return strncmp(line, "done", 4) && strncmp(line, "born", 4);
}

static void order(const char *what)
{
	char line[200];

	ask(what);
	while (answer(line, sizeof line))
		;
}

static void begin(const char *file)
{
	int in[2], out[2];
	char line[200];
	size_t n = 0;

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		fault_fatal("no pipe");
	breeder.pid = fork();
	if (breeder.pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(file, file, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	breeder.in = fdopen(in[1], "w");
	breeder.out = fdopen(out[0], "r");
	answer(line, sizeof line);
	ask("places");
	while (answer(line, sizeof line)) {
		sscanf(line, "shared %lx", &breeder.shared);
		if (n < BIRTHS_PROBES && sscanf(line, "count %lx site %lx", &breeder.count[n],
						 &breeder.site[n]) == 2)
			n++;
	}
	if (n != BIRTHS_PROBES || !breeder.shared)
		fault_fatal("the breeder has %zu probes", n);
}

static bool is_on(void)
{
	unsigned char byte = 0;
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/proc/%d/mem", breeder.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (pread(fd, &byte, 1, (off_t)breeder.site[BIRTHS_PROBES - 1] + 1) != 1)
		fault_fatal("the breeder's memory cannot be read");
	close(fd);
	return byte != 0x3d;
}

/* A process as its memory says. */
static void inspect(pid_t pid, bool wanted)
{
	unsigned long counts = 0, on = 0;
	uint16_t shared = 0;
	bool there;
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	there = fd >= 0 && pread(fd, &shared, 2, (off_t)breeder.shared) == 2;
	for (size_t i = 0; there && i < BIRTHS_PROBES; i++) {
		uint16_t count = 0;
		unsigned char byte = 0;

		there = pread(fd, &count, 2, (off_t)breeder.count[i]) == 2 &&
			pread(fd, &byte, 1, (off_t)breeder.site[i] + 1) == 1;
		counts += count;
		on += byte != 0x3d;
	}
	if (fd >= 0)
		close(fd);
	counts += shared;
	if (!there)
		return; /* it has ended */
	if (counts != (wanted ? BIRTHS_COUNTS : 0) || on != (wanted ? BIRTHS_PROBES : 0))
		fault("process %d: counts of %lu in its memory, %lu sites on", pid, counts, on);
}

/* All that live: the breeder's children and what was left to us, being the subreaper. */
static void inspect_children_of(pid_t parent, bool wanted)
{
	char path[64];
	int one;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, parent);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &one) == 1)
		inspect(one, wanted);
	if (f)
		fclose(f);
}

static size_t inspect_all(bool wanted)
{
	unsigned long hits, counts, on, right = wanted ? BIRTHS_PROBES : 0;
	size_t living = 0;
	char line[200];

	ask("check");
	while (answer(line, sizeof line))
		if (sscanf(line, "child %*d hits=%lu counts=%lu on=%lu", &hits, &counts, &on) !=
				3 ||
			hits != right || on != right || counts != (wanted ? BIRTHS_COUNTS : 0))
			fault("it says itself: %.*s", (int)strcspn(line, "\n"), line);
	sscanf(line, "done %zu", &living);
	inspect_children_of(breeder.pid, wanted);
	inspect_children_of(getpid(), wanted);
	if (tool_journals(&tool))
		fault("%zu journals are left", tool_journals(&tool));
	return living;
}

/* ------------------------------------------------------------- at each moment */

static unsigned long moments;

/* In the process that traces the tool. */
static void meanwhile(long call)
{
	switch (call) {
	case SYS_pwrite64:
	case SYS_flock:
	case SYS_getdents64:
	case SYS_unlink:
	case SYS_ftruncate:
		if (moments++ < BIRTHS_MOST)
			order(moments % 4 ? "fork" : "grand");
		break;
	default:
		break;
	}
}

static void at_each_moment(const char *words, bool on)
{
	const struct killer k = {.way = KILLER_MEANWHILE, .meanwhile = meanwhile};
	struct killer_end end;
	size_t living;
	long mark;

	fault_begin("%s, with births at each call", words);
	tool_must(&tool, on ? "attach -enable-all -force" : "attach -disable-all -force");
	mark = tool_mark(&tool);
	end = tool_run(&tool, words, &k);
	tool_succeeded(&tool, words, end, mark);
	living = inspect_all(on);
	printf("%-32s %zu children\n", words, living);
	fflush(stdout);
	order("end");
}

/* ---------------------------------------------------------------- without end */

static void without_end(unsigned long round)
{
	struct killer_end end;
	char words[80];
	size_t living;
	long mark;

	snprintf(words, sizeof words, "attach -enable-all -for %lums", 20 + round * 37 % 200);
	fault_begin("%s, with births without end", words);
	order("breed 2500");
	mark = tool_mark(&tool);
	end = tool_run(&tool, words, NULL);
	tool_succeeded(&tool, words, end, mark);
	order("cease");
	living = inspect_all(false);
	printf("%-32s %zu children\n", words, living);
	fflush(stdout);
	order("end");
}

/* A session is killed while it waits; its children it had no time to see. */
static void killed(void)
{
	pid_t session;
	size_t living;
	int status;

	fault_begin("a session that was killed, and repaired with births without end");
	session = tool_start(&tool, "attach -enable-all -for 1h");
	while (!is_on())
		field_nap(200);
	order("fork");
	order("grand");
	order("breed 2500");
	field_nap(100000);
	kill(session, SIGKILL);
	waitpid(session, &status, 0);
	order("fork");
	tool_must(&tool, "repair");
	order("cease");
	living = inspect_all(false);
	printf("%-32s %zu children\n", "killed, repair", living);
	fflush(stdout);
	order("end");
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 4 ? strtoul(argv[4], NULL, 10) : 8;
	int status;

	if (argc < 4)
		return 99;
	tool_init(&tool, argv[1], argv[3]);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	begin(argv[2]);
	tool_aim(&tool, breeder.pid);
	at_each_moment("attach -enable-all -for 1ms", false);
	at_each_moment("attach -disable-all -for 1ms", true);
	tool_must(&tool, "attach -disable-all -force");
	for (unsigned long i = 0; i < rounds; i++)
		without_end(i);
	killed();
	ask("quit");
	fclose(breeder.in);
	while (wait(&status) > 0 || errno == EINTR)
		;
	printf("%lu faults\n", fault_count);
	return fault_count != 0;
}
