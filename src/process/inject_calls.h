/*
 * System calls on a stopped thread that the caller traces: what process/inject does after it has
 * stopped one.
 */
#pragma once

#include "arch/arch.h"
#include "base/array.h"
#include "process/identity.h"
#include "process/memory.h"

#include <sys/user.h>

#define INJECT_CALLS 64 /* at most, in one run */
#define INJECT_TEXTS 8
#define INJECT_TEXT_BYTES 64

struct inject_call {
	long number;
	uint64_t arguments[6];
	int64_t result; /* out: as the kernel returned it; a negative errno */
};

/* Text on the stack of the thread, for calls that take one: replaces an argument. */
struct inject_text {
	size_t call;       /* index of the call */
	unsigned argument; /* index of the argument that becomes its address */
	const char *text;  /* less than INJECT_TEXT_BYTES */
};

/* As an argument: the result of an earlier call k. */
#define INJECT_RESULT(k) (UINT64_C(0xffffffffffff0000) + (k))

/* What the helper reports, in shared memory. */
struct inject_report {
	uint64_t begin, stopped_ns; /* CLOCK_MONOTONIC, ns */
	uint64_t until;             /* our calls must have ended by then; 0: it did not stop yet */
	bool stopped;               /* it did stop */
	bool unfit;                 /* this thread cannot be used now; nothing was changed */
	bool never;                 /* nor later */
	size_t done;
	int64_t results[INJECT_CALLS];
};

#define INJECT_XSTATE 12288 /* bytes of the vector registers, at most: 11 KiB with AMX */

struct inject {
	const struct identity *who;
	struct memory m; /* read through its descriptor: process/pagemap.h */
	struct inject_call *calls;
	size_t count;
	const struct inject_text *texts;
	size_t text_count;
	struct array mappings;
	uint64_t code[ARCH_USEFULS]; /* of the program, that its tracer can have executed */
	struct start *held;          /* see struct inject_process */
	bool interrupts;             /* likewise */
	pid_t tid;
	bool filtered;    /* by seccomp */
	bool interrupted; /* the call that it waits in returns EINTR */
	struct inject_report *report;
	/* in the thread that traces it */
	struct user_regs_struct registers; /* as found */
	uint64_t mask;
	uint64_t place; /* of the frame and the texts, on its stack */
	/* What the kernel leaves on a stack for a signal handler: rt_sigreturn takes all registers
	 * from there. */
	struct {
		uint64_t at; /* its address: of the return address, which is its first word */
		size_t size;
		uint8_t bytes[INJECT_XSTATE + 512];
	} frame;
};

/*
 * Find a system call and the return from a signal handler in code that is never unloaded: the vdso,
 * the program, its loader, its C library. Reads memory, and stops nothing. Status PROBES_REFUSED:
 * they are not there.
 */
int inject_calls_find(struct inject *a, struct probes_error *e);

/* Is the code still there? A debugger may have put a breakpoint into it. */
bool inject_calls_stand(struct inject *a);

/* Fill the error, except for its cause: no call can be run. Returns the code. */
int inject_calls_failed(
	const struct inject *a, enum probes_status status, int code, struct probes_error *e);

/* Fill the error: the thread or the process has ended. */
int inject_calls_gone(const struct inject *a, struct probes_error *e);

/* Wait until it stops. 0 or a negative errno; -ESRCH: it ended. */
int inject_calls_wait(const struct inject *a, int *status);

/* Continue until the next entry to or exit from a system call. 0 or a negative errno. */
int inject_calls_to_call(const struct inject *a);

/* Find the place for a frame and the texts. False: it has used its stack up to the end. */
bool inject_calls_place(struct inject *a);

/*
 * Save its registers and blocked signals, and write its frame and the texts on its stack. Nothing
 * refers to them before inject_calls_run. 0 or a negative errno.
 */
int inject_calls_save(struct inject *a);

/* Run the calls, see inject_run. Then the caller restores its registers and blocked signals. */
int inject_calls_run(struct inject *a, struct probes_error *e);

/* Once the thread has its registers back: leave the place as it was found. */
void inject_calls_clear(struct inject *a);
