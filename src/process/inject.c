/*
 * System calls on a thread of another process. A helper process (process/tracer.h) holds the
 * thread; all that can be computed before is computed before the thread stops.
 *
 * The stack of the thread, from the moment its registers change:
 *
 *     rsp ->    128 bytes that its function may use (red zone)
 *               the registers as they were, with the vector registers
 *     frame ->  address of the program's own code that calls rt_sigreturn
 *               texts
 *
 * Each call is executed by `syscall; ret` in the program's own code with rsp = frame: if nobody
 * traces the thread any more, the return leads to rt_sigreturn, and that to where it was.
 */
#include "process/inject.h"

#include "base/error.h"
#include "base/now.h"
#include "process/access.h"
#include "process/capability.h"
#include "process/filter.h"
#include "process/gadgets.h"
#include "process/maps.h"
#include "process/memory.h"
#include "process/pausable.h"
#include "process/procfs.h"
#include "process/sigframe.h"
#include "process/tracee.h"
#include "process/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INJECT_RED_ZONE 128
#define INJECT_PAGE 4096           /* one write of memory stays within one */
#define INJECT_STOP_NS 3000000000u /* a thread that has not stopped by then is let go */
#define INJECT_RUN_NS 2000000000u  /* our calls may take that long */
#define INJECT_FIND_NS 250000000u  /* search so long for a thread that can be paused */
#define INJECT_TICK_NS 5000000
#define INJECT_TRIED 64
#define INJECT_CALL_BYTES 2 /* of the instruction */

/* What the helper reports, in shared memory. */
struct inject_report {
	uint64_t begin, stopped_ns; /* CLOCK_MONOTONIC, ns */
	bool stopped;               /* it did stop */
	bool unfit;                 /* this thread cannot be used now; nothing was changed */
	bool never;                 /* nor later */
	size_t done;
	int64_t results[INJECT_CALLS];
};

struct inject {
	const struct identity *who;
	struct memory m; /* read through its descriptor: process/pagemap.h */
	struct inject_call *calls;
	size_t count;
	const struct inject_text *texts;
	size_t text_count;
	struct array mappings;
	struct gadgets gadgets;
	pid_t tid;
	bool filtered; /* by seccomp */
	struct inject_report *report;
	/* in the helper */
	struct user_regs_struct registers; /* as found */
	uint64_t mask;
	struct sigframe frame;
};

/* ---- holding a thread ---- */

static int inject_gone(const struct inject *a, struct probes_error *e)
{
	if (!identity_alive(a->who))
		return identity_gone(a->who, e);
	error_set(e, PROBES_FAILED, -ESRCH, "cannot run a system call in process %d", a->who->pid);
	error_why(e, "its thread %d ended meanwhile", a->tid);
	return error_hint(e, "try again");
}

static int inject_wait(const struct inject *a, int *status)
{
	int r;

	do
		r = tracee_wait_once(a->tid, true, status);
	while (r == -EINTR);
	return r == 0 && !WIFSTOPPED(*status) ? -ESRCH : r;
}

/* Wait for the stop that was requested, and pass on the signals that come first. */
static int inject_wait_arrival(const struct inject *a, int *status)
{
	int r;

	while ((r = inject_wait(a, status)) == 0 && !tracee_is_arrival(*status) &&
		!tracee_is_group_stop(*status))
		r = tracee_continue(a->tid, tracee_signal(*status));
	return r;
}

/* The calls, and the one that would return to where it was. Results are not known yet. */
static bool inject_passes_filter(const struct inject *a)
{
	const uint64_t ip = a->gadgets.at[ARCH_USEFUL_CALL] + INJECT_CALL_BYTES;
	const uint64_t none[6] = {0};
	bool passes = filter_allows(a->tid, SYS_rt_sigreturn, none, ip) > 0;

	for (size_t i = 0; passes && i < a->count; i++)
		passes = filter_allows(a->tid, a->calls[i].number, a->calls[i].arguments, ip) > 0;
	return passes;
}

/* Stopped where it can be used? Otherwise another one must be: *e has the reason. */
static bool inject_fits(struct inject *a, int status, struct probes_error *e)
{
	const char *why = pausable_unfit(a->tid, &a->registers, &a->mappings, &a->m,
		a->gadgets.at[ARCH_USEFUL_SIGRETURN], &a->report->never);

	if (!why && a->filtered && !inject_passes_filter(a)) {
		why = "its seccomp filter forbids a system call that is needed";
		a->report->never = true;
	} else if (!why && tracee_is_group_stop(status)) {
		why = "it was stopped by job control meanwhile";
	} else if (!why && !gadgets_stand(&a->gadgets, &a->m)) {
		why = "its code has changed meanwhile: is a debugger attached?";
	}
	if (!why)
		return true;
	error_set(
		e, PROBES_REFUSED, -EAGAIN, "cannot run a system call in process %d", a->who->pid);
	error_why(e, "%s", why);
	error_hint(e, "%s", a->report->never ? "leave this process out" : "try again");
	return false;
}

/* ---- calls ---- */

static uint64_t inject_text_address(const struct inject *a, size_t index)
{
	return a->frame.at - (index + 1) * INJECT_TEXT_BYTES;
}

/* A piece per page: a write of memory is whole or fails within one. */
static int inject_write(struct inject *a, uint64_t at, const void *from, size_t size)
{
	const uint8_t *bytes = from;
	int r = 0;

	while (r == 0 && size) {
		size_t room = INJECT_PAGE - at % INJECT_PAGE, piece = size < room ? size : room;

		r = a->m.ops->write(&a->m, at, bytes, piece);
		at += piece;
		bytes += piece;
		size -= piece;
	}
	return r;
}

/* Save everything on the stack. Nothing refers to it before the registers change. */
static int inject_write_stack(struct inject *a)
{
	uint8_t xstate[SIGFRAME_XSTATE] = {0};
	char text[INJECT_TEXT_BYTES] = "";
	size_t size = sizeof xstate;
	int r = tracee_get_mask(a->tid, &a->mask);

	if (r == 0)
		r = tracee_get_xstate(a->tid, xstate, &size);
	if (r < 0)
		return r;
	if (!sigframe_build(&a->frame, a->registers.rsp - INJECT_RED_ZONE,
		    a->gadgets.at[ARCH_USEFUL_SIGRETURN], &a->registers, a->mask, xstate, size))
		return -ENOTSUP;
	r = inject_write(a, a->frame.at, a->frame.bytes, a->frame.size);
	for (size_t i = 0; r == 0 && i < a->text_count; i++) {
		snprintf(text, sizeof text, "%s", a->texts[i].text);
		r = inject_write(a, inject_text_address(a, i), text, sizeof text);
	}
	return r;
}

static int inject_to_call(const struct inject *a)
{
	int status, signal = 0, r;

	/* All signals are blocked but SIGSTOP; and the whole process may stop. */
	while ((r = tracee_to_call(a->tid, signal)) == 0) {
		r = inject_wait(a, &status);
		if (r < 0 || tracee_is_call(status))
			return r;
		signal = tracee_signal(status);
		if (signal && signal != SIGSTOP)
			return -EFAULT;
	}
	return r;
}

static int inject_call(struct inject *a, size_t index)
{
	struct user_regs_struct r = a->registers;
	const struct inject_call *call = &a->calls[index];
	unsigned long long *const places[] = {&r.rdi, &r.rsi, &r.rdx, &r.r10, &r.r8, &r.r9};
	int64_t result;
	int code;

	for (size_t i = 0; i < 6; i++) {
		uint64_t k = call->arguments[i] - INJECT_RESULT(0);

		*places[i] = k < index ? (uint64_t)a->report->results[k] : call->arguments[i];
	}
	for (size_t i = 0; i < a->text_count; i++)
		if (a->texts[i].call == index)
			*places[a->texts[i].argument] = inject_text_address(a, i);
	r.rax = (uint64_t)call->number;
	r.orig_rax = (uint64_t)-1; /* nothing to restart */
	r.rip = a->gadgets.at[ARCH_USEFUL_CALL];
	r.rsp = a->frame.at;
	code = tracee_set_registers(a->tid, &r);
	for (int stop = 0; code == 0 && stop < 2; stop++) /* its entry, its exit */
		code = inject_to_call(a);
	if (code == 0)
		code = tracee_get_registers(a->tid, &r);
	if (code < 0)
		return code;
	result = (int64_t)r.rax;
	a->report->results[index] = result;
	a->report->done = index + 1;
	return result < 0 && result > -4096 ? (int)result : 0;
}

static int inject_calls(struct inject *a, struct probes_error *e)
{
	struct user_regs_struct parked = a->registers;
	int r;

	/* First to where it returns by itself, then the mask: each is undone by that. */
	parked.rip = a->gadgets.at[ARCH_USEFUL_SIGRETURN];
	parked.rsp = a->frame.at + sizeof(uint64_t);
	parked.orig_rax = (uint64_t)-1;
	r = tracee_set_registers(a->tid, &parked);
	if (r == 0)
		r = tracee_set_mask(a->tid, UINT64_MAX);
	if (r < 0)
		return inject_gone(a, e);
	for (size_t i = 0; i < a->count; i++) {
		r = inject_call(a, i);
		if (r == 0)
			continue;
		if (a->report->done <= i && r != -EFAULT)
			return inject_gone(a, e);
		error_set(e, PROBES_FAILED, r, "system call %ld failed in process %d",
			a->calls[i].number, a->who->pid);
		return a->report->done <= i ? error_why(e, "its thread could not execute it") : r;
	}
	return 0;
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
	return r == 0 ? tracee_detach(a->tid, 0) : r;
}

/* ---- the helper ---- */

static int inject_refuse_seize(const struct inject *a, int code, struct probes_error *e)
{
	char file[64], name[64];
	pid_t other;

	if (!identity_alive(a->who) || code == -ESRCH)
		return inject_gone(a, e);
	snprintf(file, sizeof file, "task/%d/status", a->tid);
	other = procfs_tracer(a->who->proc, file, name, sizeof name);
	error_set(e, PROBES_DENIED, code, "cannot run a system call in process %d", a->who->pid);
	if (!other)
		return access_explain(a->who->pid, e);
	error_why(e, "process %d (%s) traces it already", other, name);
	return error_hint(e, "let the other tool go first");
}

static int inject_help(void *data, struct probes_error *e)
{
	struct inject *a = data;
	char file[64], name[64];
	int status, r, restored;

	tracer_kill_at(now_ns() + INJECT_STOP_NS);
	r = tracee_seize_calls(a->tid);
	if (r < 0)
		return inject_refuse_seize(a, r, e);
	snprintf(file, sizeof file, "task/%d/status", a->tid);
	if (procfs_tracer(a->who->proc, file, name, sizeof name) != getpid())
		return inject_gone(a, e); /* the tid was recycled */
	a->report->begin = now_ns();
	r = tracee_interrupt(a->tid);
	if (r == 0)
		r = inject_wait_arrival(a, &status);
	if (r == 0)
		r = tracee_get_registers(a->tid, &a->registers);
	if (r < 0)
		return inject_gone(a, e);
	a->report->stopped = true;
	tracer_kill_at(now_ns() + INJECT_RUN_NS);
	pausable_restart(&a->registers);
	a->report->unfit = !inject_fits(a, status, e);
	r = a->report->unfit ? e->code : inject_write_stack(a);
	if (r == 0) {
		r = inject_calls(a, e);
		restored = inject_restore(a);
		if (r == 0 && restored < 0)
			r = inject_gone(a, e);
	} else {
		tracee_set_registers(a->tid, &a->registers);
		tracee_detach(a->tid, 0);
		if (!a->report->unfit)
			r = error_set(e, PROBES_FAILED, r, "cannot run a system call in process %d",
				a->who->pid);
	}
	a->report->stopped_ns = now_ns() - a->report->begin;
	return r;
}

/* ---- the caller ---- */

static int inject_late(const struct inject *a, struct probes_error *e)
{
	error_set(e, PROBES_REFUSED, -ETIMEDOUT, "cannot run a system call in process %d",
		a->who->pid);
	error_why(e, "its thread %d did not stop within 3 seconds: uninterruptible, or frozen",
		a->tid);
	return error_hint(e, "try again");
}

static int inject_on_thread(struct inject *a, struct probes_error *e)
{
	int r;

	memset(a->report, 0, sizeof *a->report);
	r = tracer_fork(a->who->pid, inject_help, a, e);
	if (a->report->begin && !a->report->stopped_ns)
		a->report->stopped_ns = now_ns() - a->report->begin;
	return r == -ECHILD && !a->report->stopped ? inject_late(a, e) : r;
}

/* May we read the seccomp filters of others? */
static bool inject_reads_filters(void)
{
	size_t size;
	char *text;
	bool may = false;

	if (procfs_read(AT_FDCWD, "/proc/self/status", &text, &size) == 0)
		may = capability_in(procfs_status_set(text, "CapEff"), CAPABILITY_SYS_ADMIN) &&
		      !procfs_status(text, "Seccomp", 0);
	free(text);
	return may;
}

/* Until a thread can be paused, or none will be. */
static int inject_try(struct inject *a, struct probes_error *e)
{
	const struct timespec tick = {0, INJECT_TICK_NS};
	uint64_t until = now_ns() + INJECT_FIND_NS;
	bool filters = inject_reads_filters(), unfit = false;
	size_t tried_count = 0, never = 0; /* the first ones */
	pid_t tried[INJECT_TRIED];
	struct pausable p;
	int r;

	for (;;) {
		r = pausable_find(a->who, &a->mappings, tried, tried_count, filters, &p);
		if (r < 0)
			return error_set(e, PROBES_FAILED, r,
				"cannot read the threads of process %d", a->who->pid);
		if (p.tid) {
			a->tid = p.tid;
			a->filtered = p.filtered;
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
	error_set(e, p.traced ? PROBES_DENIED : PROBES_REFUSED, p.traced ? -EPERM : -EAGAIN,
		"cannot run a system call in process %d", a->who->pid);
	error_why(e, "%s", *p.why ? p.why : "none of its threads can be paused without notice");
	return error_hint(e, "%s", *p.why ? p.hint : "try again");
}

int inject_run(const struct identity *who, struct memory *m, struct inject_call *calls,
	size_t count, const struct inject_text *texts, size_t text_count, size_t *done,
	uint64_t *stopped_ns, struct probes_error *e)
{
	struct inject a = {.who = who,
		.m = *m,
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
	if (m->fd < 0) {
		error_set(e, PROBES_DENIED, m->denied, "cannot run a system call in process %d",
			who->pid);
		return access_explain(who->pid, e);
	}
	array_init(&a.mappings, sizeof(struct mapping));
	a.report = mmap(
		NULL, sizeof *a.report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	r = a.report == MAP_FAILED ? error_memory(e, "a helper process") : 0;
	if (r == 0) {
		r = procfs_read(who->task, "maps", &maps, &size);
		if (r < 0 || !size)
			r = error_is_shortage(r)
				    ? error_set(e, PROBES_FAILED, r,
					      "cannot read the maps of process %d", who->pid)
				    : identity_gone(who, e);
		else if (!maps_parse(maps, &a.mappings, &malformed))
			r = error_memory(e, "the maps of a process");
		if (r == 0)
			r = gadgets_find(&a.gadgets, who, &a.m, &a.mappings, e);
		if (r == 0)
			r = inject_try(&a, e);
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
