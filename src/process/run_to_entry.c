/*
 * The dynamic linker announces that everything is mapped by a call of the function that debuggers
 * know as r_debug.r_brk, _dl_debug_state, with r_state = RT_CONSISTENT, after relocation and before
 * the first constructor (glibc 2.36 elf/rtld.c dl_main; musl 1.2 ldso/dynlink.c __dls3). The
 * breakpoint there exists only before the program has begun.
 */
#include "process/run_to_entry.h"

#include "arch/arch.h"
#include "base/error.h"
#include "process/identity.h"
#include "process/mapped.h"
#include "process/memory.h"
#include "process/tracee.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Where the linker announces its map, in the new process; 0: unknown. */
struct run_to_entry_point {
	uint64_t announce; /* address of _dl_debug_state */
	uint64_t state;    /* address of r_debug.r_state */
};

int run_to_entry_never(const char *file, int status, struct probes_error *e)
{
	error_set(e, PROBES_GONE, -ECHILD, "cannot start %s", file);
	if (WIFSIGNALED(status))
		error_why(e, "it was killed by signal %d (%s) before it began", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else
		error_why(e, "it exited with status %d before it began", WEXITSTATUS(status));
	return error_hint(e, "run it by itself to see what it needs");
}

/*
 * Find the announcement in the dynamic linker that the kernel has mapped (AT_BASE; *base is 0:
 * static). Fails only for a shortage: 0 or a negative errno.
 */
static int run_to_entry_find(
	const struct identity *who, uint64_t *base, struct run_to_entry_point *point)
{
	uint64_t value;
	const struct mapping *m;
	struct probes_error ignored;
	struct array mappings = ARRAY_OF(struct mapping);
	size_t malformed;
	struct object *linker;
	bool exact;
	char *text;
	int fd = -ENOENT, r;

	*point = (struct run_to_entry_point){0};
	r = identity_auxv(who, AT_BASE, base);
	if (r < 0 || !*base)
		return r;
	r = identity_maps(who, maps_drop_anonymous, &text, NULL);
	if (r < 0)
		return error_is_shortage(r) ? r : 0;
	if (!maps_parse(text, &mappings, &malformed))
		fd = -ENOMEM;
	else if ((m = maps_find(&mappings, *base)))
		fd = mapped_open(who, m, &exact);
	if (fd >= 0 && (fd = object_read(fd, "the dynamic linker", &linker, &ignored)) == 0) {
		value = object_symbol(linker, "_dl_debug_state");
		point->announce = value ? *base + value : 0;
		value = object_symbol(linker, "_r_debug");
		point->state = value ? *base + value + offsetof(struct r_debug, r_state) : 0;
		object_free(linker);
	}
	array_done(&mappings);
	free(text);
	return error_is_shortage(fd) ? fd : 0;
}

static int run_to_entry_put(struct memory *m, uint64_t address, unsigned char byte)
{
	return m->ops->write(m, address, &byte, 1);
}

/* Execute one instruction. A signal that arrives first is delivered: nothing handles it yet. */
static int run_to_entry_step(pid_t pid, int *status)
{
	int r = tracee_step(pid, 0);

	if (r == 0)
		r = tracee_peek(&pid, status);
	while (r == 0 && WIFSTOPPED(*status) && !tracee_is_trap(*status)) {
		r = tracee_is_group_stop(*status) ? tracee_pass_on(pid, *status)
						  : tracee_step(pid, tracee_signal(*status));
		if (r == 0)
			r = tracee_peek(&pid, status);
	}
	return r;
}

/* Run to the announcement that everything is mapped; signals on the way are passed on. */
static int run_to_entry_run(pid_t pid, const char *file, struct memory *m,
	const struct run_to_entry_point *point, struct probes_error *e)
{
	/* At first: continue from the stop at exec. */
	int state, status = SIGTRAP << 8 | 0x7f, r;
	bool consistent = false;
	unsigned char own;
	uint64_t pc;

	r = memory_read(m, point->announce, &own, 1) ? 0 : -EFAULT;
	/* While the breakpoint is there, it must not run without us. */
	if (r == 0)
		r = tracee_begin_again(pid);
	if (r == 0)
		r = run_to_entry_put(m, point->announce, ARCH_BREAKPOINT);
	while (r == 0 && !consistent) {
		r = tracee_is_trap(status) ? tracee_continue(pid, 0) : tracee_pass_on(pid, status);
		if (r == 0)
			r = tracee_peek(&pid, &status);
		if (r < 0)
			return error_set(e, PROBES_GONE, r, "lost the new program %s", file);
		if (!WIFSTOPPED(status))
			return run_to_entry_never(file, status, e);
		if (!tracee_is_trap(status))
			continue;
		r = tracee_get_pc(pid, &pc);
		if (r < 0 || pc != point->announce + 1)
			continue;
		/* A linker whose state cannot be read is taken as consistent. */
		consistent = !point->state || !memory_read(m, point->state, &state, sizeof state) ||
			     state == RT_CONSISTENT;
		r = tracee_set_pc(pid, point->announce);
		if (r == 0)
			r = run_to_entry_put(m, point->announce, own);
		if (r < 0 || consistent)
			continue;
		/* Step over the original instruction, and set the breakpoint again. */
		r = run_to_entry_step(pid, &status);
		if (r == 0 && !WIFSTOPPED(status))
			return run_to_entry_never(file, status, e);
		if (r == 0)
			r = run_to_entry_put(m, point->announce, ARCH_BREAKPOINT);
	}
	return r < 0 ? error_set(e, PROBES_FAILED, r, "cannot hold %s at its start", file) : 0;
}

int run_to_entry_reach(pid_t pid, const char *file, struct probes_error *e)
{
	struct run_to_entry_point point;
	struct identity who;
	struct memory memory;
	uint64_t base;
	int r = identity_open(&who, pid, e);

	if (r < 0)
		return r;
	memory_open(&memory, who.task, who.tid, true);
	r = run_to_entry_find(&who, &base, &point);
	if (r < 0) {
		error_set(e, PROBES_FAILED, r, "cannot hold %s at its start", file);
	} else if (base && !point.announce) {
		error_set(e, PROBES_FAILED, -ENOSYS, "cannot hold %s at its start", file);
		error_why(e, "its dynamic linker has no _dl_debug_state to stop at");
		r = error_hint(e, "start it by itself, and open its process");
	} else if (point.announce) {
		r = run_to_entry_run(pid, file, &memory, &point, e);
	}
	memory_close(&memory);
	identity_close(&who);
	return r;
}
