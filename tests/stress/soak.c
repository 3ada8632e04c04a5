/*
 * A soak: probes of a program at work are counted and uncounted all the while, with a stop and
 * without, by sessions of which some are killed; debuggers and uprobes come to counted sites and
 * leave.
 *
 *   soak NAME PROBE[,PROBE] SECONDS SEED FOLDER COMMAND...
 *
 * COMMAND starts a load: it prints "ready PID UNIT", and answers each line N on stdin by a line
 * that depends on N alone. It passes PROBE as often as the first word
 * of its answer says, and some constant. What must be so: all answers are right, hits never go
 * back, those of PROBE agree with the load, and in the end the code of the process and of its
 * children is that of their files, they have no descriptor of an arena and no tracer, and the load
 * ends with status 0.
 */
#include "dice.h"
#include "fault.h"
#include "inspect.h"
#include "probes.h"
#include "uprobe.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOAK_SIZES 4
#define SOAK_LINE 128
#define SOAK_CHILDREN 64

/* What all processes of the soak see. */
static struct soak {
	atomic_int hold, held, armed, leave;
	atomic_ulong answers, wrong, sessions, rounds, sites, stops, most_stopped_us, hits, refused;
	atomic_ulong faults;
	uint64_t site, semaphore;
	char object[512], probe[256];
} * soak;

static const char *name, *folder;
static pid_t load, target, feeder;
static long unit;
static int to_load, from_load;
static struct dice dice;
static FILE *notes;
static unsigned long kills, debuggers, uprobes, bpftraces, agreed, agreed_hits, not_compared;
static bool no_bpftrace, no_uprobe;

/* A fault, in this process or one that it has forked. */
static void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void wrong(const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	printf("%s: %s\n", name, text);
	fflush(stdout);
	atomic_fetch_add(&soak->faults, 1);
}

/* ---------------------------------------------------------------- the load */

/* False: it has ended. */
static bool read_line(char *line, size_t size)
{
	size_t length = 0;

	while (length + 1 < size && read(from_load, line + length, 1) == 1)
		if (line[length++] == '\n') {
			line[length - 1] = '\0';
			return true;
		}
	return false;
}

static void ask(long n, char *answer)
{
	int length = snprintf(answer, SOAK_LINE, "%ld\n", n);

	if (write(to_load, answer, (size_t)length) != length || !read_line(answer, SOAK_LINE)) {
		wrong("the load ended");
		_exit(1);
	}
}

/* Gives it work, and compares each answer with the first one to the same question. */
static void feed(void)
{
	char first[SOAK_SIZES][SOAK_LINE] = {""}, answer[SOAK_LINE];

	for (;;) {
		unsigned k = dice_roll(&dice, SOAK_SIZES);

		while (atomic_load(&soak->hold)) {
			atomic_store(&soak->held, 1);
			field_nap(500);
		}
		atomic_store(&soak->held, 0);
		ask(unit * (k + 1), answer);
		if (!*first[k])
			memcpy(first[k], answer, sizeof answer);
		if (strcmp(first[k], answer) != 0) {
			wrong("it answers '%s', before it was '%s'", answer, first[k]);
			atomic_fetch_add(&soak->wrong, 1);
		}
		atomic_fetch_add(&soak->answers, 1);
	}
}

static void rest(bool wanted)
{
	atomic_store(&soak->hold, wanted);
	while (atomic_load(&soak->held) != wanted && waitpid(feeder, NULL, WNOHANG) == 0)
		field_nap(500);
}

static void start_load(char **argv)
{
	char line[SOAK_LINE];
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		fault_fatal("no pipe");
	load = fork();
	if (load == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execvp(argv[0], argv);
		_exit(77);
	}
	close(in[0]);
	close(out[1]);
	to_load = in[1];
	from_load = out[0];
	while (read_line(line, sizeof line))
		if (sscanf(line, "ready %d %ld", &target, &unit) == 2)
			return;
	printf("%s: skipped: it cannot be started here\n", name);
	exit(77);
}

/* ------------------------------------------------------------- our sessions */

static bool by_chance(void *data, const struct probes_session *s, size_t probe)
{
	(void)data;
	(void)s;
	(void)probe;
	return dice_once_in(&dice, 2);
}

static void refused(const struct probes_error *e)
{
	atomic_fetch_add(&soak->refused, 1);
	fprintf(notes, "%s: %s: %s\n", name, e->what, e->why);
	fflush(notes);
}

static struct probes_session *open_session(pid_t pid)
{
	struct probes_session *s = NULL;
	struct probes_error e;

	if (probes_open_pid(pid, NULL, &s, &e) < 0) {
		refused(&e);
		return NULL;
	}
	if (probes_refresh(s, NULL, 0, &e) < 0)
		refused(&e);
	atomic_fetch_add(&soak->sessions, 1);
	return s;
}

static void act(struct probes_session *s, enum probes_verb verb, enum probes_by by, bool stop)
{
	struct probes_action a = {.verb = verb, .by = by, .predicate = by_chance};
	struct probes_switch_options o = {.atomically = stop, .max_stop_ms = 5000};
	struct probes_result *r = NULL;
	struct probes_error e;

	if (probes_switch(s, &a, 1, &o, &r, &e) < 0)
		refused(&e);
	if (r && verb == PROBES_COUNT && r->counted_sites > atomic_load(&soak->sites))
		atomic_store(&soak->sites, r->counted_sites);
	if (r && r->stopped_ns) {
		atomic_fetch_add(&soak->stops, 1);
		if (r->stopped_ns / 1000 > atomic_load(&soak->most_stopped_us))
			atomic_store(&soak->most_stopped_us, r->stopped_ns / 1000);
	}
	probes_result_free(r);
}

/* `others`: somebody else may hold a site; a repair after him puts it back. */
static void restore(struct probes_session *s, bool others)
{
	struct probes_result *r = NULL;
	struct probes_error e;
	int result;

	/* On a machine with much to do a thread may take more than a second to stop. */
	for (unsigned tries = 10; (result = probes_restore(s, &r, &e)) < 0 && tries; tries--) {
		refused(&e);
		if (others || e.status == PROBES_GONE)
			return;
		probes_result_free(r);
	}
	if (result < 0)
		wrong("not restored: %s: %s", e.what, e.why);
	for (size_t i = 0; r && !others && i < r->item_count; i++)
		if (r->items[i].outcome == PROBES_NOT_DONE)
			wrong("%s is not restored: %s", probes_at(s, r->items[i].probe)->name,
				r->items[i].why);
	probes_result_free(r);
}

static uint64_t hits_of(struct probes_session *s)
{
	struct probes_error e;
	uint64_t sum = 0;

	if (probes_refresh(s, NULL, 0, &e) < 0 || probes_read_hits(s, &e) < 0)
		refused(&e);
	for (size_t i = 0; i < probes_count(s); i++)
		sum += probes_hits(s, i).hits;
	return sum;
}

/* Hits since the last time; they never go back while nothing else is counted. */
static void watch(struct probes_session *s)
{
	uint64_t before = hits_of(s), begin = before;

	for (unsigned i = dice_roll(&dice, 4); i; i--) {
		uint64_t now;

		field_nap(dice_roll(&dice, 80000));
		now = hits_of(s);
		if (now < before)
			wrong("the hits went back from %lu to %lu", before, now);
		before = now;
	}
	atomic_fetch_add(&soak->hits, before - begin);
}

/* A session: on and off, some or all. */
static void session(pid_t pid)
{
	struct probes_session *s = open_session(pid);

	if (!s)
		return;
	for (unsigned rounds = 1 + dice_roll(&dice, 6); rounds; rounds--) {
		act(s, PROBES_COUNT, dice_once_in(&dice, 2) ? PROBES_BY_ALL : PROBES_BY_PREDICATE,
			!dice_once_in(&dice, 3));
		watch(s);
		while (dice_once_in(&dice, 2))
			act(s, dice_once_in(&dice, 2) ? PROBES_COUNT : PROBES_UNCOUNT,
				PROBES_BY_PREDICATE, dice_once_in(&dice, 2));
		watch(s);
		restore(s, false);
		atomic_fetch_add(&soak->rounds, 1);
	}
	probes_close(s);
}

/* One counts all and stays so until told to go; it names the site of the most hits. */
static void holder(pid_t pid)
{
	struct probes_session *s = open_session(pid);
	uint64_t most = 0;

	if (!s)
		return;
	act(s, PROBES_COUNT, PROBES_BY_ALL, true);
	field_nap(50000);
	(void)hits_of(s);
	for (size_t i = 0; i < probes_count(s); i++)
		for (size_t k = 0; k < probes_at(s, i)->site_count; k++) {
			const struct probes_probe *p = probes_at(s, i);
			struct probes_site_hits h = probes_site_hits_at(s, i, k);

			if (!h.counted || h.hits < most || (most && dice_once_in(&dice, 3)))
				continue;
			most = h.hits;
			soak->site = p->sites[k].address;
			soak->semaphore = p->semaphore_count ? p->semaphores[0].address : 0;
			snprintf(soak->object, sizeof soak->object, "%s",
				probes_object_at(s, p->object)->path);
			snprintf(soak->probe, sizeof soak->probe, "%s:%s", p->provider, p->name);
		}
	atomic_store(&soak->armed, 1);
	while (!atomic_load(&soak->leave)) {
		(void)hits_of(s);
		field_nap(20000);
	}
	restore(s, true);
	probes_close(s);
}

/* What could not be taken back; a uprobe may go a moment after the tool that was killed. */
static size_t repaired(struct probes_session *s)
{
	struct probes_result *r = NULL;
	struct probes_error e;
	size_t left = 0;

	if (probes_repair(s, &r, &e) < 0) {
		refused(&e);
		left = e.status != PROBES_GONE;
	}
	for (size_t i = 0; r && i < r->item_count; i++)
		left += r->items[i].outcome == PROBES_NOT_DONE;
	probes_result_free(r);
	return left;
}

static void repair(pid_t pid)
{
	struct probes_session *s = open_session(pid);
	size_t left = 0;

	for (unsigned tries = 20; s && (left = repaired(s)) && tries; tries--)
		field_nap(100000);
	if (left)
		wrong("%zu probes are not repaired", left);
	probes_close(s);
}

/* In a process of its own, which may be killed; each has chances of its own. */
static pid_t begin(void (*what)(pid_t pid), pid_t pid)
{
	uint64_t seed = dice_roll(&dice, 1 << 30);
	pid_t child = fork();

	if (child == 0) {
		dice = dice_of(seed);
		what(pid);
		fflush(NULL);
		_exit(0);
	}
	return child;
}

static void finish(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) == child && status && status != SIGKILL)
		wrong("a session ended with status %x", (unsigned)status);
}

/* ------------------------------------------------------------- what happens */

static size_t children_of(pid_t pid, pid_t *pids)
{
	char path[64];
	size_t count = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "re");
	while (f && count < SOAK_CHILDREN && fscanf(f, "%d", &pids[count]) == 1)
		count++;
	if (f)
		fclose(f);
	return count;
}

static pid_t choose(void)
{
	pid_t pids[SOAK_CHILDREN];
	size_t count = children_of(target, pids);

	return count && dice_once_in(&dice, 2) ? pids[dice_roll(&dice, (unsigned)count)] : target;
}

static void repair_all(void)
{
	pid_t pids[SOAK_CHILDREN];
	size_t count = children_of(target, pids);

	finish(begin(repair, target));
	for (size_t i = 0; i < count; i++)
		finish(begin(repair, pids[i]));
}

static void on_and_off(void)
{
	pid_t one = begin(session, choose());

	if (dice_once_in(&dice, 3)) {
		field_nap(dice_roll(&dice, 1200000));
		kill(one, SIGKILL);
		finish(one);
		kills++;
		if (dice_once_in(&dice, 2))
			finish(begin(session, target));
		repair_all();
		return;
	}
	finish(one);
}

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *format, ...)
{
	char command[2048];
	va_list arguments;
	int status;

	va_start(arguments, format);
	vsnprintf(command, sizeof command, format, arguments);
	va_end(arguments);
	status = system(command);
	fprintf(notes, "%s: %s: status %x\n", name, command, (unsigned)status);
	fflush(notes);
}

/*
 * Breakpoints at the site and at the instruction behind it: one never holds, the other one is hit,
 * if it is ever reached, and then removed. At the end of its input it leaves; meanwhile the program
 * runs.
 */
static void debugger(pid_t pid)
{
	uint64_t at = soak->site;
	bool hit = dice_once_in(&dice, 3);

	run("(printf '%%s\\n' 'set pagination off' 'set confirm off' "
	    "'handle all nostop noprint pass' 'set breakpoint always-inserted on' "
	    "'break *0x%lx if 0' 'tbreak *0x%lx' 'continue &'; sleep 0.4; "
	    "echo 'continue &'; sleep 0.3) | "
	    "timeout 60 gdb -nx -q -ex 'set auto-solib-add off' -p %d >>'%s/gdb' 2>&1",
		at + !hit, at + hit, pid, folder);
	debuggers++;
}

static void bpftrace(pid_t pid)
{
	run("timeout -s INT -k 5 %u bpftrace -p %d -e 'usdt:%s:%s { @ = count(); }' "
	    "</dev/null >/dev/null 2>&1",
		2 + dice_roll(&dice, 3), pid, soak->object, soak->probe);
	bpftraces++;
}

/* It comes to a counted site, and leaves before or after us, or when we are killed. */
static void visited(void)
{
	pid_t pid = choose(), one = begin(holder, pid);
	struct field f = {.pid = pid};
	int fd = -1;

	while (!atomic_load(&soak->armed) && waitpid(one, NULL, WNOHANG) == 0)
		field_nap(1000);
	if (!soak->site) {
		not_compared++;
	} else if (dice_once_in(&dice, 3)) {
		debugger(pid);
	} else if (dice_once_in(&dice, 3) && !no_bpftrace) {
		bpftrace(pid);
	} else if (!no_uprobe) {
		fd = uprobe_place_at(&f, soak->object, soak->site, soak->semaphore);
		uprobes += fd >= 0;
		field_nap(dice_roll(&dice, 200000));
		if (dice_once_in(&dice, 2) && fd >= 0) {
			close(fd);
			fd = -1;
		}
	}
	if (dice_once_in(&dice, 3)) {
		kill(one, SIGKILL);
		kills++;
	}
	atomic_store(&soak->leave, 1);
	finish(one);
	if (fd >= 0)
		close(fd);
	repair_all();
	atomic_store(&soak->leave, 0);
	atomic_store(&soak->armed, 0);
	soak->site = 0;
}

/* The first of some probes that is counted as a whole. */
static struct probes_session *count_one(const char *list)
{
	struct probes_action a = {.verb = PROBES_COUNT, .by = PROBES_BY_NAME};
	struct probes_switch_options o = {.atomically = true, .max_stop_ms = 5000};
	struct probes_session *s = open_session(target);
	char text[256], *rest = text;

	snprintf(text, sizeof text, "%s", list);
	while (s && (a.text = strtok_r(rest, ",", &rest))) {
		struct probes_result *r = NULL;
		struct probes_error e;
		bool whole = probes_switch(s, &a, 1, &o, &r, &e) == 0 && !r->uncounted_sites;

		probes_result_free(r);
		if (whole)
			return s;
		restore(s, false);
	}
	probes_close(s);
	return NULL;
}

/* What the load does at our word agrees to the last hit. */
static void exact(const char *probes)
{
	uint64_t hits[3], times[2], more;
	struct probes_session *s;
	char answer[SOAK_LINE];

	rest(true);
	s = count_one(probes);
	if (s) {
		hits[0] = hits_of(s);
		for (long i = 0; i < 2; i++) {
			ask(unit * (i + 1), answer);
			times[i] = strtoul(answer, NULL, 10);
			hits[i + 1] = hits_of(s);
		}
		more = hits[2] - hits[1] - (hits[1] - hits[0]);
		if (more != times[1] - times[0])
			wrong("%lu hits more of %s, it should be %lu", more, probes,
				times[1] - times[0]);
		agreed++;
		agreed_hits += hits[2] - hits[0];
		restore(s, false);
	} else {
		not_compared++;
	}
	probes_close(s);
	rest(false);
}

/* ------------------------------------------------------------------ the end */

static void check_semaphores(const struct field *f)
{
	struct probes_session *s = open_session(f->pid);

	for (size_t i = 0; s && i < probes_count(s); i++)
		for (size_t k = 0; k < probes_at(s, i)->semaphore_count; k++) {
			unsigned short value = 0;

			if (field_peek(f, probes_at(s, i)->semaphores[k].address, &value,
				    sizeof value) &&
				value)
				wrong("the count of %s is %u in the end", probes_at(s, i)->name,
					value);
		}
	probes_close(s);
}

static void check(pid_t pid)
{
	struct field f = {.pid = pid};
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/mem", pid);
	f.mem = open(path, O_RDONLY | O_CLOEXEC);
	if (f.mem < 0)
		return;
	inspect_threads(&f);
	inspect_code(&f, NULL);
	inspect_descriptors(&f);
	check_semaphores(&f);
	close(f.mem);
}

static void end(void)
{
	pid_t pids[SOAK_CHILDREN];
	size_t count;
	int status = -1;

	rest(true);
	kill(feeder, SIGKILL);
	waitpid(feeder, NULL, 0);
	repair_all();
	count = children_of(target, pids);
	check(target);
	for (size_t i = 0; i < count; i++)
		check(pids[i]);
	close(to_load);
	if (waitpid(load, &status, 0) != load || status)
		wrong("the load ended with status %x", (unsigned)status);
}

static bool have(const char *command)
{
	char text[128];

	snprintf(text, sizeof text, "command -v %s >/dev/null", command);
	return system(text) == 0;
}

int main(int argc, char **argv)
{
	long until, gdb;
	char path[512];

	if (argc < 7)
		return 99;
	name = argv[1];
	folder = argv[5];
	dice = dice_of(strtoul(argv[4], NULL, 10));
	snprintf(path, sizeof path, "%s/records", folder);
	setenv("PROBES_TUI_RECORDS", path, 1);
	snprintf(path, sizeof path, "%s/notes", folder);
	notes = fopen(path, "ae");
	soak = mmap(NULL, sizeof *soak, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!notes || soak == MAP_FAILED)
		fault_fatal("cannot write %s", path);
	signal(SIGPIPE, SIG_IGN);
	start_load(argv + 6);
	gdb = have("gdb");
	no_bpftrace = !have("bpftrace");
	feeder = begin((void (*)(pid_t))(void *)feed, 0);
	for (until = field_now() + atol(argv[3]) * 1000; field_now() < until && !soak->faults;) {
		unsigned what = dice_roll(&dice, 6);

		if (what < 4)
			on_and_off();
		else if (what < 5)
			gdb ? visited() : on_and_off();
		else
			exact(argv[2]);
	}
	end();
	printf("%s: %lu sessions, %lu times on and off, %lu sites at most, %lu stops of %.1f ms at "
	       "most; %lu answers, %lu wrong; %lu hits seen; %lu times exact (of %lu hits), %lu "
	       "not comparable; %lu kills, %lu debuggers, %lu uprobes, %lu bpftraces; %lu calls "
	       "refused; %lu faults\n",
		name, soak->sessions, soak->rounds, soak->sites, soak->stops,
		(double)soak->most_stopped_us / 1e3, soak->answers, soak->wrong, soak->hits, agreed,
		agreed_hits, not_compared, kills, debuggers, uprobes, bpftraces, soak->refused,
		soak->faults + fault_count);
	return soak->faults + fault_count != 0;
}
