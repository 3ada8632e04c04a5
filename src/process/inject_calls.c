/*
 * System calls on a thread that is stopped. The end of its stack, which nothing has reached yet,
 * from the moment its registers change:
 *
 *               the registers as they were, with the vector registers
 *     frame ->  address of the program's own code that calls rt_sigreturn
 *               texts
 *
 * Right below rsp it could not be: a program may run coroutines on pieces of the stack of a thread,
 * and there the next one begins.
 *
 * Each call is executed by `syscall; ret` in the program's own code with rsp = frame: if nobody
 * traces the thread any more, the return leads to rt_sigreturn, and that to where it was.
 */
#include "process/inject_calls.h"

#include "base/error.h"
#include "process/maps.h"
#include "process/tracee.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define INJECT_RED_ZONE 128
#define INJECT_PAGE 4096      /* one write of memory stays within one */
#define INJECT_GAP (2u << 20) /* what the kernel keeps free below a stack, twice */
#define INJECT_PLACE (SIGFRAME_BYTES + INJECT_TEXTS * INJECT_TEXT_BYTES)

int inject_calls_gone(const struct inject *a, struct probes_error *e)
{
	if (!identity_alive(a->who))
		return identity_gone(a->who, e);
	error_set(e, PROBES_FAILED, -ESRCH, "cannot run a system call in process %d", a->who->pid);
	error_why(e, "its thread %d ended meanwhile", a->tid);
	return error_hint(e, "try again");
}

int inject_calls_wait(const struct inject *a, int *status)
{
	pid_t tid = a->tid;
	int r;

	do /* Only the parent of a program that we started may reap it. */
		r = a->held ? tracee_peek(&tid, status) : tracee_wait_once(tid, true, status);
	while (r == -EINTR);
	return r == 0 && !WIFSTOPPED(*status) ? -ESRCH : r;
}

static uint64_t inject_calls_text_at(const struct inject *a, size_t index)
{
	return a->frame.at - (index + 1) * INJECT_TEXT_BYTES;
}

/* One write per page: within a page, a write is made as a whole or fails. */
static int inject_calls_write(struct inject *a, uint64_t at, const void *from, size_t size)
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

/* Has nobody stored anything there? *mapped: it can be read. */
static bool inject_calls_unused(struct inject *a, uint64_t at, bool *mapped)
{
	uint8_t bytes[INJECT_PLACE];

	*mapped = memory_read(&a->m, at, bytes, sizeof bytes);
	return *mapped && !*bytes && !memcmp(bytes, bytes + 1, sizeof bytes - 1);
}

bool inject_calls_place(struct inject *a)
{
	const struct mapping *stack = maps_find(&a->mappings, a->registers.rsp);
	bool mapped, room;

	if (!stack)
		return false;
	a->place = stack->start;
	if (a->registers.rsp - INJECT_RED_ZONE - a->place >= INJECT_PLACE &&
		inject_calls_unused(a, a->place, &mapped))
		return true;
	/* A write below the main stack makes it grow, and nobody has been there. */
	a->place = (stack->start - INJECT_PLACE) & ~(uint64_t)(INJECT_PAGE - 1);
	room = stack == a->mappings.data || stack[-1].end + INJECT_GAP <= a->place;
	return !strcmp(stack->path, "[stack]") && room &&
	       (inject_calls_unused(a, a->place, &mapped) || !mapped);
}

int inject_calls_save(struct inject *a)
{
	uint8_t xstate[SIGFRAME_XSTATE] = {0};
	char text[INJECT_TEXT_BYTES] = "";
	size_t size = sizeof xstate;
	int r = tracee_get_mask(a->tid, &a->mask);

	if (r == 0)
		r = tracee_get_xstate(a->tid, xstate, &size);
	if (r < 0)
		return r;
	if (!sigframe_build(&a->frame, a->place + INJECT_PLACE,
		    a->gadgets.at[ARCH_USEFUL_SIGRETURN], &a->registers, a->mask, xstate, size))
		return -ENOTSUP;
	r = inject_calls_write(a, a->frame.at, a->frame.bytes, a->frame.size);
	for (size_t i = 0; r == 0 && i < a->text_count; i++) {
		snprintf(text, sizeof text, "%s", a->texts[i].text);
		r = inject_calls_write(a, inject_calls_text_at(a, i), text, sizeof text);
	}
	return r;
}

void inject_calls_clear(struct inject *a)
{
	static const uint8_t zeros[INJECT_PLACE];

	/* Where this fails, nobody will use that place again. */
	inject_calls_write(a, a->place, zeros, sizeof zeros);
}

int inject_calls_to_call(const struct inject *a)
{
	int status, signal = 0, r;

	/* All signals but SIGSTOP are blocked; and job control may stop the process. */
	while ((r = tracee_to_call(a->tid, signal)) == 0) {
		r = inject_calls_wait(a, &status);
		if (r < 0 || tracee_is_call(status))
			return r;
		signal = tracee_signal(status);
		if (signal && signal != SIGSTOP)
			return -EFAULT;
	}
	return r;
}

static int inject_calls_one(struct inject *a, size_t index)
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
			*places[a->texts[i].argument] = inject_calls_text_at(a, i);
	r.rax = (uint64_t)call->number;
	r.orig_rax = (uint64_t)-1; /* nothing to restart */
	r.rip = a->gadgets.at[ARCH_USEFUL_CALL];
	r.rsp = a->frame.at;
	code = tracee_set_registers(a->tid, &r);
	for (int stop = 0; code == 0 && stop < 2; stop++) /* its entry, its exit */
		code = inject_calls_to_call(a);
	if (code == 0)
		code = tracee_get_registers(a->tid, &r);
	if (code < 0)
		return code;
	result = (int64_t)r.rax;
	a->report->results[index] = result;
	a->report->done = index + 1;
	return result < 0 && result > -4096 ? (int)result : 0;
}

int inject_calls_run(struct inject *a, struct probes_error *e)
{
	struct user_regs_struct parked = a->registers;
	int r;

	/* First move it to where it returns by itself, then the mask: that return undoes both. */
	parked.rip = a->gadgets.at[ARCH_USEFUL_SIGRETURN];
	parked.rsp = a->frame.at + sizeof(uint64_t);
	parked.orig_rax = (uint64_t)-1;
	r = tracee_set_registers(a->tid, &parked);
	if (r == 0)
		r = tracee_set_mask(a->tid, UINT64_MAX);
	if (r < 0)
		return inject_calls_gone(a, e);
	for (size_t i = 0; i < a->count; i++) {
		r = inject_calls_one(a, i);
		if (r == 0)
			continue;
		if (a->report->done <= i && r != -EFAULT)
			return inject_calls_gone(a, e);
		error_set(e, PROBES_FAILED, r, "system call %ld failed in process %d",
			a->calls[i].number, a->who->pid);
		return a->report->done <= i ? error_why(e, "its thread could not execute it") : r;
	}
	return 0;
}
