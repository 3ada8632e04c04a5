/*
 * The privilege that a program loses because we trace it from its start. Facts come from the held
 * program and its file; a pure function evaluates them.
 *
 * Source: execve(2) and ptrace(2); cap_bprm_creds_from_file() in security/commoncap.c: set-user-ID,
 * set-group-ID and file capabilities are ignored where the tracer lacks CAP_SYS_PTRACE.
 */
#pragma once

#include "process/identity.h"

#include <stddef.h>
#include <stdint.h>

struct privilege_facts {
	/* what the file requests */
	bool set_uid, set_gid;
	uid_t owner;
	gid_t group;
	uint64_t file_capabilities; /* permitted ones, those of the bounding set */
	/* what the process has */
	uid_t uid; /* effective */
	gid_t gid;
	uint64_t capabilities; /* permitted */
	/* nosuid or no_new_privs: it would not get the privilege without us, either */
	bool refused_anyway;
};

/* For a program after exec, before its first instruction. False: unknown. */
bool privilege_gather(const struct identity *who, struct privilege_facts *facts);

/* "is set-user-ID (uid 0): ...", to print behind its name; false: it lost no privilege. Pure. */
bool privilege_lost(const struct privilege_facts *facts, char *out, size_t size);

/* The permitted set of a security.capability attribute; 0 if it is malformed. Pure. */
uint64_t privilege_attribute(const unsigned char *bytes, size_t size);

/* Is a number within a /proc/PID/uid_map text? Pure. */
bool privilege_mapped(const char *map, unsigned long id);
