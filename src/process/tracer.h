/*
 * Being a process' tracer without stopping it, for kernels that let nobody else write to code
 * through /proc/PID/mem (6.12: proc_mem.force_override=ptrace).
 */
#ifndef PROCESS_TRACER_H
#define PROCESS_TRACER_H

#include "process/identity.h"

/*
 * Call work(data, e) as the tracer of the thread whose memory is open; in a helper process, so that
 * what it changes in our memory is lost (helper.h). The process runs on: a signal that the thread
 * gets meanwhile is passed on at once. Status PROBES_DENIED: another tracer, or no permission.
 */
int tracer_run(const struct identity *who, int (*work)(void *data, struct probes_error *e),
	void *data, struct probes_error *e);

#endif
