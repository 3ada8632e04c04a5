/*
 * Who else runs in the memory of a process: a parent that waits for its vfork, and whatever
 * clone(2) has made with CLONE_VM but without CLONE_THREAD. They are not among its threads, so that
 * stopping those does not stop them.
 */
#pragma once

#include "process/identity.h"

/*
 * The pid of such a process; 0: there is none. While all threads of `who` stand still, none can
 * come either. Negative errno: a shortage. Where kcmp(2) does not work (a kernel without it,
 * seccomp), any copy of the process counts, forked children included. A process in an outer pid
 * namespace is not seen.
 */
pid_t sharing_find(const struct identity *who);
