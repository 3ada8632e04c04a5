/*
 * Work done in a process of its own. Whatever that traces, the kernel lets go when it ends, with
 * the signals it was about to get (ptrace(2)): at once, also when we are killed.
 */
#ifndef PROCESS_HELPER_H
#define PROCESS_HELPER_H

#include "probes.h"

/*
 * Call work(data, e) in a child; return its value, fill its error. What it changes in our memory is
 * lost, except in what is mapped shared. All signals are blocked in it. It dies with us.
 * -ECHILD, status PROBES_FAILED: it was killed, and how far it came is not known.
 */
int helper_run(pid_t target, int (*work)(void *data, struct probes_error *e), void *data,
	struct probes_error *e);

/*
 * Within `work`: be killed at that time (CLOCK_MONOTONIC, ns; 0: never), also where no handler of a
 * signal would be called.
 */
void helper_limit(uint64_t when);

#endif
