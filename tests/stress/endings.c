/*
 * The victim ends, or becomes another program, at each system call of our tool in turn: the tool
 * says so and ends, no helper and no journal is left, and in the program that took its place
 * nothing is written that was meant for the one before. At a call of ptrace(2) it is the very
 * thread that the call is about that does so.
 *
 *   endings TOOL VICTIM FOLDER [SECONDS]
 *
 * Not covered: an end between two system calls.
 */
#include "fault.h"
#include "inspect.h"
#include "probes.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define ENDINGS_THREADS "8"
#define ENDINGS_LATE_MS 10000

static struct tool tool;
static const char *storm;

static const char *const calls[] = {
	"attach -enable-all",
	"attach -stop -max-stop 20000 -enable-all",
};

static void check_status(const struct killer_end *end)
{
	int status = WIFEXITED(end->status) ? WEXITSTATUS(end->status) : -1;

	if (status != PROBES_OK && status != PROBES_NO_TARGET && status != PROBES_GONE)
		fault("the tool ended with status %x", (unsigned)end->status);
}

/* All of it or nothing, also of the program that began anew. */
static void check_anew(struct field *f)
{
	static struct truth t;
	truth_counts now;

	field_again(f);
	truth_learn(&t, f);
	truth_read(&t, f, now);
	for (size_t i = 1; i < t.count; i++)
		if (now[i] != now[0])
			fault("%s: count %u, and %s: count %u", t.probes[i].name, now[i],
				t.probes[0].name, now[0]);
	truth_set(&t, now);
	inspect_victim(&t, f);
	field_end(f);
}

/* One ending; false: the tool had come to its own end before. */
static bool end_at(const char *words, unsigned long number, bool exec)
{
	struct killer k = {.way = KILLER_VICTIM, .number = number};
	struct killer_end end;
	struct field f;
	long begin;
	int status;

	k.signal = exec ? STORM_EXEC : SIGKILL;
	fault_begin("%s; the victim %s at call %lu", words, exec ? "execs" : "ends", number);
	field_start(&f, storm, ENDINGS_THREADS, NULL);
	tool_aim(&tool, f.pid);
	k.victim = f.pid;
	begin = field_now();
	end = tool_run(&tool, words, &k);
	fault_doing("which was %s", killer_call_name(end.call));
	check_status(&end);
	if (field_now() - begin > ENDINGS_LATE_MS)
		fault("it took %ld ms", field_now() - begin);
	if (!end.killed) {
		kill(f.pid, SIGKILL);
	} else if (exec) {
		inspect_helpers(&f);
		inspect_threads(&f);
		check_anew(&f);
		return true;
	}
	waitpid(f.pid, &status, 0);
	field_forget(&f);
	return end.killed;
}

int main(int argc, char **argv)
{
	long seconds = argc > 4 ? atol(argv[4]) : 12, begin = field_now();
	unsigned long ended = 0;

	if (argc < 4)
		return 99;
	tool_init(&tool, argv[1], argv[3]);
	storm = argv[2];
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* The time allows for a part of the calls: each pass takes others. */
	for (unsigned long pass = 0; pass < 7 && field_now() < begin + seconds * 1000; pass++)
		for (size_t i = 0; i < 4; i++)
			for (unsigned long n = 1 + pass * 3 % 7;; n += 7) {
				if (field_now() > begin + seconds * 1000 ||
					!end_at(calls[i / 2], n, i % 2))
					break;
				ended++;
			}
	printf("%lu endings, %lu faults\n", ended, fault_count);
	return fault_count != 0;
}
