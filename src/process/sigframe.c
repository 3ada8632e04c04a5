/* Building a frame for rt_sigreturn. x86-64. */
#include "process/sigframe.h"

#include <cpuid.h>
#include <signal.h>
#include <string.h>
#include <sys/ucontext.h>
#include <sys/user.h>

/* What the kernel calls ERESTARTSYS and so on (include/linux/errno.h). */
enum { SIGFRAME_RESTART_FIRST = -514, SIGFRAME_RESTART_LAST = -512, SIGFRAME_RESTART_BLOCK = -516 };

#define SIGFRAME_FX 512           /* bytes of FXSAVE; the header of XSAVE follows */
#define SIGFRAME_HEADER 64        /* bytes; its first word: the parts that are not initial */
#define SIGFRAME_SOFTWARE 464     /* bytes for software, in FXSAVE */
#define SIGFRAME_AMX (3ull << 17) /* only a program that asked for it may have these parts */
#define SIGFRAME_NO_STACK 4       /* ss_flags that sigaltstack refuses, which changes nothing */
#define SIGFRAME_FLAGS 7          /* UC_FP_XSTATE, UC_SIGCONTEXT_SS, UC_STRICT_RESTORE_SS */
#define SIGFRAME_SYSCALL_BYTES 2  /* the instruction */

bool sigframe_restarts(const struct user_regs_struct *r)
{
	int64_t result = (int64_t)r->rax;

	return (int)r->orig_rax != -1 &&
	       ((result >= SIGFRAME_RESTART_FIRST && result <= SIGFRAME_RESTART_LAST) ||
		       result == SIGFRAME_RESTART_BLOCK);
}

/* The end of the last of these parts in an area that is not compacted; 0: malformed. */
static size_t sigframe_end(uint64_t parts)
{
	size_t end = SIGFRAME_FX + SIGFRAME_HEADER;
	unsigned size, at, c, d;

	for (unsigned i = 2; i < 63; i++) {
		if (!(parts >> i & 1))
			continue;
		__cpuid_count(0xd, i, size, at, c, d);
		if (end < (size_t)at + size)
			end = (size_t)at + size;
	}
	return end;
}

/* Add what tells the kernel that more than FXSAVE follows, and how much. Returns the size. */
static size_t sigframe_mark_xstate(uint8_t *at, size_t size)
{
	struct _fpx_sw_bytes software = {.magic1 = FP_XSTATE_MAGIC1};
	const uint32_t magic2 = FP_XSTATE_MAGIC2;
	uint64_t all, used;
	size_t end;

	memcpy(&all, at + SIGFRAME_SOFTWARE, sizeof all);
	memcpy(&used, at + SIGFRAME_FX, sizeof used);
	all &= ~(SIGFRAME_AMX & ~used);
	end = sigframe_end(all);
	if (end > size)
		return 0;
	software.xstate_bv = all;
	software.xstate_size = (uint32_t)end;
	software.extended_size = (uint32_t)(end + sizeof magic2);
	memcpy(at + SIGFRAME_SOFTWARE, &software, sizeof software);
	memcpy(at + end, &magic2, sizeof magic2);
	return end + sizeof magic2;
}

static void sigframe_set_registers(ucontext_t *u, const struct user_regs_struct *r)
{
	greg_t *g = u->uc_mcontext.gregs;

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
	if (sigframe_restarts(r)) {
		g[REG_RIP] -= SIGFRAME_SYSCALL_BYTES;
		g[REG_RAX] = (greg_t)r->orig_rax;
	}
}

bool sigframe_build(struct sigframe *f, uint64_t top, uint64_t sigreturn,
	const struct user_regs_struct *registers, uint64_t mask, const uint8_t *xstate,
	size_t xstate_size)
{
	/* The kernel's structure ends with 64 signals, that of the C library has more. */
	const size_t context_size = offsetof(ucontext_t, uc_sigmask) + sizeof mask;
	uint8_t area[SIGFRAME_XSTATE + 64];
	ucontext_t u = {.uc_flags = SIGFRAME_FLAGS, .uc_stack.ss_flags = SIGFRAME_NO_STACK};
	uint64_t fp;

	if (xstate_size < SIGFRAME_FX + SIGFRAME_HEADER || xstate_size > SIGFRAME_XSTATE)
		return false;
	memcpy(area, xstate, xstate_size);
	xstate_size = sigframe_mark_xstate(area, xstate_size);
	if (!xstate_size)
		return false;
	fp = (top - xstate_size) & ~63ull;
	f->at = ((fp - context_size) & ~15ull) - sizeof sigreturn;
	f->size = fp + xstate_size - f->at;
	sigframe_set_registers(&u, registers);
	u.uc_mcontext.fpregs = (void *)(uintptr_t)fp;
	memset(f->bytes, 0, sizeof f->bytes);
	memcpy(f->bytes, &sigreturn, sizeof sigreturn);
	memcpy(f->bytes + sizeof sigreturn, &u, context_size);
	memcpy(f->bytes + sizeof sigreturn + context_size - sizeof mask, &mask, sizeof mask);
	memcpy(f->bytes + (fp - f->at), area, xstate_size);
	return true;
}
