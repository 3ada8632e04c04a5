/*
 * Whom the kernel kills when memory runs out, in a memory cgroup or on the machine: us, before any
 * process that we look at (proc_pid_oom_score_adj(5)). The last resort, after the engine's checks
 * of the room that is left.
 */
#pragma once

#define OOM_SCORE_TEXT 16

/* Ours becomes the highest. `before`: what it was, for those that we start; "": it is unchanged. */
void oom_score_raise(char before[OOM_SCORE_TEXT]);

/* For a forked child of ours on which a program depends. */
void oom_score_put_back(const char *before);
