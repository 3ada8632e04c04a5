/*
 * A helper process (process/tracer.h) stops the thread; everything that can be computed in advance
 * is. A program that is held at its start is stopped already, and dies with its tracer.
 */
#include "process/inject.h"

#include "base/error.h"
#include "base/now.h"
#include "process/access.h"
#include "process/capability.h"
#include "process/cgroup.h"
#include "process/filter.h"
#include "process/host_thread.h"
#include "process/maps.h"
#include "process/procfs.h"
#include "process/restart.h"
#include "process/start.h"
#include "process/tracee.h"
#include "process/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define INJECT_STOP_NS 3000000000u /* a thread that has not stopped by then is let go */
#define INJECT_RUN_NS 2000000000u  /* our calls may take that long */
#define INJECT_FIND_NS 250000000u  /* search so long for a thread that can be paused */
#define INJECT_TICK_NS 5000000
#define INJECT_TRIED 64
#define INJECT_CALL_BYTES 2 /* of the instruction */

/* ---- holding a thread ---- */

/* Wait for the stop that was requested, and pass on the signals that come first. */
static int inject_wait_arrival(const struct inject *a, int *status)
{
	int r;

	while ((r = inject_calls_wait(a, status)) == 0 && !tracee_is_arrival(*status) &&
		!tracee_is_group_stop(*status))
		r = tracee_continue(a->tid, tracee_signal(*status));
	return r;
}

/* The calls, and the one that would return to where it was. Results are not known yet. */
static bool inject_passes_filter(const struct inject *a)
{
	const uint64_t ip = a->code[ARCH_USEFUL_CALL] + INJECT_CALL_BYTES;
	const uint64_t none[6] = {0};
	bool passes = filter_allows(a->tid, SYS_rt_sigreturn, none, ip) > 0;

	for (size_t i = 0; passes && i < a->count; i++)
		passes = filter_allows(a->tid, a->calls[i].number, a->calls[i].arguments, ip) > 0;
	return passes;
}

/* Stopped where it can be used? Otherwise another one must be: *e has the reason. */
static bool inject_fits(struct inject *a, int status, struct probes_error *e)
{
	const char *why = host_thread_unfit(a->tid, &a->registers, &a->mappings, &a->m,
		a->code[ARCH_USEFUL_SIGRETURN], a->tid == a->who->pid, &a->report->never);

	if (!why && a->filtered && !inject_passes_filter(a)) {
		why = "its seccomp filter forbids a system call that is needed";
		a->report->never = true;
	} else if (!why && tracee_is_group_stop(status)) {
		why = "it was stopped by job control meanwhile";
	} else if (!why && !inject_calls_place(a)) {
		why = "it has used its stack up to the end";
	} else if (!why && !inject_calls_stand(a)) {
		why = "its code has changed meanwhile: is a debugger attached?";
	}
	if (!why)
		return true;
	inject_calls_failed(a, PROBES_REFUSED, -EAGAIN, e);
	error_why(e, "%s", why);
	error_hint(e, "%s", a->report->never ? "leave this process out" : "try again");
	return false;
}

/*
 * As found, the result of the interrupted system call included: the kernel restarts it as it would
 * have without us, but only on its way from a stop that was requested, not from that of a call.
 */
static int inject_restore(struct inject *a)
{
	int status, r = tracee_interrupt(a->tid);

	if (r == 0)
		r = tracee_set_mask(a->tid, a->mask);
	if (r == 0)
		r = tracee_set_registers(a->tid, &a->registers);
	if (r == 0)
		r = tracee_continue(a->tid, 0);
	if (r == 0)
		r = inject_wait_arrival(a, &status);
	if (r == 0)
		inject_calls_clear(a);
	return r == 0 ? tracee_detach(a->tid, 0) : r;
}

/* ---- the helper ---- */

static int inject_refuse_seize(const struct inject *a, int code, struct probes_error *e)
{
	char name[64];
	pid_t other;

	if (!identity_alive(a->who) || code == -ESRCH)
		return inject_calls_gone(a, e);
	other = procfs_tracer(a->who->proc, name, sizeof name, "task/%d/status", a->tid);
	inject_calls_failed(a, PROBES_DENIED, code, e);
	if (!other)
		return access_explain(a->who->pid, e);
	error_why(e, "process %d (%s) traces it already", other, name);
	return error_hint(e, "let the other tool go first");
}

static int inject_help(void *data, struct probes_error *e)
{
	struct inject *a = data;
	char name[64];
	int status, r, restored;

	tracer_kill_at(now_ns() + INJECT_STOP_NS);
	/* One that ends before it stops is none to use: another one may do. */
	a->report->unfit = true;
	r = tracee_seize_calls(a->tid);
	if (r < 0) {
		a->report->unfit = r == -ESRCH;
		return inject_refuse_seize(a, r, e);
	}
	if (procfs_tracer(a->who->proc, name, sizeof name, "task/%d/status", a->tid) != getpid())
		return inject_calls_gone(a, e); /* the tid was recycled */
	a->report->begin = now_ns();
	r = tracee_interrupt(a->tid);
	if (r == 0)
		r = inject_wait_arrival(a, &status);
	if (r == 0)
		r = restart_past_filter(a->tid);
	if (r == 0)
		r = tracee_get_registers(a->tid, &a->registers);
	if (r < 0)
		return inject_calls_gone(a, e);
	a->report->unfit = false;
	a->report->stopped = true;
	a->report->until = now_ns() + INJECT_RUN_NS;
	tracer_kill_at(a->report->until);
	if (!a->interrupted)
		host_thread_restart(&a->registers);
	a->report->unfit = !inject_fits(a, status, e);
	r = a->report->unfit ? e->code : inject_calls_save(a);
	if (r == 0) {
		r = inject_calls_run(a, e);
		restored = inject_restore(a);
		if (r == 0 && restored < 0)
			r = inject_calls_gone(a, e);
	} else {
		tracee_set_registers(a->tid, &a->registers);
		tracee_detach(a->tid, 0);
		if (!a->report->unfit)
			r = inject_calls_failed(a, PROBES_FAILED, r, e);
	}
	a->report->stopped_ns = now_ns() - a->report->begin;
	return r;
}

/* Runs in the thread that traces the program, which stays stopped and is left as found. */
static int inject_work_held(void *data, struct probes_error *e)
{
	struct inject *a = data;
	int r = tracee_hold_calls(a->tid), restored;

	a->report->begin = now_ns();
	a->report->stopped = true;
	if (r == 0)
		r = tracee_get_registers(a->tid, &a->registers);
	/* At its exec it is still inside that call, whose result would overwrite our rax. */
	if (r == 0 && (int64_t)a->registers.orig_rax >= 0) {
		r = inject_calls_to_call(a);
		if (r == 0)
			r = tracee_get_registers(a->tid, &a->registers);
		a->registers.orig_rax = (uint64_t)-1;
	}
	if (r < 0)
		return inject_calls_gone(a, e);
	a->report->unfit = !inject_fits(a, 0, e);
	r = a->report->unfit ? e->code : inject_calls_save(a);
	if (r < 0 && !a->report->unfit)
		inject_calls_failed(a, PROBES_FAILED, r, e);
	if (r == 0) {
		r = inject_calls_run(a, e);
		restored = tracee_set_mask(a->tid, a->mask);
		if (restored == 0)
			restored = tracee_set_registers(a->tid, &a->registers);
		if (restored == 0)
			inject_calls_clear(a);
		if (r == 0 && restored < 0)
			r = inject_calls_gone(a, e);
	}
	tracee_begin_again(a->tid);
	a->report->stopped_ns = now_ns() - a->report->begin;
	return r;
}

/* ---- the caller ---- */

static int inject_on_thread(struct inject *a, struct probes_error *e)
{
	uint64_t began = now_ns();
	struct procfs_stat stat;
	const char *frozen;
	int r;

	memset(a->report, 0, sizeof *a->report);
	r = tracer_fork(a->who->pid, inject_help, a, e);
	if (a->report->begin && !a->report->stopped_ns)
		a->report->stopped_ns = now_ns() - a->report->begin;
	if (r == -ECHILD && a->report->until && now_ns() >= a->report->until) {
		error_why(e,
			"our helper process could not finish within 2 seconds: the machine is too "
			"busy, or it was stopped");
		return error_hint(e, "try again");
	}
	if (r != -ECHILD || a->report->stopped)
		return r;
	a->report->unfit = false;
	if (now_ns() - began < INJECT_STOP_NS)
		return error_hint(e, "try again");
	frozen = cgroup_frozen(a->who);
	inject_calls_failed(a, PROBES_REFUSED, -ETIMEDOUT, e);
	if (frozen)
		error_why(e, "%s", frozen);
	else if (procfs_stat(a->who->proc, &stat, "task/%d/stat", a->tid) == 0 && stat.state == 'D')
		error_why(e, "its thread %d did not stop within 3 seconds: it is uninterruptible",
			a->tid);
	else
		error_why(e,
			"its thread %d was not stopped within 3 seconds: the machine is too busy, "
			"or our helper process was stopped",
			a->tid);
	return error_hint(e, "try again");
}

/* May we read the seccomp filters of others? */
static bool inject_reads_filters(void)
{
	char *text;
	bool may = false;

	if (procfs_read(AT_FDCWD, &text, NULL, "/proc/self/status") == 0)
		may = capability_in(procfs_status_set(text, "CapEff"), CAPABILITY_SYS_ADMIN) &&
		      !procfs_status(text, "Seccomp", 0);
	free(text);
	return may;
}

static int inject_refuse(
	const struct inject *a, const struct host_thread *p, struct probes_error *e)
{
	char first[32];

	inject_calls_failed(
		a, p->traced ? PROBES_DENIED : PROBES_REFUSED, p->traced ? -EPERM : -EAGAIN, e);
	/* The number of the process is that of its first thread: say it once. */
	snprintf(first, sizeof first, "thread %d ", (int)a->who->pid);
	if (!strncmp(p->why, first, strlen(first)))
		error_why(e, "its first thread %s", p->why + strlen(first));
	else
		error_why(e, "%s",
			*p->why ? p->why : "none of its threads can be paused without notice");
	return error_hint(e, "%s", *p->why ? p->hint : "try again");
}

static int inject_on_held(struct inject *a, struct probes_error *e)
{
	struct host_thread p;
	int r = host_thread_held(a->who, inject_reads_filters(), &p);

	if (r < 0)
		return error_set(
			e, PROBES_FAILED, r, "cannot read the threads of process %d", a->who->pid);
	if (!p.tid)
		return inject_refuse(a, &p, e);
	a->tid = p.tid;
	a->filtered = p.filtered;
	return start_call(a->held, inject_work_held, a, e);
}

/* Until a thread can be paused, or none will be. */
static int inject_try(struct inject *a, struct probes_error *e)
{
	const struct timespec tick = {0, INJECT_TICK_NS};
	uint64_t until = now_ns() + INJECT_FIND_NS;
	bool filters = inject_reads_filters(), unfit = false;
	const char *frozen = cgroup_frozen(a->who);
	size_t tried_count = 0, never = 0; /* the first ones */
	pid_t tried[INJECT_TRIED];
	struct host_thread p;
	int r;

	/* It could be stopped (version 2), but would not run. */
	if (frozen) {
		inject_calls_failed(a, PROBES_REFUSED, -EAGAIN, e);
		error_why(e, "%s", frozen);
		return error_hint(e, "thaw it, then try again");
	}
	for (;;) {
		r = host_thread_find(
			a->who, &a->mappings, tried, tried_count, filters, a->interrupts, &p);
		if (r < 0)
			return error_set(e, PROBES_FAILED, r,
				"cannot read the threads of process %d", a->who->pid);
		if (p.tid) {
			a->tid = p.tid;
			a->filtered = p.filtered;
			a->interrupted = p.interrupted;
			r = inject_on_thread(a, e);
			unfit = true;
			if (!a->report->unfit || tried_count == INJECT_TRIED)
				return r;
			tried[tried_count++] = p.tid;
			if (a->report->never) {
				tried[tried_count - 1] = tried[never];
				tried[never++] = p.tid;
			}
			continue;
		}
		if (!identity_alive(a->who))
			return identity_gone(a->who, e);
		if ((!p.later && tried_count == never) || now_ns() >= until)
			break;
		tried_count = never;
		nanosleep(&tick, NULL);
	}
	if (unfit && !*p.why)
		return e->code; /* the reason of the last one */
	return inject_refuse(a, &p, e);
}

int inject_run(const struct inject_process *process, struct inject_call *calls, size_t count,
	const struct inject_text *texts, size_t text_count, size_t *done, uint64_t *stopped_ns,
	struct probes_error *e)
{
	const struct identity *who = process->who;
	struct inject a = {.who = who,
		.m = *process->memory,
		.held = process->held,
		.interrupts = process->interrupts,
		.calls = calls,
		.count = count,
		.texts = texts,
		.text_count = text_count};
	size_t size, malformed;
	char *maps;
	int r;

	*done = 0;
	*stopped_ns = 0;
	a.m.pid = 0;
	if (a.m.fd < 0) {
		inject_calls_failed(&a, PROBES_DENIED, a.m.denied, e);
		return access_explain(who->pid, e);
	}
	a.mappings = ARRAY_OF(struct mapping);
	a.report = mmap(
		NULL, sizeof *a.report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	r = a.report == MAP_FAILED ? error_memory(e, "a helper process") : 0;
	if (r == 0) {
		r = identity_maps(who, NULL, &maps, &size);
		if (r < 0 || !size)
			r = error_is_shortage(r)
				    ? error_set(e, PROBES_FAILED, r,
					      "cannot read the maps of process %d", who->pid)
				    : identity_gone(who, e);
		else if (!maps_parse(maps, &a.mappings, &malformed))
			r = error_memory(e, "the maps of a process");
		if (r == 0)
			r = inject_calls_find(&a, e);
		if (r == 0)
			r = a.held ? inject_on_held(&a, e) : inject_try(&a, e);
		*done = a.report->done;
		*stopped_ns = a.report->stopped_ns;
		for (size_t i = 0; i < *done; i++)
			calls[i].result = a.report->results[i];
		munmap(a.report, sizeof *a.report);
		free(maps);
	}
	array_done(&a.mappings);
	return r;
}
