/*
 * The frame that the kernel leaves on a stack for a signal handler: rt_sigreturn takes all
 * registers from there. Pure. Source: struct rt_sigframe in arch/x86/include/asm/sigframe.h,
 * restore_sigcontext() in arch/x86/kernel/signal_64.c, check_xstate_in_sigframe() in
 * arch/x86/kernel/fpu/signal.c.
 */
#ifndef PROCESS_SIGFRAME_H
#define PROCESS_SIGFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIGFRAME_XSTATE 12288 /* bytes, at most: 11 KiB with AMX */
#define SIGFRAME_BYTES (SIGFRAME_XSTATE + 512)

struct user_regs_struct;

struct sigframe {
	uint64_t at; /* its address: of the return address, which is its first word */
	size_t size;
	uint8_t bytes[SIGFRAME_BYTES];
};

/*
 * Build a frame that ends at or below `top`. Returning to its first word, `sigreturn`, continues as
 * these registers say, with these blocked signals; a system call that was interrupted begins anew.
 * The alternate signal stack stays as it is. xstate: as XSAVE writes it. False: it is malformed.
 */
bool sigframe_build(struct sigframe *f, uint64_t top, uint64_t sigreturn,
	const struct user_regs_struct *registers, uint64_t mask, const uint8_t *xstate,
	size_t xstate_size);

/*
 * Registers in a stop: are they those of a system call that the kernel is about to restart, because
 * a stop or a signal interrupted it? In user mode they may hold any value.
 */
bool sigframe_restarts(const struct user_regs_struct *registers);

#endif
