/*
 * What may be done with a process, and why not: list, read, switch. Facts are
 * gathered by trying; the ladder is a pure function from facts to text, so that
 * what this kernel cannot show is tested on facts.
 */
#ifndef PROCESS_ACCESS_H
#define PROCESS_ACCESS_H

#include "probes.h"

/* proc_mem.force_override=, the boot option of 6.12: who may write to code through /proc/PID/mem.
 */
enum access_override { ACCESS_ALWAYS, ACCESS_PTRACE, ACCESS_NEVER };

struct access_facts {
	pid_t pid;
	pid_t thread;     /* one that lives, to try things on */
	char program[64]; /* comm; untrusted */
	bool exists, zombie, kernel_thread;
	char machine[48];  /* of its program; "": ours, or unknown */
	bool privileged;   /* we hold CAP_SYS_PTRACE */
	bool bounded;      /* CAP_SYS_PTRACE is not in our bounding set: sudo cannot grant it */
	bool no_new_privs; /* ours: sudo has no effect */
	uid_t our_uid, real_uid, effective_uid, saved_uid;
	gid_t our_gid, real_gid, effective_gid, saved_gid;
	int ptrace_scope;        /* kernel.yama.ptrace_scope; -1: no Yama */
	pid_t tracer;            /* 0: none */
	char tracer_name[64];    /* untrusted */
	bool not_dumpable;       /* /proc/PID/maps belongs to root although the process does not */
	int same_user_namespace; /* 1, 0, -1: could not be seen */
	uint64_t its_capabilities; /* permitted */
	uint64_t our_capabilities; /* effective */
	bool our_seccomp;          /* our seccomp filter may be the cause of a denial */
	bool its_seccomp;          /* its own seccomp filter, which does not affect us */
	enum access_override override;
	int shortage;   /* errno of a shortage of our own: then no other fact is valid; else 0 */
	int maps_error; /* each 0 or a negative errno, from trying */
	int read_error;
	int write_error; /* of opening /proc/PID/mem */
};

/* Try everything once, changing nothing. */
void access_gather(pid_t pid, struct access_facts *facts);

/* What a kernel's command line says of it; the last word counts. Pure. */
enum access_override access_override(const char *command_line);

/* Facts to checks: what works, what fails and by which call, the cause, what to try. Pure. */
void access_ladder(const struct access_facts *facts, struct probes_access *access);

/* The cause and the way out, as the texts of an error that is set already; returns its code. */
int access_explain(pid_t pid, struct probes_error *e);

#endif
