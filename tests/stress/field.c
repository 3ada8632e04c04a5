/* Driving the victim by its pipes and looking at it through /proc. */
#include "field.h"

#include "fault.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

long field_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void field_nap(long us)
{
	nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

/* ---------------------------------------------------------------- threads */

static DIR *field_tasks(const struct field *f)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task", f->pid);
	return opendir(path);
}

/* The next one's number; NULL: there is none, and the list is closed. */
static const char *field_next(DIR *list)
{
	struct dirent *entry = NULL;

	do
		entry = list ? readdir(list) : NULL;
	while (entry && entry->d_name[0] == '.');
	if (!entry && list)
		closedir(list);
	return entry ? entry->d_name : NULL;
}

/* ---------------------------------------------------------------- talking */

static void field_line(struct field *f, char *line, size_t size)
{
	if (!fgets(line, (int)size, f->out))
		fault_fatal("the victim %d ended", f->pid);
	line[strcspn(line, "\n")] = '\0';
}

static void field_ask(struct field *f, const char *what, const char *answer)
{
	char line[256];

	fprintf(f->in, "%s\n", what);
	fflush(f->in);
	if (!answer)
		return;
	field_line(f, line, sizeof line);
	if (strcmp(line, answer) != 0)
		fault_fatal("the victim answers '%s' to '%s'", line, what);
}

static void field_open(struct field *f)
{
	char path[300], line[256];
	const char *tid;
	long pid;
	DIR *list;

	field_line(f, line, sizeof line);
	if (sscanf(line, "ready %ld %lx", &pid, &f->table) != 2 || pid != f->pid)
		fault_fatal("the victim says '%s'", line);
	/* Its first thread may be gone, and has no memory then. */
	for (f->mem = -1, list = field_tasks(f); (tid = field_next(list));) {
		uint64_t magic;

		if (f->mem >= 0)
			continue;
		snprintf(path, sizeof path, "/proc/%d/task/%.20s/mem", f->pid, tid);
		f->mem = open(path, O_RDONLY | O_CLOEXEC);
		if (f->mem >= 0 &&
			!(field_peek(f, f->table, &magic, sizeof magic) && magic == STORM_MAGIC)) {
			close(f->mem);
			f->mem = -1;
		}
	}
	if (f->mem < 0)
		fault_fatal("cannot read the victim");
}

void field_start(struct field *f, const char *file, const char *threads, const char *option)
{
	const char *argv[] = {"storm", "--threads", threads, option, NULL};
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		fault_fatal("no pipe");
	f->pid = fork();
	if (f->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execv(file, (char *const *)argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	f->in = fdopen(in[1], "w");
	f->out = fdopen(out[0], "r");
	if (f->pid < 0 || !f->in || !f->out)
		fault_fatal("cannot start %s", file);
	field_open(f);
}

void field_again(struct field *f)
{
	close(f->mem);
	field_open(f);
}

void field_forget(struct field *f)
{
	fclose(f->in);
	fclose(f->out);
	close(f->mem);
	f->pid = 0;
}

void field_end(struct field *f)
{
	int status = -1;

	field_ask(f, "quit", NULL);
	if (waitpid(f->pid, &status, 0) != f->pid || status != 0)
		fault("the victim ended with status %x", (unsigned)status);
	field_forget(f);
}

void field_pause(struct field *f)
{
	field_ask(f, "pause", "paused");
}

void field_go(struct field *f)
{
	field_ask(f, "go", "going");
}

/* --------------------------------------------------------------- children */

void field_fork(struct field *f, unsigned number, unsigned pace_us)
{
	char words[64];

	snprintf(words, sizeof words, "fork %u %u", number, pace_us);
	field_ask(f, words, "forking");
}

size_t field_calm(struct field *f, pid_t *pids, size_t most)
{
	char line[4096], *rest = line, *word;
	size_t count = 0;

	field_ask(f, "calm", NULL);
	field_line(f, line, sizeof line);
	word = strtok_r(rest, " ", &rest);
	if (!word || strcmp(word, "children") != 0)
		fault_fatal("the victim answers '%s' to 'calm'", line);
	while (count < most && (word = strtok_r(rest, " ", &rest)))
		pids[count++] = atoi(word);
	return count;
}

void field_gather(struct field *f)
{
	char line[64];
	int bad = -1;

	field_ask(f, "gather", NULL);
	field_line(f, line, sizeof line);
	if (sscanf(line, "gathered %d", &bad) != 1)
		fault_fatal("the victim answers '%s' to 'gather'", line);
	if (bad)
		fault("%d children of the victim ended badly", bad);
}

/* -------------------------------------------------------------- libraries */

uint64_t field_load(struct field *f, unsigned number)
{
	char line[64];
	uint64_t address;

	snprintf(line, sizeof line, "load %u", number);
	field_ask(f, line, NULL);
	field_line(f, line, sizeof line);
	if (sscanf(line, "loaded %lx", &address) != 1 || !!address != !!number)
		fault_fatal("the victim says '%s' to 'load %u'", line, number);
	return address;
}

/* --------------------------------------------------------------- counting */

static void field_said(struct field_report *r, const char *line)
{
	struct storm_place *p = &r->said.places[r->said.count];
	unsigned long pass, ran, hits;

	if (r->said.count == STORM_PLACES || sscanf(line, "place %23s pass=%lu ran=%lu hits=%lu",
						     p->name, &pass, &ran, &hits) != 4)
		fault_fatal("the victim reports '%s'", line);
	atomic_store(&p->pass, pass);
	atomic_store(&p->ran, ran);
	atomic_store(&p->hits, hits);
	r->said.count++;
}

static void field_compare(const struct field_report *r)
{
	for (size_t i = 0; i < r->said.count; i++) {
		const struct storm_place *a = &r->said.places[i], *b = &r->read.places[i];

		if (strcmp(a->name, b->name) != 0 || a->pass != b->pass || a->ran != b->ran ||
			a->hits != b->hits)
			fault("%s counts %lu/%lu/%lu, its memory says %s %lu/%lu/%lu", a->name,
				a->pass, a->ran, a->hits, b->name, b->pass, b->ran, b->hits);
		if (!b->sdt && b->ran != b->hits)
			fault("%s: the handler ran %lu times, its sites saw it %lu times", b->name,
				b->hits, b->ran);
	}
}

void field_report(struct field *f, struct field_report *r)
{
	char line[256];

	memset(r, 0, sizeof *r);
	field_ask(f, "report", NULL);
	for (field_line(f, line, sizeof line); strcmp(line, "done") != 0;
		field_line(f, line, sizeof line)) {
		struct field_code *c = &r->code[r->code_count];

		if (r->code_count < 256 &&
			sscanf(line, "code %lx %x %x", &c->address, &c->was, &c->is) == 3)
			r->code_count++;
		else
			field_said(r, line);
	}
	if (!field_peek(f, f->table, &r->read, sizeof r->read) || r->read.count != r->said.count)
		fault_fatal("cannot read the table of the victim");
	field_compare(r);
}

/* ------------------------------------------------------------ from outside */

bool field_peek(const struct field *f, uint64_t address, void *to, size_t size)
{
	return pread(f->mem, to, size, (off_t)address) == (ssize_t)size;
}

static unsigned long field_counter(const struct field *f, size_t offset)
{
	unsigned long value = 0;

	if (!field_peek(f, f->table + offset, &value, sizeof value))
		fault_fatal("cannot read a counter of the victim");
	return value;
}

unsigned long field_rounds(const struct field *f)
{
	return field_counter(f, offsetof(struct storm_table, rounds));
}

unsigned long field_signals(const struct field *f)
{
	return field_counter(f, offsetof(struct storm_table, signals));
}

/* The state letter and the tracer of one thread; false: it has ended. */
static bool field_thread(const struct field *f, const char *tid, char *state, long *tracer)
{
	char path[300], line[256];
	FILE *file;

	*state = 'Z';
	*tracer = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%.20s/status", f->pid, tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file)) {
		sscanf(line, "State: %c", state);
		sscanf(line, "TracerPid: %ld", tracer);
	}
	if (file)
		fclose(file);
	return *state != 'Z' && *state != 'X';
}

bool field_threads(const struct field *f, size_t *all, size_t *stopped, size_t *traced)
{
	DIR *list = field_tasks(f);
	const char *tid;

	*all = *stopped = *traced = 0;
	while ((tid = field_next(list))) {
		char state;
		long tracer;

		if (!field_thread(f, tid, &state, &tracer))
			continue;
		++*all;
		*stopped += state == 'T' || state == 't';
		*traced += tracer != 0;
	}
	return *all > 0;
}

char field_first_state(const struct field *f)
{
	char tid[16], state;
	long tracer;

	snprintf(tid, sizeof tid, "%d", f->pid);
	field_thread(f, tid, &state, &tracer);
	return state;
}

bool field_has_state(const struct field *f, char state)
{
	DIR *list = field_tasks(f);
	const char *tid;
	bool has = false;

	while ((tid = field_next(list))) {
		char now;
		long tracer;

		field_thread(f, tid, &now, &tracer);
		has = has || now == state;
	}
	return has;
}

pid_t field_other_thread(const struct field *f)
{
	DIR *list = field_tasks(f);
	const char *one;
	pid_t tid = 0;

	while ((one = field_next(list)))
		if (!tid && atoi(one) != f->pid)
			tid = atoi(one);
	return tid;
}
