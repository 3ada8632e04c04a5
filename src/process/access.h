/*
 * Access checks: may we list, read and switch the probes of a process, and why not? Facts are
 * gathered by trying; a pure function turns facts into checks, so that tests cover what this kernel
 * cannot show.
 */
#pragma once

#include "process/procfs.h"
#include "process/translator.h"

#include "probes.h"

/* proc_mem.force_override=, the boot option of 6.12: may code be written through /proc/PID/mem? */
enum access_override { ACCESS_ALWAYS, ACCESS_PTRACE, ACCESS_NEVER };

struct access_facts {
	pid_t pid;
	pid_t thread; /* a live thread, on which access is tried */
	bool exists, zombie, kernel_thread;
	const struct procfs_absence *absence; /* of one that does not exist */
	char machine[48];                     /* of its program; "": supported, or unknown */
	bool privileged;                      /* we hold CAP_SYS_PTRACE */
	bool bounded;      /* CAP_SYS_PTRACE is not in our bounding set: sudo cannot grant it */
	bool no_new_privs; /* ours: sudo has no effect */
	uid_t our_uid, real_uid, effective_uid, saved_uid;
	gid_t our_gid, real_gid, effective_gid, saved_gid;
	int ptrace_scope;        /* kernel.yama.ptrace_scope; -1: no Yama */
	pid_t tracer;            /* 0: none */
	char tracer_name[64];    /* untrusted */
	bool not_dumpable;       /* /proc/PID/maps belongs to root although the process does not */
	int same_user_namespace; /* 1, 0, -1: unknown */
	bool enclosed;           /* we are in a user namespace, and the process is not in that */
	uint64_t its_capabilities;           /* permitted */
	uint64_t our_capabilities;           /* effective */
	bool our_seccomp;                    /* our seccomp filter may be the cause of a denial */
	bool its_seccomp;                    /* its own seccomp filter, which does not affect us */
	const struct translator *translator; /* NULL: none is known */
	enum access_override override;
	int shortage;   /* negative errno of a shortage: then no other fact is valid; else 0 */
	int maps_error; /* this and the next two: 0 or a negative errno, from trying */
	int read_error;
	int write_error; /* of opening /proc/PID/mem */
};

/* Try everything once, changing nothing. */
void access_gather(pid_t pid, struct access_facts *facts);

/* The option on a kernel command line; the last one counts. Pure. */
enum access_override access_override(const char *command_line);

/* The checks: what works, what fails and in which call, the cause, what to try. Pure. */
void access_evaluate(const struct access_facts *facts, struct probes_access *access);

/* "CAP_NET_RAW", "CAP_CHOWN, CAP_FOWNER and 3 more". Returns out. Pure. */
const char *access_capabilities(uint64_t set, char *out, size_t size);

/* Add the cause and what to try to an error that is set already; returns its code. */
int access_explain(pid_t pid, struct probes_error *e);
