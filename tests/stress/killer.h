/*
 * Running a program under test and killing it where one chooses: after a time, or at its Nth system
 * call, before that is carried out. A process of its own does the tracing, so that whoever
 * calls stays free.
 */
#ifndef STRESS_KILLER_H
#define STRESS_KILLER_H

#include <stdbool.h>
#include <sys/types.h>

enum killer_way {
	KILLER_NEVER,
	KILLER_AFTER,  /* `number` microseconds */
	KILLER_CALL,   /* at its `number`th system call, from 1, since it has taken hold of its
			  target (pidfd_open) */
	KILLER_HELPER, /* likewise, but the process whose call it is, be it a child of the program,
			  and its calls alone */
	KILLER_VICTIM, /* like KILLER_CALL, but it is another process that gets a signal: `victim`,
			  `signal`; where the call is ptrace(2), the very thread that it is about;
			  and that is waited for, for a moment, before the call goes on */
	KILLER_SIGNAL, /* like KILLER_CALL, but it gets `signal`, and may go on; so does the process
			  whose call it is, as at a terminal. Calls that do no more than read files
			  are not counted: all that look at /proc */
	KILLER_MEANWHILE, /* nobody is killed: `meanwhile` is called before each of these calls goes
			  on, in the process that traces */
};

struct killer {
	enum killer_way way;
	unsigned long number;
	pid_t victim;
	int signal;
	void (*meanwhile)(long call);
};

/* What the program begins with, other than we have. */
struct killer_birth {
	unsigned files; /* RLIMIT_NOFILE, soft and hard; 0: ours */
	bool own_proc;  /* a mount namespace with a proc mount of its own */
};

struct killer_end {
	bool killed;
	int status;          /* as waitpid says */
	long call;           /* the system call it was killed at */
	unsigned long calls; /* how many there were up to the end, since pidfd_open */
};

/* Run argv, its output appended to the file `output`; waits for its end. */
struct killer_end killer_run(char *const argv[], const struct killer_birth *birth,
	const struct killer *k, const char *output);

/* Start it and go on. */
pid_t killer_start(char *const argv[], const struct killer_birth *birth, const char *output);

/* Does this machine permit a process of ours a proc mount of its own? */
bool killer_own_proc_permitted(void);

/* The name of a system call that is likely here, or its number in words; overwritten by the next.
 */
const char *killer_call_name(long number);

#endif
