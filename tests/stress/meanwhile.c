/*
 * The kernel's uprobes come and go at the very moments of a switch: before each call by which our
 * tool, while it holds the lock of the target, reads, writes and keeps its record, one after the
 * other, one is placed on a site that it switches, or taken away from it. Afterwards that int3 is
 * where it must be and nowhere else, the kernel's count and ours add up, handlers run, and the
 * uprobe can be removed.
 *
 *   meanwhile TOOL VICTIM FOLDER [SECONDS]
 *
 * Exit status 77 where uprobes are not permitted.
 */
#include "fault.h"
#include "inspect.h"
#include "uprobe.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct scene {
	const char *words;
	bool on;     /* both probes are on at the beginning */
	bool leaves; /* the uprobe was there, and goes */
	const char *name;
};

static const struct scene scenes[] = {
	{"attach -enable many,wire", false, false, "many"},
	{"attach -enable many,wire", false, false, "wire"},
	{"attach -disable many,wire", true, false, "many"},
	{"attach -disable many,wire", true, false, "wire"},
	{"attach -enable many,wire", false, true, "many"},
	{"attach -enable many,wire", false, true, "wire"},
	{"attach -disable many,wire", true, true, "many"},
	{"attach -disable many,wire", true, true, "wire"},
	{"attach -stop -max-stop 20000 -enable many,wire", false, false, "many"},
	{"attach -stop -max-stop 20000 -disable many,wire", true, true, "wire"},
};
#define SCENES (sizeof scenes / sizeof *scenes)

/* What the tracing process and we both see. */
struct moment {
	unsigned long calls, wanted; /* of those that read, write, record */
	bool leaves, struck;
	unsigned locks; /* calls of flock: without the lock nothing is switched */
};

/* Two take the lock, one is for the journal, two release the lock. */
#define MOMENT_FIRST_LOCK 1
#define MOMENT_UNLOCK 4

static struct tool tool;
static struct moment *moment;
static int placer; /* a socket */

/* ---------------------------------------------- a process that has the uprobe */

static void serve(int socket, const struct truth *t, const struct field *f)
{
	int fd = -1;
	char byte;

	while (read(socket, &byte, 1) == 1) {
		if (byte == 'r') {
			close(fd);
			fd = -1;
		} else {
			fd = uprobe_place(f, &t->probes[(unsigned char)byte - 'A']);
		}
		byte = byte == 'r' || fd >= 0 ? 'y' : 'n';
		if (write(socket, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static bool ask(char what)
{
	char answer = 'n';

	return write(placer, &what, 1) == 1 && read(placer, &answer, 1) == 1 && answer == 'y';
}

static char place_name(size_t probe)
{
	return (char)('A' + probe);
}

/* ------------------------------------------------------------------ a moment */

static char place_at;

static void meanwhile(long call)
{
	if (call == SYS_flock)
		moment->locks++;
	if (moment->locks < MOMENT_FIRST_LOCK || moment->locks >= MOMENT_UNLOCK ||
		(call != SYS_process_vm_readv && call != SYS_pwrite64 && call != SYS_pread64 &&
			call != SYS_write))
		return;
	if (++moment->calls != moment->wanted)
		return;
	moment->struck = ask(moment->leaves ? 'r' : place_at);
}

static void begin_scene(const struct scene *scene, struct truth *t, size_t probe)
{
	place_at = place_name(probe);
	tool_must(&tool,
		scene->on ? "attach -enable many,wire -force" : "attach -disable many,wire -force");
	t->probes[truth_find(t, "many")].count = t->probes[truth_find(t, "wire")].count =
		!scene->on;
	*moment = (struct moment){.leaves = scene->leaves};
	if (scene->leaves && !ask(place_at))
		fault("a uprobe cannot be placed");
}

/* At call `number` of those; 0: never. How many there were. */
static unsigned long strike(
	const struct scene *scene, struct truth *t, struct field *f, unsigned long number)
{
	const struct killer k = {.way = KILLER_MEANWHILE, .meanwhile = meanwhile};
	size_t probe = truth_find(t, scene->name);
	struct truth_probe *p = &t->probes[probe];
	struct killer_end end;
	bool there;

	fault_begin("%s; at call %lu a uprobe %s %s", scene->words, number,
		scene->leaves ? "leaves" : "comes to", scene->name);
	begin_scene(scene, t, probe);
	moment->wanted = number;
	end = tool_run(&tool, scene->words, &k);
	if (end.status != 0)
		fault("the tool ended with status %x", (unsigned)end.status);
	there = moment->struck != scene->leaves;
	p->theirs = there;
	inspect_victim(t, f);
	if (there && !ask('r'))
		fault("the uprobe cannot be removed");
	p->theirs = 0;
	inspect_victim(t, f);
	return moment->calls;
}

static unsigned long common_divisor(unsigned long a, unsigned long b)
{
	return b ? common_divisor(b, a % b) : a;
}

/* In an order that covers all calls evenly, should the time not suffice. */
static unsigned long play(const struct scene *scene, struct truth *t, struct field *f, long until)
{
	unsigned long calls = strike(scene, t, f, 0), step = calls * 38 / 100 + 1, done = 0;

	while (calls && common_divisor(step, calls) != 1)
		step++;
	for (; done < calls && (field_now() < until || done < 4); done++)
		strike(scene, t, f, 1 + done * step % calls);
	printf("%-50s %-8s %s: %lu of %lu calls\n", scene->words,
		scene->leaves ? "leaves" : "comes to", scene->name, done, calls);
	fflush(stdout);
	return done;
}

static unsigned long run(struct truth *t, struct field *f, long seconds)
{
	long begin = field_now();
	unsigned long strikes = 0;

	for (size_t i = 0; i < SCENES; i++) {
		long left = begin + seconds * 1000 - field_now();

		strikes += play(&scenes[i], t, f, field_now() + left / (long)(SCENES - i));
	}
	return strikes;
}

int main(int argc, char **argv)
{
	long seconds = argc > 4 ? atol(argv[4]) : 20;
	static struct truth t;
	struct field f;
	int ends[2];

	if (argc < 4 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return 99;
	moment = mmap(
		NULL, sizeof *moment, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (moment == MAP_FAILED)
		return 99;
	tool_init(&tool, argv[1], argv[3]);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	field_start(&f, argv[2], "4", NULL);
	tool_aim(&tool, f.pid);
	truth_learn(&t, &f);
	fflush(stdout);
	if (fork() == 0) {
		close(ends[1]);
		serve(ends[0], &t, &f);
	}
	close(ends[0]);
	placer = ends[1];
	if (!ask(place_name(truth_find(&t, "many")))) {
		printf("uprobes are not permitted here\n");
		field_end(&f);
		return 77;
	}
	ask('r');
	printf("%lu moments", run(&t, &f, seconds));
	close(placer);
	field_end(&f);
	while (wait(NULL) > 0)
		;
	printf(", %lu faults\n", fault_count);
	return fault_count != 0;
}
