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

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ucontext.h>
#include <sys/wait.h>

#define INJECT_RED_ZONE 128
#define INJECT_PAGE 4096      /* one write of memory stays within one */
#define INJECT_GAP (2u << 20) /* what the kernel keeps free below a stack, twice */
#define INJECT_PLACE (sizeof((struct inject *)NULL)->frame.bytes + INJECT_TEXTS * INJECT_TEXT_BYTES)
#define INJECT_PIECE 65536 /* bytes of code read at once */
#define INJECT_PIECES 128  /* of one mapping, at most */

int inject_calls_failed(
	const struct inject *a, enum probes_status status, int code, struct probes_error *e)
{
	return error_set(e, status, code, "cannot run a system call in process %d", a->who->pid);
}

/* ---- code to execute: nothing is written there ---- */

static bool inject_calls_complete(const struct inject *a)
{
	return a->code[ARCH_USEFUL_CALL] && a->code[ARCH_USEFUL_SIGRETURN];
}

static void inject_calls_search(struct inject *a, const struct mapping *m, uint8_t *piece)
{
	uint64_t at = m->start;

	for (size_t i = 0; i < INJECT_PIECES && at < m->end && !inject_calls_complete(a); i++) {
		size_t size = m->end - at < INJECT_PIECE ? m->end - at : INJECT_PIECE;

		if (!memory_read(&a->m, at, piece, size))
			return;
		for (int what = 0; what < ARCH_USEFULS; what++) {
			size_t offset = a->code[what] ? SIZE_MAX : arch_find(what, piece, size);

			/* inject_calls_stand reads that many bytes. */
			if (offset != SIZE_MAX && at + offset + ARCH_USEFUL_BYTES <= m->end)
				a->code[what] = at + offset;
		}
		/* The code may lie across two pieces. */
		at += size == INJECT_PIECE ? size - ARCH_USEFUL_BYTES : size;
	}
}

int inject_calls_find(struct inject *a, struct probes_error *e)
{
	static const unsigned long known[] = {AT_PHDR, AT_BASE};
	const struct mapping *files[2] = {NULL, NULL}; /* the program and its loader */
	uint8_t *piece = malloc(INJECT_PIECE);
	uint64_t address;

	memset(a->code, 0, sizeof a->code);
	if (!piece)
		return error_memory(e, "code of a process");
	for (size_t i = 0; i < 2; i++)
		if (identity_auxv(a->who, known[i], &address) == 0 && address)
			files[i] = maps_find(&a->mappings, address);
	ARRAY_EACH_WHILE(!inject_calls_complete(a), const struct mapping, m, &a->mappings) {
		const char *name = strrchr(m->path, '/');

		if (!m->executable || !m->readable || m->writable || m->shared)
			continue;
		if (m->inode ? (name && (!strncmp(name, "/libc.", 6) ||
						!strncmp(name, "/libc-", 6))) ||
					(files[0] && maps_share_file(m, files[0])) ||
					(files[1] && maps_share_file(m, files[1]))
			     : !strcmp(m->path, "[vdso]"))
			inject_calls_search(a, m, piece);
	}
	free(piece);
	if (inject_calls_complete(a))
		return 0;
	if (!identity_alive(a->who) || !memory_alive(&a->m))
		return identity_gone(a->who, e);
	inject_calls_failed(a, PROBES_REFUSED, -ENOTSUP, e);
	error_why(e,
		"neither the program nor its C library has the code for that (a static program "
		"without signal handlers does not)");
	return error_hint(e, "count its hits by uprobes, as root; times and events need that code");
}

bool inject_calls_stand(struct inject *a)
{
	for (int what = 0; what < ARCH_USEFULS; what++) {
		uint8_t bytes[ARCH_USEFUL_BYTES];

		if (!memory_read(&a->m, a->code[what], bytes, sizeof bytes) ||
			arch_find(what, bytes, sizeof bytes) != 0)
			return false;
	}
	return true;
}

/*
 * ---- the frame: struct rt_sigframe in arch/x86/include/asm/sigframe.h, restore_sigcontext() in
 * arch/x86/kernel/signal_64.c, check_xstate_in_sigframe() in arch/x86/kernel/fpu/signal.c ----
 */

/* What the kernel calls ERESTARTSYS and so on (include/linux/errno.h). */
enum { FRAME_RESTART_FIRST = -514, FRAME_RESTART_LAST = -512, FRAME_RESTART_BLOCK = -516 };

#define FRAME_FX 512           /* bytes of FXSAVE; the header of XSAVE follows */
#define FRAME_HEADER 64        /* bytes; its first word: the parts that are not initial */
#define FRAME_SOFTWARE 464     /* bytes for software, in FXSAVE */
#define FRAME_AMX (3ull << 17) /* only a program that asked for it may have these parts */
#define FRAME_NO_STACK 4       /* ss_flags that sigaltstack refuses, which changes nothing */
#define FRAME_FLAGS 7          /* UC_FP_XSTATE, UC_SIGCONTEXT_SS, UC_STRICT_RESTORE_SS */
#define FRAME_SYSCALL_BYTES 2  /* the instruction */

/* Add what tells the kernel that more than FXSAVE follows, and how much. Returns the size. */
static size_t frame_mark_xstate(uint8_t *at, size_t size)
{
	struct _fpx_sw_bytes software = {.magic1 = FP_XSTATE_MAGIC1};
	const uint32_t magic2 = FP_XSTATE_MAGIC2;
	size_t end = FRAME_FX + FRAME_HEADER; /* of the last of the parts that are kept */
	uint64_t all, used;

	memcpy(&all, at + FRAME_SOFTWARE, sizeof all);
	memcpy(&used, at + FRAME_FX, sizeof used);
	all &= ~(FRAME_AMX & ~used);
	for (unsigned i = 2; i < 63; i++) {
		unsigned bytes, from, c, d;

		if (!(all >> i & 1))
			continue;
		__cpuid_count(0xd, i, bytes, from, c, d);
		if (end < (size_t)from + bytes)
			end = (size_t)from + bytes;
	}
	if (end > size)
		return 0;
	software.xstate_bv = all;
	software.xstate_size = (uint32_t)end;
	software.extended_size = (uint32_t)(end + sizeof magic2);
	memcpy(at + FRAME_SOFTWARE, &software, sizeof software);
	memcpy(at + end, &magic2, sizeof magic2);
	return end + sizeof magic2;
}

static void frame_set_registers(ucontext_t *u, const struct user_regs_struct *r)
{
	greg_t *g = u->uc_mcontext.gregs;
	int64_t result = (int64_t)r->rax; /* if it waits in a system call */

	g[REG_R8] = (greg_t)r->r8;
	g[REG_R9] = (greg_t)r->r9;
	g[REG_R10] = (greg_t)r->r10;
	g[REG_R11] = (greg_t)r->r11;
	g[REG_R12] = (greg_t)r->r12;
	g[REG_R13] = (greg_t)r->r13;
	g[REG_R14] = (greg_t)r->r14;
	g[REG_R15] = (greg_t)r->r15;
	g[REG_RDI] = (greg_t)r->rdi;
	g[REG_RSI] = (greg_t)r->rsi;
	g[REG_RBP] = (greg_t)r->rbp;
	g[REG_RBX] = (greg_t)r->rbx;
	g[REG_RDX] = (greg_t)r->rdx;
	g[REG_RAX] = (greg_t)r->rax;
	g[REG_RCX] = (greg_t)r->rcx;
	g[REG_RSP] = (greg_t)r->rsp;
	g[REG_RIP] = (greg_t)r->rip;
	g[REG_EFL] = (greg_t)r->eflags;
	g[REG_CSGSFS] = (greg_t)((r->cs & 0xffff) | (r->gs & 0xffff) << 16 |
				 (r->fs & 0xffff) << 32 | (r->ss & 0xffff) << 48);
	/*
	 * Not restart_syscall: rt_sigreturn makes that fail with EINTR (restore_sigcontext). A
	 * relative timeout begins anew.
	 */
	if ((int)r->orig_rax != -1 &&
		((result >= FRAME_RESTART_FIRST && result <= FRAME_RESTART_LAST) ||
			result == FRAME_RESTART_BLOCK)) {
		g[REG_RIP] -= FRAME_SYSCALL_BYTES;
		g[REG_RAX] = (greg_t)r->orig_rax;
	}
}

/*
 * Build the frame at the end of the place: returning to its first word continues as the registers
 * say, with the signals blocked that were; a system call that was interrupted begins anew. The
 * alternate signal stack stays as it is. area: as XSAVE writes it, with room behind it. False: it
 * is malformed.
 */
static bool frame_build(struct inject *a, uint8_t *area, size_t size)
{
	/* The kernel's structure ends with 64 signals, that of the C library has more. */
	const size_t context_size = offsetof(ucontext_t, uc_sigmask) + sizeof a->mask;
	const uint64_t sigreturn = a->code[ARCH_USEFUL_SIGRETURN];
	ucontext_t u = {.uc_flags = FRAME_FLAGS, .uc_stack.ss_flags = FRAME_NO_STACK};
	uint8_t *to = a->frame.bytes;
	uint64_t fp;

	if (size < FRAME_FX + FRAME_HEADER || size > INJECT_XSTATE)
		return false;
	size = frame_mark_xstate(area, size);
	if (!size)
		return false;
	fp = (a->place + INJECT_PLACE - size) & ~63ull;
	a->frame.at = ((fp - context_size) & ~15ull) - sizeof sigreturn;
	a->frame.size = fp + size - a->frame.at;
	frame_set_registers(&u, &a->registers);
	u.uc_mcontext.fpregs = (void *)(uintptr_t)fp;
	memset(to, 0, sizeof a->frame.bytes);
	memcpy(to, &sigreturn, sizeof sigreturn);
	memcpy(to + sizeof sigreturn, &u, context_size);
	memcpy(to + sizeof sigreturn + context_size - sizeof a->mask, &a->mask, sizeof a->mask);
	memcpy(to + (fp - a->frame.at), area, size);
	return true;
}

/* ---- the calls ---- */

int inject_calls_gone(const struct inject *a, struct probes_error *e)
{
	if (!identity_alive(a->who))
		return identity_gone(a->who, e);
	inject_calls_failed(a, PROBES_FAILED, -ESRCH, e);
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
	uint8_t xstate[INJECT_XSTATE + 64] = {0};
	char text[INJECT_TEXT_BYTES] = "";
	size_t size = INJECT_XSTATE;
	int r = tracee_get_mask(a->tid, &a->mask);

	if (r == 0)
		r = tracee_get_xstate(a->tid, xstate, &size);
	if (r < 0)
		return r;
	if (!frame_build(a, xstate, size))
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
	r.rip = a->code[ARCH_USEFUL_CALL];
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
	parked.rip = a->code[ARCH_USEFUL_SIGRETURN];
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
