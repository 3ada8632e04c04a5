/*
 * What a seccomp filter of a stopped tracee would say to a system call. Source: seccomp(2), and
 * seccomp_check_filter() in kernel/seccomp.c for the instructions that a filter may have.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sock_filter;
struct seccomp_data;

/* What one filter returns; one that is malformed: to kill. Pure. */
uint32_t filter_run(const struct sock_filter *code, size_t count, const struct seccomp_data *call);

/*
 * Do all filters of this thread allow a call from the instruction before `ip`? 1 or 0, or a
 * negative errno: -EACCES without CAP_SYS_ADMIN, which is needed to read them.
 */
int filter_allows(pid_t tid, long number, const uint64_t arguments[6], uint64_t ip);
