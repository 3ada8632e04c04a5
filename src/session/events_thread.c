/*
 * The threads of events: who they are, and whether they may make system calls. A call can harm a
 * process that never makes it itself: a seccomp filter kills it, or the thread waits for a fault
 * that it should serve. So each thread needs a proof of its own, which is soon out of date, and is
 * made again every EVENTS_CHECK_NS (session/proofs.c). Forked children are recognized by their
 * number, which lies in a page that only they have.
 *
 * What a record says of its thread may be forged: whatever it names, a reading looks once for what
 * it does not know.
 */
#include "session/events.h"

#include "base/now.h"
#include "base/order.h"
#include "count/space.h"
#include "process/procfs.h"
#include "process/tree.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENTS_THREADS 20000            /* remembered at most */
#define EVENTS_NAMED_NS 500000000       /* a name is read again after this, and a thread searched */
#define EVENTS_CHECK_NS 40000000        /* between two looks at what threads may do */
#define EVENTS_PERMIT_NS 250000000      /* for which a look permits calls, at least ... */
#define EVENTS_PERMIT_MOST_NS 500000000 /* ... and at most, where readings are far apart */
#define EVENTS_CHILDREN_KNOWN 4096      /* remembered at most */
#define EVENTS_CHILDREN_LOOKED 64       /* children that are looked at: the last ones seen */
#define EVENTS_CHILD_NS 1000000000      /* children that confine themselves do so at their start */
#define EVENTS_TICK_NS 10000000         /* of start times: USER_HZ */

/* ---- forked children ---- */

static struct arena *events_thread_arena(struct probes_session *s, struct events *ev, uint32_t at)
{
	return ARRAY_AT(
		&s->arenas, struct arena, ARRAY_AT(&ev->arenas, struct events_arena, at)->arena);
}

/* A process while it is looked at. */
struct events_process {
	int proc;
	struct memory memory;
	uint64_t cookie; /* of the arena: 0: it has none there */
};

static bool events_process_open(struct events_process *p, const struct arena *w, pid_t pid)
{
	*p = (struct events_process){.memory.fd = -1};
	p->proc = procfs_open(AT_FDCWD, O_PATH | O_DIRECTORY, "/proc/%d", (int)pid);
	if (p->proc < 0)
		return false;
	memory_open(&p->memory, p->proc, pid, true);
	/* Not where another program lies now: the opened memory is that of one program. */
	return arena_lies(w, &p->memory) &&
	       memory_read(&p->memory, arena_cookie(w), &p->cookie, sizeof p->cookie);
}

static void events_process_close(struct events_process *p)
{
	memory_close(&p->memory);
	if (p->proc >= 0)
		close(p->proc);
}

/* Is this the child, and not a thread of it? Its number says so, which is in its own memory. */
static bool events_child_is(
	struct probes_session *s, struct events *ev, struct events_child *c, pid_t pid)
{
	const struct arena *w = events_thread_arena(s, ev, c->arena);
	struct events_process p;
	struct procfs_stat stat;
	char *status = NULL;
	bool is = events_process_open(&p, w, pid) && p.cookie >> 48 == c->number &&
		  space_has_arena(p.proc, w->inode, 0) > 0 &&
		  procfs_stat(p.proc, &stat, "stat") == 0 &&
		  procfs_read(p.proc, &status, NULL, "status") == 0 &&
		  procfs_status(status, "Tgid", 0) == pid;

	if (is) {
		c->pid = pid;
		c->start_time = stat.start_time;
	}
	free(status);
	events_process_close(&p);
	return is;
}

/*
 * Look at its threads, and let them make calls for as long as others, if they may. Forked children
 * are alike: once one has confined itself, none may.
 */
static void events_child_look(
	struct probes_session *s, struct events *ev, struct events_child *c, int64_t time)
{
	struct arena *w = events_thread_arena(s, ev, c->arena);
	struct threads now = {.hint = s->threads.hint};
	struct events_process p;
	struct procfs_stat stat;

	if (events_process_open(&p, w, c->pid) && p.cookie >> 48 == c->number &&
		procfs_stat(p.proc, &stat, "stat") == 0 && stat.start_time == c->start_time) {
		uint64_t age = (procfs_now() - stat.start_time) * EVENTS_TICK_NS;
		bool may;

		(void)threads_look(p.proc, &p.memory, true, &now);
		ev->confined = ev->confined || now.no_calls;
		may = now.distinct && !ev->confined && age >= EVENTS_CHILD_NS;
		(void)proofs_write(&p.memory, w, &now, p.cookie, may ? ev->calls_until : 0);
		threads_done(&c->threads);
		c->threads = now;
	}
	c->looked = time;
	events_process_close(&p);
}

void events_thread_forget(struct events *ev)
{
	ARRAY_EACH(struct events_child, c, &ev->children)
		threads_done(&c->threads);
	ev->children.count = 0;
}

/* The last one may be several children: nothing is known of it. NULL: no memory, too. */
static struct events_child *events_child(struct events *ev, uint32_t arena, uint16_t number)
{
	struct events_child *c;

	if (number == EVENTS_CHILDREN - 1)
		return NULL;
	for (size_t i = ev->children.count; i-- > 0;) {
		c = ARRAY_AT(&ev->children, struct events_child, i);
		if (c->arena == arena && c->number == number)
			return c;
	}
	if (ev->children.count == EVENTS_CHILDREN_KNOWN)
		events_thread_forget(ev);
	c = array_add(&ev->children);
	if (c)
		*c = (struct events_child){.arena = arena, .number = number};
	return c;
}

/* ---- system calls ---- */

/* False: the process itself could not be told. */
static bool events_thread_write(struct probes_session *s, struct events *ev, int64_t now)
{
	size_t count = ev->children.count;
	bool good = true;

	for (size_t i = 0; i < ev->arenas.count; i++)
		good = proofs_publish(
			       s, events_thread_arena(s, ev, (uint32_t)i), ev->calls_until) &&
		       good;
	for (size_t i = 0; i < count; i++) {
		struct events_child *c = ARRAY_AT(&ev->children, struct events_child, i);

		if (c->pid && (i + EVENTS_CHILDREN_LOOKED >= count || !ev->calls_until))
			events_child_look(s, ev, c, now);
	}
	return good;
}

/* Look now. What is proven then soon ends: it is dated from before the look. */
static bool events_thread_renew(struct probes_session *s, struct events *ev, int64_t now)
{
	int64_t permit = EVENTS_PERMIT_NS / 2 + (ev->checked ? 2 * (now - ev->checked) : 0);
	struct events_mark mark;
	uint64_t until = ev->calls_until;
	bool good;

	permit = permit < EVENTS_PERMIT_NS        ? EVENTS_PERMIT_NS
		 : permit > EVENTS_PERMIT_MOST_NS ? EVENTS_PERMIT_MOST_NS
						  : permit;
	clock_look(&mark.ticks, &mark.real_ns);
	proofs_look(s, true);
	ev->no_calls = !s->distinct         ? "its threads cannot be told apart"
		       : s->threads.foreign ? "glibc has not created its threads"
					    : s->threads.no_calls;
	ev->calls_until =
		ev->no_calls ? 0 : mark.ticks + (uint64_t)((double)permit / ev->ns_per_tick);
	/* Those who made events last come last. */
	(void)order_array(&ev->children, offsetof(struct events_child, seen));
	good = events_thread_write(s, ev, now);
	ev->checked = now;
	clock_look(&mark.ticks, &mark.real_ns);
	if (until && ev->calls_until && mark.ticks > until) {
		uint64_t *late = ev->late[ev->lates++ % EVENTS_LATE];

		late[0] = until;
		late[1] = mark.ticks;
	}
	return good;
}

bool events_thread_late(const struct events *ev, uint64_t ticks)
{
	for (size_t i = 0; i < EVENTS_LATE; i++)
		if (ticks >= ev->late[i][0] && ticks < ev->late[i][1])
			return true;
	return false;
}

bool events_thread_permit(struct probes_session *s, struct events *ev, int64_t now)
{
	return (ev->checked && now - ev->checked < EVENTS_CHECK_NS) ||
	       events_thread_renew(s, ev, now);
}

void events_thread_forbid(struct probes_session *s, struct events *ev)
{
	ev->calls_until = 0;
	(void)events_thread_write(s, ev, (int64_t)now_ns());
}

/* ---- names ---- */

/*
 * The tid in our pid namespace of the thread that a record names, among those of a process at the
 * last look; 0: unknown. `age`: of the record, ns.
 */
static pid_t events_thread_among(
	const struct threads *threads, pid_t pid, const struct events_entry *record, int64_t age)
{
	ARRAY_EACH(const struct thread, one, &threads->all) {
		struct procfs_stat stat;

		if (!(record->flags & EVENTS_BY_POINTER)
				? one->inside != record->thread
				: (uint32_t)(one->pointer >> EVENTS_POINTER_SHIFT) !=
						  record->thread ||
					  !one->pointer)
			continue;
		/* One that began after the event has its thread pointer by now. */
		if (!(record->flags & EVENTS_BY_POINTER) ||
			(procfs_stat(AT_FDCWD, &stat, "/proc/%d/task/%d/stat", (int)pid,
				 (int)one->tid) == 0 &&
				(int64_t)(procfs_now() - stat.start_time + 2) * EVENTS_TICK_NS >=
					age))
			return one->tid;
	}
	/* The only one, of which nothing can be proven. */
	return (record->flags & EVENTS_BY_POINTER) && threads->all.count == 1 &&
			       !ARRAY_AT(&threads->all, struct thread, 0)->pointer
		       ? ARRAY_AT(&threads->all, struct thread, 0)->tid
		       : 0;
}

static void events_thread_name(struct probes_session *s, struct events_thread *t)
{
	char *text;
	size_t size;
	int r;

	if ((uint16_t)(t->key >> 32)) /* of a forked child */
		r = procfs_read(
			AT_FDCWD, &text, &size, "/proc/%d/task/%d/comm", (int)t->pid, (int)t->tid);
	else
		r = procfs_read(s->who.proc, &text, &size, "task/%d/comm", (int)t->tid);
	/* One that has ended keeps its last name. */
	if (r == 0) {
		size -= size && text[size - 1] == '\n'; /* the kernel's; a name may hold others */
		size = size < sizeof t->name ? size : sizeof t->name - 1;
		memcpy(t->name, text, size);
		t->name[size] = '\0';
	}
	free(text);
}

/* The hit knew its tid, which is ours as well. A child that is pid 1 has a pid namespace of its
 * own. */
static bool events_thread_is_plain(
	const struct probes_session *s, const struct events_entry *record)
{
	return s->threads.near && !(record->flags & EVENTS_BY_POINTER) &&
	       record->thread > (record->process ? 1 : 0);
}

/* May it be a thread of this child: is it, or has it ended? */
static bool events_thread_may_be(pid_t pid, pid_t tid)
{
	char path[48];

	snprintf(path, sizeof path, "/proc/%d/task/%d", (int)pid, (int)tid);
	if (access(path, F_OK) == 0)
		return true;
	snprintf(path, sizeof path, "/proc/%d", (int)tid);
	return access(path, F_OK) < 0;
}

/* Which numbers the descendants of the process have. */
static void events_kin_look(struct probes_session *s, struct events *ev, int64_t now)
{
	struct array links = ARRAY_OF(struct tree_link);
	pid_t *all = NULL;
	size_t count = 0;

	ev->kin.count = 0;
	if (tree_gather(&links) == 0)
		all = calloc(links.count + 1, sizeof *all);
	if (all)
		count = tree_descendants(links.data, links.count, s->who.pid, all);
	for (size_t i = 0; i < count; i++)
		for (uint32_t k = 0; all[i] != s->who.pid && k < ev->arenas.count; k++) {
			struct events_process p;
			struct events_kin *one = NULL;

			if (events_process_open(&p, events_thread_arena(s, ev, k), all[i]))
				one = array_add(&ev->kin);
			if (one)
				*one = (struct events_kin){k, (uint16_t)(p.cookie >> 48), all[i]};
			events_process_close(&p);
		}
	free(all);
	array_done(&links);
	ev->kin_looked = now;
}

static void events_thread_learn_child(struct probes_session *s, struct events *ev,
	struct events_thread *t, uint32_t arena, const struct events_entry *record, int64_t age,
	int64_t now)
{
	struct events_child *c = events_child(ev, arena, record->process);

	if (!c)
		return;
	c->seen = now;
	/* Its only thread has the pid of the child, if it is in our pid namespace. */
	if (!c->pid && !(record->flags & EVENTS_BY_POINTER) && record->thread)
		(void)events_child_is(s, ev, c, (pid_t)record->thread);
	if (!c->pid && (!c->searched || now - c->searched > EVENTS_NAMED_NS)) {
		c->searched = now;
		if (ev->kin_looked < now)
			events_kin_look(s, ev, now);
		ARRAY_EACH_WHILE(!c->pid, const struct events_kin, one, &ev->kin)
			if (one->arena == arena && one->number == c->number)
				(void)events_child_is(s, ev, c, one->pid);
	}
	if (!c->pid) {
		t->tid = events_thread_is_plain(s, record) ? (pid_t)record->thread : 0;
		return;
	}
	if (c->looked < now)
		events_child_look(s, ev, c, now);
	t->pid = c->pid;
	if (events_thread_is_plain(s, record) &&
		events_thread_may_be(c->pid, (pid_t)record->thread))
		t->tid = (pid_t)record->thread;
	else
		t->tid = events_thread_among(&c->threads, t->pid, record, age);
}

const struct events_thread *events_thread_of(struct probes_session *s, struct events *ev,
	const struct events_pending *from, const struct events_entry *record, int64_t now)
{
	static const struct events_thread unknown;
	uint64_t key = (uint64_t)(record->flags & EVENTS_BY_POINTER) << 63 |
		       (uint64_t)from->arena << 48 | (uint64_t)record->process << 32 |
		       record->thread;
	size_t at = order_find(&ev->threads, offsetof(struct events_thread, key), key);
	struct events_thread *t = ARRAY_AT(&ev->threads, struct events_thread, at);

	if (at == ev->threads.count || t->key != key) {
		if (ev->threads.count == EVENTS_THREADS)
			ev->threads.count = at = 0;
		if (!array_add(&ev->threads))
			return &unknown;
		t = ARRAY_AT(&ev->threads, struct events_thread, at);
		memmove(t + 1, t, (ev->threads.count - 1 - at) * sizeof *t);
		*t = (struct events_thread){.key = key};
	}
	if (t->looked && now - t->looked < EVENTS_NAMED_NS)
		return t;
	/* Those that made events lately are looked at. */
	if (record->process && t->tid) {
		struct events_child *c = events_child(ev, from->arena, record->process);

		if (c)
			c->seen = now;
	}
	if (!t->tid || (record->flags & EVENTS_BY_POINTER)) {
		int64_t age = (int64_t)((double)(int64_t)(ev->marks[2].ticks - from->ticks) *
					ev->ns_per_tick);

		if (record->process) {
			events_thread_learn_child(s, ev, t, from->arena, record, age, now);
		} else {
			t->pid = s->who.pid;
			t->tid = events_thread_is_plain(s, record)
					 ? (pid_t)record->thread
					 : events_thread_among(&s->threads, t->pid, record, age);
		}
		/* It may have begun after the last look. */
		if (!record->process && !t->tid && record->thread && ev->checked < now) {
			(void)events_thread_renew(s, ev, (int64_t)now_ns());
			t->tid = events_thread_among(&s->threads, t->pid, record, age);
		}
	}
	if (t->tid)
		events_thread_name(s, t);
	t->looked = now;
	return t;
}
