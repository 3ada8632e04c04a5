/*
 * What is proven of the threads of a process, for the code that runs in it: that each can be told
 * from the others by its thread pointer, its tid, and that it may make system calls. It is proven
 * from outside, again and again, and put down in memory of the process that only it has, where a
 * hit finds it under its thread pointer (struct recorder_own).
 */
#include "session/session.h"

#include "base/error.h"
#include "base/now.h"
#include "count/install.h"
#include "count/recorder.h"
#include "process/procfs.h"
#include "process/sharing.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PROOFS_NAP_NS 2000000
#define PROOFS_WAIT_NS 40000000 /* until a new thread has registered its list, */
#define PROOFS_RAN_NS 200000    /* if it has run for so long: a few times what it takes */

/*
 * Does this system call make threads? In it a parent waits until its vfork's child has gone, and a
 * thread that was stopped before its first instruction is, too. asm/unistd_64.h: clone, vfork,
 * clone3.
 */
static bool proofs_creates(long call)
{
	return call == 56 || call == 58 || call == 435;
}

/* The system call in which a thread waits; -1: it runs, or waits for something else. */
static long proofs_call(const struct probes_session *s, pid_t tid)
{
	char *text = NULL, *end;
	long call = -1;

	if (procfs_read(s->who.proc, &text, NULL, "task/%d/syscall", (int)tid) == 0) {
		call = strtol(text, &end, 10);
		call = end == text ? -1 : call; /* "running" */
	}
	free(text);
	return call;
}

/* Tell the process, in the page of each arena that only it has. */
static void proofs_tell(struct probes_session *s, bool distinct)
{
	for (size_t i = 0; i < s->arenas.count; i++) {
		uint64_t at = arena_cookie(ARRAY_AT(&s->arenas, struct arena, i)), cookie, set;

		/* Neither: a forked child without a number; its hits are counted together. */
		if (!memory_read(&s->memory, at, &cookie, sizeof cookie) ||
			!(cookie & ARCH_COOKIE_OWN))
			continue;
		set = (cookie & ~ARCH_COOKIE_OWN) |
		      (distinct ? ARCH_COOKIE_DISTINCT : ARCH_COOKIE_SHARED);
		if (set != cookie)
			(void)s->memory.ops->write(&s->memory, at, &set, sizeof set);
	}
}

/* How long the thread has been without a proof, ns. */
static int64_t proofs_waits(struct array *unproven, pid_t tid, int64_t now)
{
	ARRAY_EACH(struct session_unproven, known, unproven)
		if (known->tid == tid) {
			known->seen = now;
			return now - known->since;
		}
	(void)array_push(unproven, &(struct session_unproven){tid, now, now});
	return 0;
}

/* Nanoseconds on a processor: proc(5), schedstat. -1: unknown. */
static int64_t proofs_runtime(int dir, const char *file)
{
	int64_t ns = -1;
	char *text;

	if (procfs_read(dir, &text, NULL, "%s", file) == 0)
		ns = strtoll(text, NULL, 10);
	free(text);
	return ns;
}

/*
 * Would the thread have registered its list by now? Where processors are scarce, it may not have
 * begun. One that waits elsewhere has, however little it has run.
 */
static bool proofs_has_begun(const struct probes_session *s, pid_t tid)
{
	long call = proofs_call(s, tid);
	char file[48];
	int64_t ns;

	/* Before, it waits for its creator, registers its list, or rseq. asm/unistd_64.h: futex,
	 * set_robust_list, rseq. */
	if (call >= 0 && call != 202 && call != 273 && call != 334 && !proofs_creates(call))
		return true;
	snprintf(file, sizeof file, "task/%d/schedstat", (int)tid);
	ns = proofs_runtime(s->who.proc, file);
	/* A kernel that keeps no such times shows 0 of us, too. */
	return ns < 0 || ns > PROOFS_RAN_NS ||
	       (ns == 0 && proofs_runtime(AT_FDCWD, "/proc/self/schedstat") <= 0);
}

/*
 * Look at the threads. Can each be told from the others? A new one registers its list when it has
 * begun, and no longer has it when it ends: so it may be without a proof for a moment. *waits: one
 * is. *code: why they cannot be read, a negative errno; else 0.
 */
static bool proofs_read(struct probes_session *s, bool calls, bool *waits, int *code)
{
	struct threads t = {0};
	bool begun = false, vfork = false;
	size_t left = 0;
	int64_t now;

	/* It may begin between the look and the question whether it has: then the next look shows
	   what it has registered. */
	for (int looks = 0; !looks || (looks == 1 && begun); looks++) {
		threads_done(&t);
		t = (struct threads){.hint = s->threads.hint};
		*code = threads_look(s->who.proc, &s->memory, calls, &t);
		now = (int64_t)now_ns();
		*waits = begun = false;
		ARRAY_EACH_WHILE(t.all.count > 1, const struct thread, one, &t.all) {
			if (one->pointer)
				continue;
			*waits = true;
			begun = (proofs_waits(&s->unproven, one->tid, now) > PROOFS_WAIT_NS &&
					proofs_has_begun(s, one->tid)) ||
				begun;
		}
	}
	ARRAY_EACH(struct session_unproven, one, &s->unproven) {
		if (one->seen == now)
			*ARRAY_AT(&s->unproven, struct session_unproven, left++) = *one;
	}
	s->unproven.count = left;
	threads_done(&s->threads);
	s->threads = t;
	if (*code || begun || !t.distinct)
		return false;
	/* Another process in its memory has the thread pointer of one of its threads, unless a
	   thread waits for it: that of a vfork has it meanwhile. */
	if (sharing_find(&s->who) <= 0)
		return true;
	for (size_t i = 0; !vfork && i < t.all.count; i++)
		vfork = proofs_creates(proofs_call(s, ARRAY_AT(&t.all, struct thread, i)->tid));
	return vfork;
}

bool proofs_begin(struct probes_session *s, bool calls)
{
	const struct timespec nap = {.tv_nsec = PROOFS_NAP_NS};
	bool waits = true;
	int code;

	for (int64_t from = (int64_t)now_ns(), i = 0;
		waits && (int64_t)now_ns() - from < 2 * PROOFS_WAIT_NS; i++) {
		if (i)
			nanosleep(&nap, NULL);
		s->distinct = proofs_read(s, calls, &waits, &code);
		waits = waits && s->distinct;
	}
	proofs_tell(s, s->distinct);
	return s->distinct;
}

void proofs_look(struct probes_session *s, bool calls)
{
	struct probes_error e;
	bool waits;
	int code;

	if (!s->arenas.count || !arch_has_thread_pointer() ||
		proofs_read(s, calls, &waits, &code) || !s->distinct || !identity_alive(&s->who) ||
		!memory_alive(&s->memory))
		return;
	s->distinct = false;
	proofs_tell(s, false);
	error_set(&e, PROBES_FAILED, code, "the threads of process %d can no longer be %s",
		s->who.pid, code < 0 ? "read" : "told apart");
	if (code == 0)
		error_why(&e, "glibc has not created all of them, or two share a thread pointer");
	log_say(&s->log, PROBES_LOG_NOTICE,
		"%s: %s; some hits so far may be missing, and from now on they are counted under a "
		"lock",
		e.what, e.why);
}

int proofs_ask(
	struct probes_session *s, const struct arena *w, bool interrupts, struct probes_error *e)
{
	const struct install in = {.who = &s->who,
		.memory = &s->memory,
		.held = s->held ? s->start : NULL,
		.interrupts = interrupts};
	int r;

	if (!arch_has_thread_pointer()) {
		error_set(e, PROBES_REFUSED, -ENOTSUP, "cannot measure hits in process %d",
			s->who.pid);
		error_why(e, "a thread cannot read its thread pointer on this machine (FSGSBASE)");
		return error_hint(e, "count the hits; a kernel from 5.9 on may help");
	}
	r = install_ask(&in, w, &s->threads.hint, e);
	if (r < 0)
		return r;
	(void)proofs_begin(s, true);
	if (!s->threads.strict)
		return 0;
	error_set(e, PROBES_REFUSED, -EPERM, "cannot measure hits in process %d", s->who.pid);
	return error_why(e, "one of its threads is in seccomp strict mode and may not even read "
			    "the clock");
}

/* The place of a thread in a table: its own, a free one, or the stalest. */
static struct recorder_thread *proofs_place(struct recorder_thread *table, uint64_t owner)
{
	struct recorder_thread *found = NULL;

	for (size_t i = 0; i < RECORDER_TRIES; i++) {
		struct recorder_thread *one = &table[recorder_thread_at(owner, i)];

		if (!one->owner || one->owner == owner)
			return one;
		if (!found || one->calls < found->calls)
			found = one;
	}
	return found;
}

#define PROOFS_AT(w, member) (arena_cookie(w) + offsetof(struct recorder_own, proven.member))

/*
 * A thread may read its place meanwhile. It believes what it finds there only if the tid is its
 * own, which no other has.
 */
bool proofs_write(struct memory *m, const struct arena *w, const struct threads *t, uint64_t cookie,
	uint64_t calls)
{
	const size_t size = RECORDER_THREADS * sizeof(struct recorder_thread);
	const uint64_t at = PROOFS_AT(w, threads);
	struct recorder_thread *was = malloc(2 * size), *now = was ? was + RECORDER_THREADS : NULL;
	bool good = was && memory_read(m, at, was, size);
	size_t part;

	if (good)
		memcpy(now, was, size);
	ARRAY_EACH_WHILE(good, const struct thread, one, &t->all) {
		uint64_t owner = one->pointer + cookie;

		if (one->pointer)
			*proofs_place(now, owner) = (struct recorder_thread){
				.owner = owner, .calls = calls, .tid = one->inside};
	}
	/* A write ends at the end of a page; those that stay as they are cost the process nothing.
	 */
	for (size_t done = 0; good && done < size; done += part) {
		part = TACTICS_PAGE - (at + done) % TACTICS_PAGE;
		part = part < size - done ? part : size - done;
		if (memcmp((char *)was + done, (char *)now + done, part))
			good = m->ops->write(m, at + done, (unsigned char *)now + done, part) == 0;
	}
	free(was);
	return good;
}

bool proofs_publish(struct probes_session *s, const struct arena *w, uint64_t calls)
{
	uint64_t cookie = 0;

	/* One that is not proven yet has just begun, or it would not be distinct. */
	uint64_t says[2] = {1, s->distinct && !s->threads.foreign}, said[2];

	_Static_assert(offsetof(struct recorder_own, proven.tids) ==
			       offsetof(struct recorder_own, proven.may) + sizeof *says,
		"what is said is written at once");
	return memory_read(&s->memory, PROOFS_AT(w, may), said, sizeof said) &&
	       (!memcmp(said, says, sizeof says) ||
		       s->memory.ops->write(&s->memory, PROOFS_AT(w, may),
			       (const unsigned char *)says, sizeof says) == 0) &&
	       memory_read(&s->memory, arena_cookie(w), &cookie, sizeof cookie) && cookie &&
	       proofs_write(&s->memory, w, &s->threads, cookie, calls);
}
